// What must hold of the output filter's JavaScript form wherever it runs: Node, a browser, workerd. Each case is
// given the module's exports and throws if it fails. Uses nothing of a runtime's own.

/** Put together here, so that no scanner takes them for somebody's. */
export const EMAIL = ["ana.souza", "firma.com.br"].join("@");
export const KEY = ["sk-", "ant-", "api03-", "Ab3dE6gH".repeat(5)].join("");
const CARD = ["4111", "1111", "1111", "1111"].join(" ");

/** The text of most cases, and what leaves of it. */
const TEXT = `Olá 👋🏽 ${EMAIL}, a chave é ${KEY}! 👩‍💻 São ${CARD} — e só. ${EMAIL}`;
const CLEAN = "Olá 👋🏽 [REDACTED:email], a chave é [REDACTED:anthropic_key]! 👩‍💻 São [REDACTED:card] — e só. [REDACTED:email]";

function equal(actual, expected, what = "") {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${what}: ${left} is not ${right}`);
}

/** What an action throws, by its code. */
async function code(action) {
  try {
    await action();
  } catch (error) {
    return error.code;
  }
  return "nothing was thrown";
}

/** What a filter gives for pieces; each partial output must be a beginning of the whole. */
function filtered({ OutputFilter }, pieces, options) {
  const filter = new OutputFilter(options);
  const outputs = pieces.map((piece) => filter.push(piece));
  outputs.push(filter.flush());
  filter.free();
  return outputs.join("");
}

/** So many pieces of a text or of bytes, one after the other. */
const cut = (whole, ...places) => [0, ...places].map((from, at) => whole.slice(from, places[at] ?? whole.length));
const each = (whole) => cut(whole, ...Array.from({ length: whole.length - 1 }, (_, at) => at + 1));
const bytes = (text) => new TextEncoder().encode(text);

async function read(stream) {
  const pieces = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  return pieces;
}

const source = (pieces) =>
  new ReadableStream({
    start(to) {
      for (const piece of pieces) to.enqueue(piece);
      to.close();
    },
  });

/** Numbers that are the same on every run. */
function* numbers(seed) {
  for (let state = seed; ; yield state >>> 8) state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
}

export const cases = {
  "removes what its rules find": (api) => equal(filtered(api, [TEXT]), CLEAN),

  "gives the same for every cut between UTF-16 units": (api) => {
    for (let at = 1; at < TEXT.length; at++) equal(filtered(api, cut(TEXT, at)), CLEAN, `cut at ${at}`);
    equal(filtered(api, each(TEXT)), CLEAN, "unit by unit");
  },

  "gives the same for every cut between bytes": (api) => {
    const all = bytes(TEXT);
    for (let at = 1; at < all.length; at++) equal(filtered(api, cut(all, at)), CLEAN, `cut at ${at}`);
    equal(filtered(api, each(all)), CLEAN, "byte by byte");
    equal(filtered(api, [all.buffer.slice(0)]), CLEAN, "as an ArrayBuffer");
  },

  "gives only beginnings of what it gives at last": ({ OutputFilter }) => {
    const filter = new OutputFilter();
    let given = "";
    for (const unit of each(TEXT)) {
      given += filter.push(unit);
      if (!CLEAN.startsWith(given)) throw new Error(`${given} is no beginning`);
    }
    equal(given + filter.flush(), CLEAN);
  },

  "lets a clean text through as it is": (api) => {
    const line = "Uma linha — sem nada, 3 + 4 = 7, 日本語 e 🎉 também; `code()` and [x].\n";
    equal(filtered(api, each(line)), line);
    const long = line.repeat(5000);
    if (filtered(api, [long]) !== long) throw new Error("a long text was changed");
    if (filtered(api, cut(long, 70_001, 140_003, 140_004)) !== long) throw new Error("long pieces were changed");
  },

  "finds in a text of many buffers what it finds in one": (api) => {
    const line = `${"x".repeat(93)} ${TEXT}\n`;
    const cleaned = `${"x".repeat(93)} ${CLEAN}\n`;
    for (const times of [600, 1500]) {
      if (filtered(api, [line.repeat(times)]) !== cleaned.repeat(times)) throw new Error(`wrong ${times} times`);
      if (filtered(api, [bytes(line.repeat(times))]) !== cleaned.repeat(times)) throw new Error(`wrong as bytes, ${times} times`);
    }
  },

  "waits for the second half of a surrogate pair, and puts a mark in the place of halves": (api) => {
    equal(filtered(api, ["a\ud83d", "\ude00b"]), "a😀b");
    equal(filtered(api, ["a\ud83d", "", "\ude00b"]), "a😀b");
    equal(filtered(api, ["a\ud83d", "b"]), "a\ufffdb");
    equal(filtered(api, ["a\ud83d"]), "a\ufffd");
    equal(filtered(api, ["a\ude00b\ud83dc"]), "a\ufffdb\ufffdc");
    equal(filtered(api, ["\ud83d", "\ud83d", "\ude00"]), "\ufffd😀");
    equal(filtered(api, ["\ud83d", bytes("b")]), "\ufffdb");
  },

  "decodes bytes as a streaming decoder does": (api) => {
    equal(filtered(api, [Uint8Array.of(97, 255, 98)]), "a\ufffdb");
    equal(filtered(api, [Uint8Array.of(97, 0xf0, 0x9f)]), "a\ufffd");
    equal(filtered(api, [Uint8Array.of(97, 0xf0, 0x9f), "b"]), "a\ufffdb");
    equal(filtered(api, [Uint8Array.of(97, 0xf0, 0x9f), Uint8Array.of(0x98, 0x80)]), "a😀");
    const random = numbers(7);
    const some = [97, 32, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xe2, 0x82, 0xac, 0xed, 0xa0];
    for (let round = 0; round < 200; round++) {
      const all = Uint8Array.from({ length: 40 }, () => some[random.next().value % some.length]);
      const expected = new TextDecoder("utf-8", { ignoreBOM: true }).decode(all);
      equal(filtered(api, cut(all, 7, 8, 9, 23), { invisible: false }), expected, String(all));
    }
  },

  "drops what was held back when it is aborted, and is then as new": ({ OutputFilter }) => {
    const filter = new OutputFilter();
    equal(filter.push(`key ${KEY.slice(0, 10)}`), "key ");
    equal(filter.held, 10);
    filter.abort();
    equal([filter.held, filter.flush()], [0, ""]);
    equal(filter.push("a\ud83d"), filter.push("") + "a".slice(filter.held));
    filter.abort();
    equal(filter.push(bytes("é").slice(0, 1)), "");
    filter.abort();
    equal(filter.push(`${EMAIL} `) + filter.flush(), "[REDACTED:email] ");
  },

  "can be used for one text after the other": ({ OutputFilter }) => {
    const filter = new OutputFilter();
    for (let round = 0; round < 3; round++) equal(filter.push(TEXT) + filter.flush(), CLEAN);
    equal(filter.counts, { anthropic_key: 3, email: 6, card: 3 });
  },

  "tells what it has found, without it": ({ OutputFilter }) => {
    const filter = new OutputFilter();
    filter.push(`é ${EMAIL} ok`);
    equal([filter.held, filter.flush(), filter.blocked], [2, "ok", false]);
    equal(filter.spans, [{ rule: "email", start: 3, end: 3 + EMAIL.length }]);
    equal(filter.counts, { email: 1 });
  },

  "takes rules, values and patterns of one's own": (api) => {
    const options = {
      rules: ["-email"],
      values: [{ name: "door", value: "open sesame" }],
      patterns: [{ name: "order", pattern: /ord-\d{4,6}/i, style: { fixed: "<order>" } }],
    };
    equal(filtered(api, [`${EMAIL} open sesame ORD-12345.`], options), `${EMAIL} [REDACTED:door] <order>.`);
  },

  "ends the text where it blocks": ({ OutputFilter }) => {
    const filter = new OutputFilter({ mode: "block" });
    equal(filter.push(`Hi, ${EMAIL} or `), "Hi, ");
    equal([filter.blocked, filter.push("more"), filter.flush()], [true, "", ""]);
  },

  "says with a code what is wrong": async ({ OutputFilter, LastwordError }) => {
    equal(await code(() => new OutputFilter({ rules: 3 })), "invalid_filter");
    equal(await code(() => new OutputFilter({ nothing: 1 })), "invalid_filter");
    equal(await code(() => new OutputFilter([])), "invalid_filter");
    equal(await code(() => new OutputFilter({ patterns: [{ name: "a", pattern: "(" }] })), "invalid_filter");
    equal(await code(() => new OutputFilter({ patterns: [{ name: "a", pattern: /^a/m }] })), "invalid_filter");
    try {
      new OutputFilter({ patterns: [{ name: "a", pattern: "a(?=bc)" }] });
    } catch (error) {
      equal([error instanceof LastwordError, error.name, error.message.includes("patterns[0]")], [true, "LastwordError", true], error.message);
    }
    equal(filtered({ OutputFilter }, [TEXT]), CLEAN, "after errors");
    for (const piece of [undefined, null, 3, {}]) {
      let name;
      try {
        new OutputFilter().push(piece);
      } catch (error) {
        ({ name } = error);
      }
      equal(name, "TypeError", String(piece));
    }
  },

  "takes options that are longer than its buffer": (api) => {
    const values = Array.from({ length: 5000 }, (_, at) => `numero.${at}@firma.com`);
    const outputs = filtered(api, [`${values[4321]} ${EMAIL}`], { allow: { values: [...values, "é"] } });
    equal(outputs, `${values[4321]} [REDACTED:email]`);
  },

  "can be freed, once and for all": async ({ OutputFilter }) => {
    const [filter, other] = [new OutputFilter(), new OutputFilter()];
    filter.push("key sk-");
    filter.free();
    filter.free();
    filter[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
    const next = new OutputFilter();
    for (const use of [() => filter.push("a"), () => filter.flush(), () => filter.abort(), () => filter.counts, () => filter.held]) {
      equal(await code(use), "freed");
    }
    equal(next.push(TEXT) + next.flush() + other.push(TEXT) + other.flush(), CLEAN + CLEAN);
  },

  "keeps filters apart": ({ OutputFilter }) => {
    const filters = Array.from({ length: 7 }, () => new OutputFilter());
    const outputs = filters.map(() => "");
    for (const unit of each(TEXT)) filters.forEach((filter, at) => (outputs[at] += filter.push(at % 2 ? unit : unit)));
    equal(outputs.map((output, at) => output + filters[at].flush()), filters.map(() => CLEAN));
  },

  "is a stream": async ({ OutputFilter, OutputFilterStream }) => {
    equal((await read(source(each(TEXT)).pipeThrough(new OutputFilterStream()))).join(""), CLEAN);
    equal((await read(source(each(bytes(TEXT))).pipeThrough(new OutputFilter().transform()))).join(""), CLEAN);
    const parts = await read(source(each(TEXT)).pipeThrough(new OutputFilterStream({}, { bytes: true })));
    equal(parts.map((part) => part instanceof Uint8Array).includes(false), false);
    equal(parts.map((part) => new TextDecoder().decode(part)).join(""), CLEAN);
    const filter = new OutputFilter();
    const given = new OutputFilterStream(filter);
    await read(source([EMAIL]).pipeThrough(given));
    equal([given.filter === filter, filter.counts], [true, { email: 1 }]);
  },

  "drops what is held back when its stream is cancelled": async ({ OutputFilter }) => {
    const filter = new OutputFilter();
    const { readable, writable } = filter.transform();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    writer.write(`key ${KEY.slice(0, 10)}`).catch(() => {});
    equal((await reader.read()).value, "key ");
    await reader.cancel("enough");
    equal([(await reader.read()).done, await writer.closed.then(() => "closed", () => "failed")], [true, "failed"]);
    equal((await read(source(["next"]).pipeThrough(filter.transform()))).join(""), "next");
  },

  "drops what is held back when its stream is aborted": async ({ OutputFilter }) => {
    const filter = new OutputFilter();
    const { readable, writable } = filter.transform();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    writer.write(`key ${KEY.slice(0, 10)}`).catch(() => {});
    equal((await reader.read()).value, "key ");
    writer.abort(new Error("the model is gone")).catch(() => {});
    equal(await reader.read().then(({ value }) => value, (error) => error.message), "the model is gone");
    equal((await read(source(["next"]).pipeThrough(filter.transform()))).join(""), "next");
  },

  "ends its stream cleanly where it blocks": async ({ OutputFilterStream }) => {
    const stream = new OutputFilterStream({ mode: "block" });
    const writer = stream.writable.getWriter();
    writer.write(`Hi, ${EMAIL} or `).catch(() => {});
    equal(await read(stream.readable), ["Hi, "]);
    equal([stream.filter.blocked, await writer.closed.then(() => "closed", () => "failed")], [true, "failed"]);
  },
};

/** Runs all of them: what each that failed has said. */
export async function failures(api) {
  const failed = [];
  for (const [name, work] of Object.entries(cases)) {
    try {
      await Promise.race([work(api), new Promise((_, reject) => setTimeout(reject, 5000, new Error("it never ends")))]);
    } catch (error) {
      failed.push(`${name}: ${error.message}`);
    }
  }
  return { ran: Object.keys(cases).length, failed };
}
