// All that the package exports. Starts no module and names no place of one: that is for the entries.

export { init, initSync } from "./core.mjs";
export { decode, Decoder } from "./decode.mjs";
export { LastwordError, NotWritten } from "./errors.mjs";
export { OutputFilter, OutputFilterStream } from "./filter.mjs";
export { createHandler } from "./handler.mjs";
export { setLog } from "./log.mjs";
export { Emitter, readRun, RunRecord } from "./record.mjs";
export { cancel, replay, respond } from "./respond.mjs";
export { decodeSse, encodeSse, SseBody, SseDecoder } from "./sse.mjs";
export * from "./stores/index.mjs";
export { ClientCalls, EarlyAnswer, Published, TurnOutput } from "./turn.mjs";
