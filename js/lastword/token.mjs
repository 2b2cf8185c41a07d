// What a turn yields and only an emitter opens: objects that nobody else can read or make.

import { Held, LastwordError } from "./core.mjs";

/** What each stands for in the module. */
const held = new WeakMap();
const SECRET = Symbol("made by a turn");

class Token {
  constructor(secret) {
    if (secret !== SECRET) throw new LastwordError("invalid_input", `Only a turn makes a ${new.target.name}.`);
    Object.freeze(this);
  }
}

/** The answer of a turn, on its way to `Emitter.succeed`. */
export class Published extends Token {}

/** The calls that the client is to run, on their way to `Emitter.handOver`. */
export class ClientCalls extends Token {}

/** A piece of an answer that streams early, on its way to `Emitter.writeEarly`. */
export class EarlyAnswer extends Token {}

/** A token of that kind for a number in the module. */
export function made(Kind, number) {
  const token = new Kind(SECRET);
  held.set(token, new Held("token_free", number));
  return token;
}

/** The number behind a token of that kind, which can't be used again. */
export function opened(Kind, token) {
  if (!(token instanceof Kind) || !held.has(token)) throw new LastwordError("invalid_input", `That is no ${Kind.name}, or it was used before.`);
  const number = held.get(token).take();
  held.delete(token);
  return number;
}
