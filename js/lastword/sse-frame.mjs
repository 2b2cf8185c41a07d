// A frame of an event stream.

import { LastwordError } from "./errors.mjs";

const encoder = new TextEncoder();

/**
 * A frame of an event stream: `id:`, `event:`, `retry:`, a `data:` for each line, and the blank line; as bytes with
 * `{ bytes: true }`. Line ends are LF, and all in the data arrive as LF.
 * @param {import("./sse.js").SseFrame} frame
 * @returns {any}
 */
export function encodeSse({ data, event, id, retry }, { bytes = false } = {}) {
  if (typeof data !== "string") throw invalid("The data of a frame is a string.");
  let frame = "";
  if (id !== undefined) frame += `id: ${line("id", id)}\n`;
  if (event !== undefined) frame += `event: ${line("event", event)}\n`;
  if (retry !== undefined) frame += `retry: ${milliseconds(retry)}\n`;
  frame += /[\r\n]/.test(data) ? `data: ${data.replace(/\r\n|[\r\n]/g, "\ndata: ")}\n\n` : `data: ${data}\n\n`;
  return bytes ? encoder.encode(frame) : frame;
}

/** A text that would otherwise write fields of its own, or be ignored. */
function line(field, text) {
  if (typeof text !== "string" || /[\r\n\0]/.test(text)) throw invalid(`The ${field} of a frame is a string without CR, LF and NUL.`);
  return text;
}

function milliseconds(retry) {
  if (!Number.isSafeInteger(retry) || retry < 0) throw invalid("The retry of a frame is a whole number of milliseconds.");
  return retry;
}

const invalid = (message) => new LastwordError("invalid_frame", message);
