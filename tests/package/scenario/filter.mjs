// The output filter: secrets that were cut apart, streams, errors, what it leaves in memory.

import { size } from "./memory.mjs";

/** Put together here, so that no scanner takes them for somebody's. */
const EMAIL = ["ana.souza", "firma.com.br"].join("@");
const KEY = ["sk-", "ant-", "api03-", "Ab3dE6gH".repeat(5)].join("");
const TEXT = `Olá 👋🏽 ${EMAIL}, a chave é ${KEY}! 👩‍💻`;
const CLEAN = "Olá 👋🏽 [REDACTED:email], a chave é [REDACTED:anthropic_key]! 👩‍💻";

export const expected = {
  split: CLEAN,
  counts: { anthropic_key: 1, email: 1 },
  strings: CLEAN,
  bytes: CLEAN,
  cancelled: "new",
  again: "fine too",
  errors: ["invalid_filter", "freed"],
  growth: 0,
};

export async function run({ OutputFilter, OutputFilterStream, LastwordError, init }) {
  const filter = new OutputFilter();
  let split = "";
  for (let at = 0; at < TEXT.length; at++) split += filter.push(TEXT[at]);
  split += filter.flush();
  const { counts } = filter;

  const bytes = new TextEncoder().encode(TEXT);
  const strings = await read(source([TEXT.slice(0, 25), TEXT.slice(25)]).pipeThrough(new OutputFilterStream()));
  const chunks = await read(source([bytes.slice(0, 60), bytes.slice(60)]).pipeThrough(new OutputFilter().transform({ bytes: true })));

  return {
    split,
    counts,
    strings: strings.join(""),
    bytes: chunks.map((chunk) => new TextDecoder().decode(chunk)).join(""),
    cancelled: await afterCancel(new OutputFilter()),
    again: await again(filter, init),
    errors: [code(() => new OutputFilter({ rules: ["no_such_rule"] }), LastwordError), code(() => (filter.free(), filter.push("x")), LastwordError)],
    growth: growth(OutputFilter),
  };
}

const source = (pieces) =>
  new ReadableStream({
    start(to) {
      for (const piece of pieces) to.enqueue(piece);
      to.close();
    },
  });

async function read(stream) {
  const pieces = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  return pieces;
}

/** What leaves of a text whose filter was cancelled behind half a secret of another. */
async function afterCancel(filter) {
  const { readable, writable } = filter.transform();
  const reader = readable.getReader();
  const writer = writable.getWriter();
  writer.write(`once ${KEY.slice(0, 20)}`).catch(() => {});
  await reader.read();
  await reader.cancel();
  return (await read(source(["new"]).pipeThrough(filter.transform()))).join("");
}

/** What a filter gives that was made before the package was initialized once more, twice at a time. */
async function again(filter, init) {
  const begun = filter.push("fine ");
  await Promise.all([init(), init()]);
  await init();
  return begun + filter.push("too") + filter.flush();
}

function code(action, LastwordError) {
  try {
    action();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof LastwordError ? error.code : String(error);
  }
}

/** How many bytes the module's memory grows by if thousands of filters are made and freed once more. */
function growth(OutputFilter) {
  const round = () => {
    for (let at = 0; at < 2000; at++) {
      const filter = new OutputFilter();
      filter.push(`the key is ${KEY.slice(0, 12)}`);
      filter.free();
    }
    return size();
  };
  const once = round();
  return round() - once;
}
