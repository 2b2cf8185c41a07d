// `npm run bench:gigabyte`: a gigabyte of text through `respond`, as many messages: what comes out is what went in, by a
// checksum, and memory stays level. `MB=100` takes less. Runs under the Node of the lock file.

import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { respond, setLog } from "../../build/js/node.mjs";

const TOTAL = Number(process.env.MB ?? 1024) * 1024 * 1024;
/** What one message says: an answer is at most 1 MiB. */
const MESSAGE = 1_000_000;
const WORDS = "the refund was approved and the money should be back on your card within three working days ço €uro 日本 👩‍💻 ".split(/(?<= )/);
const encoder = new TextEncoder();

/** Words that differ from message to message, and the provider's bytes that say them. */
function message(number) {
  const hash = createHash("sha256");
  const pieces = [];
  let length = 0;
  let seed = number * 2654435761;
  let pending = "";
  while (length < MESSAGE) {
    let text = "";
    for (let word = 0; word < 64; word++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      text += WORDS[seed % WORDS.length];
    }
    hash.update(text);
    length += Buffer.byteLength(text);
    pending += `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
    if (pending.length > 16_384) {
      pieces.push(encoder.encode(pending));
      pending = "";
    }
  }
  pending += 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  pieces.push(encoder.encode(pending));
  return { pieces, length, digest: hash.digest("hex") };
}

/** The checksum of what a client of the UI stream reads. */
async function read(response) {
  const hash = createHash("sha256");
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('data: {"type":"text-delta"')) hash.update(JSON.parse(line.slice(6)).delta);
    }
  }
  return hash.digest("hex");
}

/** Sends so many bytes through; `tell` is told of progress. Gives how memory stood after each tenth. */
export async function gigabyte(total, tell = () => {}) {
  setLog(false);
  const levels = [];
  let [sent, number, tenth] = [0, 0, 1];
  while (sent < total) {
    const { pieces, length, digest } = message((number += 1));
    const { response, done } = respond(pieces, { from: "chat-completions", to: "ui-stream" });
    const got = await read(response);
    const { status } = await done;
    if (status !== "succeeded" || got !== digest) throw new Error(`message ${number}: ${status}, and what was read is ${got === digest ? "right" : "wrong"}`);
    sent += length;
    if (sent < (total * tenth) / 10) continue;
    globalThis.gc?.();
    levels.push(process.memoryUsage().rss);
    tell(`${(sent / 1024 / 1024).toFixed(0)} MiB in ${number} messages, all right; ${(levels.at(-1) / 1024 / 1024).toFixed(0)} MiB of memory`);
    tenth += 1;
  }
  setLog();
  return levels;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const begun = performance.now();
  const levels = await gigabyte(TOTAL, (line) => console.log(line));
  console.log(`${((performance.now() - begun) / 1000).toFixed(0)} s; from the second tenth to the last memory has grown by ${((levels.at(-1) / levels[1] - 1) * 100).toFixed(1)} %`);
}
