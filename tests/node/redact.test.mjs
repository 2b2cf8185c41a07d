// The output filter, through the Worker: a model says values that must not leave, letter by letter, wherever it can say
// anything, and neither the official client nor anybody else is ever told one of them.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { eventually } from "./lib/http.mjs";
import { agentFor, byGet, runOracle } from "./lib/oracle.mjs";
import { assertHidden, label, letters, said, spell, text, told, VALUES } from "./lib/redact.mjs";
import { KEY, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const PUBLIC = "intermediate=true,thinking=true,tools=true,working=true";
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_PUBLIC: PUBLIC, LASTWORD_RETRIES: "1" }));
const signals = sharedWorker(
  upstreamVars(upstream, { LASTWORD_PROVIDER: "signals", LASTWORD_PUBLIC: PUBLIC, LASTWORD_EARLY: "final_answer" }),
);

const EVERY = Object.keys(VALUES).map((rule) => `{${rule}}`).join(", ");
const content = (added, role = "assistant") => added.filter((message) => message.role === role).map(({ content }) => content);
const look = (args) => letters({ calls: [{ id: fresh("call"), name: "look", args }] });

describe("a value that must not leave", { concurrency: 4 }, () => {
  test("is replaced in an answer, and nothing else of it is changed", async () => {
    const [says, tells] = text(`Olá! Your key is {anthropic_key}; write to {email}. It ends with {aws_key}`);
    const { added, bytes, operator } = await told(worker, upstream, [letters({ content: says })], { bytes: true });
    assert.deepEqual(content(added), [tells]);
    assert.equal(said(operator, "intermediate"), tells, "the operator sees the same");
    assertHidden(bytes);
  });

  for (const rule of Object.keys(VALUES)) {
    test(`as ${rule} is replaced wherever the model can say it`, async () => {
      const [says, tells] = text(`before {${rule}} after`);
      const first = letters({ reasoning: says, content: says, calls: [{ id: fresh("call"), name: "look", args: JSON.stringify({ q: says }) }] });
      const { added, bytes, customer } = await told(worker, upstream, [first, letters({ content: says })]);
      assert.deepEqual(content(added).filter(Boolean), [tells]);
      assert.deepEqual(content(added, "reasoning"), [tells, tells], "thinking and narration");
      assert.deepEqual(JSON.parse(said(customer, "tool_args")), { q: tells });
      assertHidden(bytes);
    });
  }

  test("is replaced in a refusal", async () => {
    const [says, tells] = text(`I won't send {card}.`);
    const { added, bytes } = await told(worker, upstream, [letters({ refusal: says })]);
    assert.deepEqual(content(added), [tells]);
    assertHidden(bytes);
  });

  test("is the Worker's own key", async () => {
    const { added, bytes } = await told(worker, upstream, [letters({ content: `The key is ${KEY}, really.` })]);
    assert.deepEqual(content(added), [`The key is ${label("api_key")}, really.`]);
    assertHidden(bytes, [KEY]);
  });

  test("is a key even where the client runs the call, and personal data are what the call needs", async () => {
    const [says] = text(`{"to":"{email}","body":"{anthropic_key}"}`);
    const tools = [{ name: "send", description: "", parameters: { type: "object" } }];
    const calls = [{ id: fresh("call"), name: "send", args: says }];
    const { added, bytes } = await told(worker, upstream, [letters({ calls })], { params: { tools } });
    const [call] = added.flatMap(({ toolCalls }) => toolCalls ?? []);
    assert.deepEqual(JSON.parse(call.function.arguments), { to: VALUES.email, body: label("anthropic_key") });
    assertHidden(bytes, [VALUES.anthropic_key]);
  });

  test("is not in the names of tools and of models, nor in ids of calls", async () => {
    const key = VALUES.github_token;
    const first = letters({ model: `m-${key}`, calls: [{ id: key, name: `look_${key}`, args: "{}" }] });
    const { added, bytes, calls } = await told(worker, upstream, [first, letters({ content: "Fine." })]);
    assert.deepEqual(content(added).filter(Boolean), ["Fine."]);
    assertHidden(bytes);
    const { tool_calls } = calls[1].body.messages.find(({ tool_calls }) => tool_calls);
    assert.equal(tool_calls[0].function.name, `look_${key}`, "the model is told what it said");
  });

  test("is what the model is told that it said, in the calls that follow", async () => {
    const [says] = text(`One moment, {email}.`);
    const first = letters({ content: says, calls: [{ id: fresh("call"), name: "look", args: JSON.stringify({ says }) }] });
    const { calls } = await told(worker, upstream, [first, letters({ content: "Fine." })]);
    const message = calls[1].body.messages.find(({ tool_calls }) => tool_calls);
    assert.deepEqual([message.content, message.tool_calls[0].function.arguments], [says, JSON.stringify({ says })]);
  });

  test("of an attempt that failed is not made whole by the next one, nor shown by itself", async () => {
    const key = VALUES.anthropic_key;
    const half = (call) => call.writeAll([Buffer.concat(letters({ content: `Key: ${key.slice(0, 20)}` }).slice(0, -2))], 50).then(() => call.destroy());
    const { added, bytes, operator } = await told(worker, upstream, [half, letters({ content: `${key.slice(20)} it is.` })]);
    assert.deepEqual(content(added), [`${key.slice(20)} it is.`], "a half alone is no key");
    assert.ok(operator.some(({ type }) => type === "attempt_reset"));
    assertHidden(bytes, [key.slice(0, 20)]);
  });

  test("is not shown by a run that is cancelled, or whose stream dies, in the middle of it", async () => {
    const half = letters({ content: `Well. Key: ${VALUES.anthropic_key.slice(0, 20)}` }).slice(0, -2);
    const dies = async (call) => {
      await call.writeAll([Buffer.concat(half)], 50);
      call.destroy();
    };
    const died = await told(worker, upstream, [dies]);
    assert.equal(died.terminal.code, "upstream_unavailable");
    assert.match(said(died.operator, "intermediate"), /^(Well\. Key: ?){2}$/);
    assertHidden(died.bytes, [VALUES.anthropic_key.slice(0, 20)]);

    const run = fresh("run");
    const stops = async (call) => {
      await call.writeAll([Buffer.concat(half)], 50);
      await eventually(async () => JSON.stringify(await (await worker.events(run, { view: "operator" })).until(({ text }) => text.includes("Well."))) && true, "its words");
      await worker.cancel(run);
    };
    const cancelled = await told(worker, upstream, [stops], { params: { runId: run } });
    assert.equal(cancelled.record.status ?? "cancelled", "cancelled");
    assertHidden(cancelled.bytes, [VALUES.anthropic_key.slice(0, 20)]);
  });

  test("is counted in the log by its rule, without itself", async () => {
    const [says] = text(`{email} and {email} and {cpf}`);
    const { runId, bytes } = await told(worker, upstream, [letters({ content: says })]);
    const line = await eventually(() => worker.logs.find((line) => line.includes(`"${runId}"`)), "its line");
    assert.deepEqual(JSON.parse(line), { code: "redacted", run: runId, found: { email: 2, cpf: 1 } });
    assertHidden(bytes);
  });
});

describe("of an agent that speaks signals", { concurrency: 4 }, () => {
  const say = (signal) => Buffer.from(`data: ${JSON.stringify(signal)}\n\n`);
  const spelled = (type, words) => [...words].map((delta) => say({ type, delta }));
  const end = say({ type: "response_end" });

  test("a state says no value, neither in its texts nor in the names of its fields", async () => {
    const [says, tells] = text(EVERY);
    const [name, renamed] = text("for {email}");
    const snapshot = { text: says, list: [says, 7, null, true], deep: { [name]: { a: says } }, plain: "as it was" };
    const words = fresh("state");
    upstream.on(words, (call) => spell(call, [say({ type: "state", snapshot }), ...spelled("text", "Done."), end]));
    const [runId, thread] = [fresh("run"), fresh("thread")];
    const messages = [{ id: fresh("q"), role: "user", content: words }];
    const agent = agentFor(signals.url, { thread, messages, state: { mine: says } });
    const { events } = await runOracle(agent, { runId });
    const expected = { text: tells, list: [tells, 7, null, true], deep: { [renamed]: { a: tells } }, plain: "as it was" };
    assert.deepEqual(agent.state, expected);
    assert.deepEqual(events.filter(({ type }) => type === "STATE_SNAPSHOT").map(({ snapshot }) => snapshot), [expected]);
    const late = agentFor(signals.url, { thread, messages, via: byGet(signals.url, runId) });
    await runOracle(late, { runId });
    assert.deepEqual(late.state, expected);
    const operator = await signals.eventsOf(runId, "operator");
    assertHidden(JSON.stringify(operator) + JSON.stringify(await signals.eventsOf(runId)));
  });

  test("an answer that streams early streams without them, and no letter too early", async () => {
    const [says, tells] = text(`Write to {email} or to {anthropic_key} now.`);
    const frames = [say({ type: "item_start", phase: "final_answer" }), ...spelled("text", says), say({ type: "item_end" }), end];
    const { added, bytes, customer } = await told(signals, upstream, [frames], { bytes: true });
    assert.deepEqual(content(added), [tells]);
    assert.equal(said(customer, "content"), tells);
    assertHidden(bytes);
  });

  test("two messages and thinking between them have filters of their own", async () => {
    const half = (from, to) => spelled("text", VALUES.anthropic_key.slice(from, to));
    const item = () => say({ type: "item_start" });
    const frames = [item(), ...half(0, 12), say({ type: "item_end" }), ...spelled("reasoning", text("Is it {email}?")[0])];
    frames.push(item(), ...half(12, 60), say({ type: "item_end" }), end);
    const { added, bytes } = await told(signals, upstream, [frames]);
    const thought = content(added, "reasoning");
    assert.ok(thought.includes(text("Is it {email}?")[1]), "the thinking");
    assert.ok(thought.includes(VALUES.anthropic_key.slice(0, 12)), "half a key is no key, and ends with its message");
    assert.deepEqual(content(added), [VALUES.anthropic_key.slice(12)], "and its other half is none either");
    assertHidden(bytes, [VALUES.email]);
  });
});
