// What the tests of the output filter share: values that must not leave, put together here so that none stands whole
// in a file, and everything that anybody is told of a run.

import assert from "node:assert/strict";
import { agentWithHistory, byGet, runOracle } from "./oracle.mjs";
import { whole } from "./http.mjs";
import { assertWire, readSse } from "./sse.mjs";
import { fresh } from "./worker.mjs";

const join = (...pieces) => pieces.join("");

/** Values by the rule that knows them. None is anybody's. */
export const VALUES = {
  anthropic_key: join("sk-", "ant-", "api03-", "Xq3vK9_tLw7", "Zr2Bn8-Yd5Hc1Mf6Gj4"),
  github_token: join("gh", "p_", "a8Kd93LmQz71", "VbTy62Rw45NcXe08Uj"),
  aws_key: join("AK", "IA", "QX7ZP2MLTR5WVD3K"),
  email: join("ana.souza", "@", "firma.com.br"),
  card: join("4111 1111", " 1111 1111"),
  cpf: join("529.982", ".247-25"),
  phone_number: join("+47 22 34", " 56 78"),
};

/** What stands in the place of a value. */
export const label = (rule) => `[REDACTED:${rule}]`;

/** A text with the names of rules in braces: `[said, told]`, with the values and with what stands in their place. */
export function text(template) {
  const fill = (value) => template.replace(/\{(\w+)\}/g, (_, rule) => value(rule));
  return [fill((rule) => VALUES[rule] ?? assert.fail(rule)), fill(label)];
}

const say = (value) => Buffer.from(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);
const chunk = (delta, finish_reason) => say({ choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] });

/** The frames of a Chat Completions response that says each of these letter by letter. */
export function letters({ reasoning = "", content = "", refusal = "", calls = [], finish, model } = {}) {
  const spelled = (field, words) => [...words].map((letter) => chunk({ [field]: letter }));
  const called = calls.flatMap(({ id, name, args }, index) => [
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...[...args].map((letter) => chunk({ tool_calls: [{ index, function: { arguments: letter } }] })),
  ]);
  const end = chunk({}, finish ?? (calls.length > 0 ? "tool_calls" : "stop"));
  const first = model ? [say({ model, choices: [{ index: 0, delta: { role: "assistant" } }] })] : [];
  return [...first, ...spelled("reasoning_content", reasoning), ...spelled("content", content), ...spelled("refusal", refusal), ...called, end, say("[DONE]")];
}

/** An answer of the upstream that comes byte by byte: all in one chunk of HTTP, or one chunk each. */
export async function spell(call, frames, { bytes = false } = {}) {
  const all = Buffer.concat(frames);
  if (!bytes) await call.write(all);
  else for (let at = 0; at < all.length; at += 1) await call.write(all.subarray(at, at + 1));
  await call.end();
}

/**
 * Lets an official client run with the responses of `upstream`, one a call, and gives what everybody was told: `added`
 * to the client's transcript, the `customer`'s and the `operator`'s events, `record`, and `bytes`, all of it.
 */
export async function told(worker, upstream, responses, { bytes, params = {}, agent: rest = {} } = {}) {
  const [said, runId, thread, question] = [fresh("told"), params.runId ?? fresh("run"), fresh("thread"), fresh("q")];
  let at = 0;
  upstream.on(said, async (call) => {
    const response = responses[Math.min(at++, responses.length - 1)];
    await (typeof response === "function" ? response(call) : spell(call, response, { bytes }));
  });
  const agent = agentWithHistory(worker.url, { text: said, thread, question, ...rest });
  const before = structuredClone(agent.messages);
  const { transcript, terminal, events } = await runOracle(agent, { ...params, runId });
  assert.deepEqual(transcript.slice(0, before.length), before, "what the client said is as it was");

  const late = agentWithHistory(worker.url, { text: said, thread, question, via: byGet(worker.url, runId) });
  const joined = await runOracle(late, { ...params, runId });
  assert.deepEqual(joined.transcript, transcript, "who comes later reads the same");
  const again = await (await worker.join(runId, "1")).end();
  const customer = await (await worker.events(runId)).end();
  const operator = await (await worker.events(runId, { view: "operator" })).end();
  const replayed = await (await worker.events(runId, { view: "operator" })).end();
  assert.deepEqual(replayed.bytes, operator.bytes, "a replay changes nothing");
  const record = await worker.record(runId);
  const list = await whole(`${worker.url}/v1/runs`);
  for (const bytes of [...agent.captured, ...late.captured, customer.bytes, operator.bytes]) assertWire(readSse(bytes).frames);
  const logs = worker.logs.filter((line) => line.includes(runId));
  const everything = [...agent.captured, ...late.captured, again.bytes, customer.bytes, operator.bytes, record.text, list.text, ...logs];
  return {
    runId,
    added: transcript.slice(before.length),
    terminal,
    events,
    customer: customer.frames.map(({ json }) => json),
    operator: operator.frames.map(({ json }) => json),
    record: record.json,
    calls: upstream.callsOf(said),
    bytes: everything.map(String).join("\n"),
  };
}

/** None of these values is in the bytes, nor a piece of eight characters of one. */
export function assertHidden(bytes, values = Object.values(VALUES)) {
  for (const value of values) {
    for (let at = 0; at + 8 <= value.length; at += 1) {
      const piece = value.slice(at, at + 8);
      assert.ok(!bytes.includes(piece), `${JSON.stringify(piece)} has left: …${bytes.slice(Math.max(0, bytes.indexOf(piece) - 80), bytes.indexOf(piece) + 40)}…`);
    }
  }
}

/** The texts of an operator's or a customer's events of these types, joined. */
export const said = (events, ...types) =>
  events.filter(({ type }) => types.includes(type)).map(({ delta, content }) => delta ?? content).join("");
