// Event streams on their own: what is read, what is written, and a response body of them. Needs no module.

export { SseBody } from "./sse-body.mjs";
export { decodeSse, SseDecoder } from "./sse-decoder.mjs";
export { encodeSse } from "./sse-frame.mjs";
