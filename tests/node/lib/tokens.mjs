// Made-up tokens of every kind, put together here so that no file holds one.

import { createHash, createHmac } from "node:crypto";

/** Two scopes' tokens, the operator's, and the key of browser tokens. */
export const [ACME, GLOBEX, OPERATOR] = ["acme", "globex", "operator"].map((name) => ["token", "of", name].join("-"));
export const TOKEN_KEY = ["a-key-of", "thirty-two", "bytes-or", "more"].join("-");

const digest = (token) => createHash("sha256").update(token).digest("hex");

/** The Worker's variables for them. */
export const TOKENS = {
  LASTWORD_DEV: "",
  LASTWORD_TOKENS: `acme=${digest(ACME)},globex=${digest(GLOBEX)}`,
  LASTWORD_OPERATOR_TOKEN: OPERATOR,
  LASTWORD_TOKEN_KEY: TOKEN_KEY,
};

/** The headers of whoever holds a token. */
export const as = (token, more = {}) => ({ authorization: `Bearer ${token}`, ...more });

/** A browser token for ten minutes, as in the README. `claims` are laid over scope `acme`. */
export function browserToken(claims = {}, { header = { alg: "HS256", typ: "JWT" }, key = TOKEN_KEY } = {}) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(header)}.${part({ scope: "acme", exp: Math.floor(Date.now() / 1000) + 600, ...claims })}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}
