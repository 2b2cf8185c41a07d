// Measures parts of the way by themselves: event streams decoded, a long line, AG-UI encoded. What the ways give is held
// against each other first.

import { EventEncoder } from "@ag-ui/encoder";
import { createParser } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { Decoder, respond, SseDecoder } from "../../../build/js/node.mjs";
import { body, chunks, text, TOKENS } from "./turn.mjs";
import { drain, said } from "./ways.mjs";

const MIB = 1 << 20;
const encoder = new TextEncoder();

/** Microseconds that each way takes: the median of its runs, in rows of their own, behind some to get warm. */
async function timed(ways, rounds, median) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let pass = 0; pass < 2; pass++) {
    for (const [name, way] of Object.entries(ways)) {
      globalThis.gc?.();
      for (let round = -5; round < rounds; round++) {
        const begun = performance.now();
        await way();
        if (round >= 0) times[name].push((performance.now() - begun) * 1000);
      }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, figures]) => [name, median(figures)]));
}

function same(what, ours, theirs) {
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) throw new Error(`${what}: the two do not give the same`);
}

/** Says what each way took for so many of something. */
function tell(took, count, unit) {
  for (const [name, time] of Object.entries(took)) console.log(`  ${name.padEnd(46)} ${(time / count).toFixed(3).padStart(8)} µs ${unit}`);
}

export async function parts({ measured: median, ratio, rounds }) {
  for (const size of [16_384, "event"]) {
    const cut = size === "event" ? "one event" : `${size} bytes`;
    await providers(chunks(size), cut, { median, ratio, rounds });
    await clients(chunks(size), cut, { median, ratio, rounds });
  }
  await longLine({ median, rounds });
  await agUi({ median, ratio, rounds });
}

/** eventsource-parser with its TextDecoder over all pieces: gives `onEvent` each event. */
function parsed(pieces, onEvent) {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent });
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
}

/** Our provider decoder over all pieces: gives `onSignals` the signals of each. */
function decoded(pieces, onSignals) {
  const decoder = new Decoder("chat-completions");
  for (const piece of pieces) onSignals(decoder.push(piece));
  onSignals(decoder.end());
  decoder.free();
}

/** Events of as many bytes, of which most stand in a comment: what is left to read of each is `null`. */
const framed = (pieces) => {
  const [comment, data] = [": ", "\ndata: null"];
  const frame = (line) => (line.startsWith("data: {") ? comment + "x".repeat(line.length - comment.length - data.length) + data : line);
  const all = new TextDecoder().decode(Buffer.concat(pieces)).replace("data: [DONE]\n\n", "");
  const bytes = encoder.encode(all.split("\n").map(frame).join("\n"));
  let at = 0;
  return pieces.map(({ length }) => bytes.subarray(at, (at += length))).filter(({ length }) => length > 0);
};

/** What the package does with a provider's bytes. */
async function providers(pieces, cut, { median, ratio, rounds }) {
  const count = (of) => {
    let events = 0;
    parsed(of, () => (events += 1));
    return events;
  };
  const frames = framed(pieces);
  const silent = [];
  decoded(frames, (signals) => silent.push(...signals));
  same("events that say nothing", [silent.filter(({ type }) => type === "text").length, count(frames)], [0, TOKENS + 2]);
  const [ours, theirs] = [[], []];
  decoded(pieces, (signals) => signals.forEach(({ type, delta }) => type === "text" && ours.push(delta)));
  const content = (data) => (data === "[DONE]" ? undefined : JSON.parse(data).choices[0]?.delta?.content);
  parsed(pieces, ({ data }) => content(data) && theirs.push(content(data)));
  same("the text", ours, theirs);

  console.log(`\nA provider's bytes, ${TOKENS} events, chunks of ${cut}`);
  const took = await timed(
    {
      "frames alone: eventsource-parser": () => parsed(frames, () => {}),
      "frames alone: Lastword's provider decoder": () => decoded(frames, () => {}),
      "to the text: eventsource-parser, JSON.parse": () => parsed(pieces, ({ data }) => content(data)),
      "to signals: Lastword's provider decoder": () => decoded(pieces, () => {}),
    },
    rounds,
    median,
  );
  tell(took, TOKENS, "an event");
  const [parser, decoder, text, signals] = Object.values(took);
  console.log("  (frames alone: events of the same length, but for `data: null` in a comment, so that their lines are all there is to read)");
  ratio("(i) frames alone: eventsource-parser", parser / decoder, 2);
  ratio("(i) with JSON: eventsource-parser, JSON.parse", text / signals, 1);
}

/** What a client reads with. */
async function clients(pieces, cut, { median, ratio, rounds }) {
  async function* given() {
    yield* pieces;
  }
  const ours = async () => {
    let last;
    for await (const event of new SseDecoder().iterate(given())) last = event;
    return last;
  };
  const theirs = async () => {
    let last;
    for await (const event of body(pieces).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) last = event;
    return last;
  };
  /** As one writes an iterator over the parser by hand. */
  async function* events(source) {
    const decoder = new TextDecoder();
    const found = [];
    const parser = createParser({ onEvent: (event) => found.push(event) });
    for await (const piece of source) {
      parser.feed(decoder.decode(piece, { stream: true }));
      yield* found.splice(0);
    }
  }
  const byHand = async () => {
    let last;
    for await (const event of events(given())) last = event;
    return last;
  };
  const pushed = (of) => {
    const [decoder, all] = [new SseDecoder(), []];
    for (const piece of of) all.push(...decoder.push(piece));
    return all.map(({ data }) => data);
  };
  const told = [];
  parsed(pieces, ({ data }) => told.push(data));
  same("the events", pushed(pieces), told);
  same("the last event", [(await ours()).data, (await byHand()).data], ["[DONE]", (await theirs()).data]);

  console.log(`\nA client's events, ${TOKENS} of them, chunks of ${cut}`);
  const took = await timed({ "EventSourceParserStream": theirs, "createParser in a generator": byHand, "SseDecoder, iterated": ours }, rounds, median);
  tell(took, TOKENS, "an event");
  const [stream, generator, iterated] = Object.values(took);
  ratio("(ii) an iterator: EventSourceParserStream", stream / iterated, 1);
  ratio("(ii) an iterator: createParser in a generator", generator / iterated, 1);
}

/** One line that comes in small pieces takes as much longer as it is longer. */
async function longLine({ median, rounds }) {
  const SMALL = 64;
  const line = (length) => {
    const all = encoder.encode(`data: ${"x".repeat(length - 8)}\n\n`);
    return Array.from({ length: Math.ceil(all.length / SMALL) }, (_, at) => all.subarray(at * SMALL, (at + 1) * SMALL));
  };
  const read = (pieces) => {
    const [decoder, found] = [new SseDecoder(), []];
    for (const piece of pieces) found.push(...decoder.push(piece));
    return found.map(({ data }) => data.length);
  };
  const [one, four] = [line(MIB), line(4 * MIB)];
  same("the long line", [read(one), read(four)], [[MIB - 8], [4 * MIB - 8]]);
  // A provider's event has 1 MiB at most.
  const completion = (length) => {
    const own = '{"choices":[{"index":0,"delta":{"content":""}}]}';
    const all = encoder.encode(`data: ${own.replace('""', `"${"x".repeat(length - own.length - 8)}"`)}\n\n`);
    return Array.from({ length: Math.ceil(all.length / SMALL) }, (_, at) => all.subarray(at * SMALL, (at + 1) * SMALL));
  };
  const signals = (pieces) => {
    let length = 0;
    decoded(pieces, (all) => all.forEach(({ delta = "" }) => (length += delta.length)));
    return length;
  };
  const [quarter, whole] = [completion(MIB / 4), completion(MIB - 64)];
  same("the long event", [signals(quarter) > MIB / 4 - 100, signals(whole) > MIB - 200], [true, true]);

  console.log(`\nOne line, chunks of ${SMALL} bytes`);
  const took = await timed(
    {
      "SseDecoder, 1 MiB": () => read(one),
      "SseDecoder, 4 MiB": () => read(four),
      "the provider decoder, 256 KiB": () => signals(quarter),
      "the provider decoder, 1 MiB": () => signals(whole),
    },
    rounds,
    median,
  );
  tell(took, 1000, "(thousands)");
  const [small, large, less, more] = Object.values(took);
  const grows = (name, value) => console.log(`  ${name.padEnd(58)} ${value.toFixed(1)}×  (at most 5×)${value <= 5 ? "" : "  MISSED"}`);
  grows("(iii) SseDecoder, four times the line", large / small);
  grows("(iii) the provider decoder, four times the line", more / less);
}

/** From signals to AG-UI frames, with rule, redaction and record, and the frames alone by the official encoder. */
async function agUi({ median, ratio, rounds }) {
  const deltas = text.match(/\S+\s?/g);
  const signals = [{ type: "item_start", phase: "final_answer" }, ...deltas.map((delta) => ({ type: "text", delta })), { type: "item_end" }, { type: "response_end" }];
  const bytes = encoder.encode(signals.map((signal) => `data: ${JSON.stringify(signal)}\n\n`).join(""));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, at) => bytes.subarray(at * 16_384, (at + 1) * 16_384));
  const published = (options) => drain(respond(body(pieces), { from: "signals", to: "ag-ui", ...options }).response);
  const joined = (frames) => new TextDecoder().decode(Buffer.concat(frames));
  const framesOf = (written) => written.split("\n\n").filter((frame) => /^data: /m.test(frame)).map((frame) => frame.slice(frame.indexOf("data: ")));

  const official = new EventEncoder();
  const encoded = (events) => {
    const out = [];
    for (const event of events) out.push(encoder.encode(official.encodeSSE(event)));
    return out;
  };
  const check = (written) => {
    const frames = framesOf(written);
    const events = frames.map((frame) => JSON.parse(frame.slice(6)));
    same("AG-UI frames", joined(encoded(events)), frames.map((frame) => `${frame}\n\n`).join(""));
    return events;
  };
  /** What an agent of one's own sends of the same signals: an event a delta. */
  const plain = [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta })),
    { type: "TEXT_MESSAGE_END", messageId: "m" },
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ];
  const live = { early: "final_answer", deltas: "each" };
  const [each, answer] = [check(joined(await published(live))), check(joined(await published()))];
  const content = (events) => events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta).join("");
  same("the text of AG-UI", [content(each), content(answer), content(plain)], [text, text, text]);

  console.log(`\n${deltas.length} signals to AG-UI: ${each.length} events where the answer streams early, a delta each, ${answer.length} where it comes whole`);
  const took = await timed(
    {
      "@ag-ui/encoder, the events of the early answer": () => encoded(each),
      "@ag-ui/encoder, an event a delta": () => encoded(plain),
      "Lastword, early, from bytes of signals": () => published(live),
      "Lastword, whole, from bytes of signals": () => published(),
    },
    rounds,
    median,
  );
  tell(took, deltas.length, "a signal");
  const [theirs, theirPlain, oursLive, oursAnswer] = Object.values(took);
  ratio("(iv) the same events: @ag-ui/encoder", theirs / oursLive, 3);
  ratio("(iv) the same text: @ag-ui/encoder", theirPlain / oursAnswer, 3);
}

