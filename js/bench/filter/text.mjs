// The texts: Markdown in English and Portuguese as models write it, one sensitive value every two KiB. Values are
// put together here, so that no scanner takes them for somebody's.

const SENTENCES = [
  "The deployment finished without errors, and all twelve services report that they are healthy.",
  "O pedido foi enviado ontem à tarde e deve chegar em três dias úteis; você não precisa fazer nada.",
  "To reproduce it, run `npm ci && npm test` in the folder `packages/core` and look at the last line.",
  "Não há diferença de preço entre as duas opções, mas a segunda tem frete grátis acima de R$ 199,90.",
  "- **Latency**: the 95th percentile went from 412 ms to 187 ms after the cache was warmed up.",
  "| região | vendas | variação |\n|---|---|---|\n| Sul | 1.204 | +3,2 % |\n| Norte | 987 | -0,4 % |",
  "```js\nconst total = items.reduce((sum, item) => sum + item.price * item.quantity, 0);\n```",
  "See section 4.2.1 of the guide (version 2.14.0, of 2026-03-18) for the list of supported regions.",
  "Segundo o relatório, a manutenção está prevista para 14/08 às 22h30 e dura cerca de 45 minutos.",
  "1. Open the settings. 2. Choose *Integrations*. 3. Press **Add**, then paste the address of the hook.",
  "Order #48213-77 has 3 items; its total of 1,249.00 USD was charged on the 5th, at 09:41:07.",
  "Claro! Aqui está um resumo: o contrato vence em dezembro, a renovação é automática, e a multa é de 10 %.",
  "The task-force met on Tuesday; risk-averse members asked for more data, e.g. on the ask-me-anything pages.",
  "O commit 9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c corrige o erro no módulo de autenticação.",
  "Their id is 3f2b8c1e-77aa-4c0d-9e1b-5a6d7c8b9e0f, which you can use wherever a reference is asked for.",
];

/** Numbers that are the same on every run. */
export function* random(seed) {
  for (let state = seed; ; yield state >>> 8) state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
}

const join = (...parts) => parts.join("");

/** Sensitive values, and which peer with few rules knows them too. */
const VALUES = [
  (tail) => join("maria.", tail(6), "@", "exemplo.com.br"),
  (tail) => join("sk-", "ant-", "api03-", tail(40)),
  (tail) => join("gh", "p_", tail(36)),
  () => ["4111", "1111", "1111", "1111"].join(" "),
  () => ["529", "982", "247"].join(".") + "-25",
  (tail) => join("AK", "IA", tail(16).toUpperCase().replaceAll(/[018]/g, "A")),
  () => ["34", "120", "8", "91"].join("."),
  () => ["+44", "20", "7946", "0958"].join(" "),
  (tail) => join("postgres:", "//", "app:", tail(12), "@localhost:5432/app"),
  (tail) => join("eyJ", "hbGciOi", "JIUzI1NiJ9.", "eyJ", tail(24), ".", tail(32)),
];
const SIGNS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A text of about so many UTF-16 units, with a sensitive value every two KiB unless `clean`. */
export function makeText(length, { clean = false, seed = 11, values = VALUES } = {}) {
  const numbers = random(seed);
  const pick = (from) => from[numbers.next().value % from.length];
  const tail = (size) => Array.from({ length: size }, () => pick(SIGNS)).join("");
  const parts = [];
  let [size, due, which] = [0, 1024, 0];
  while (size < length) {
    let sentence = pick(SENTENCES);
    if (!clean && size > due) {
      sentence = `${pick(["Use", "Veja", "It is", "Contato:"])} ${values[which++ % values.length](tail)} ${pick(["for that.", "por favor.", "(see above)"])}`;
      due += 2048;
    }
    parts.push(sentence, pick(["\n\n", "\n", " ", " "]));
    size += sentence.length + 2;
  }
  return parts.join("").slice(0, length).toWellFormed();
}

/** Of the values those that the peer with few rules looks for. */
export const FEW = [VALUES[0], VALUES[3], VALUES[6]];

/** The text as a model sends it: four UTF-16 units a token. */
export const tokens = (text) => Array.from({ length: Math.ceil(text.length / 4) }, (_, at) => text.slice(at * 4, at * 4 + 4));

/** Texts that make bad filters slow: 64 KiB of what almost matches, over and over. */
export function hostile(size) {
  const fill = (piece) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  return {
    "one letter": fill("a"),
    digits: fill("1234567890"),
    "digits and signs": fill("1 2-1 2-"),
    "e-mail addresses without an end": fill("a.b@c.d-"),
    "at signs": fill("a@"),
    "beginnings of keys": fill(join("sk-", "ant-")),
    "beginnings of tokens": fill(join("ey", "J")),
    "beginnings of PEM": fill("-----BEGIN PRIVATE "),
    "slashes and colons": fill("//a:"),
    "numbers of companies": fill("12ABC34501DE"),
    "dotted numbers": fill("1.1.1."),
    "IPv6 groups": fill("2001:"),
    "accounts of banks": fill("GB82 "),
    "plus signs": fill("+1-("),
    "Bearer and words": fill("bearer abc "),
  };
}
