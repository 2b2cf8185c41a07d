// What `LASTWORD_REDACT` may say: block, dry run, styles, values and patterns of one's own, off, and what it may not.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { eventually } from "./lib/http.mjs";
import { agentWithHistory, runOracle } from "./lib/oracle.mjs";
import { assertHidden, label, letters, said, text, told, VALUES } from "./lib/redact.mjs";
import { KEY, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, sharedWorker, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const vars = (settings, more = {}) =>
  upstreamVars(upstream, {
    LASTWORD_REDACT: typeof settings === "string" ? settings : JSON.stringify(settings),
    LASTWORD_PUBLIC: "intermediate=true,thinking=true,tools=true",
    ...more,
  });
const content = (added, role = "assistant") => added.filter((message) => message.role === role).map(({ content }) => content);

describe("a filter that blocks", { concurrency: 4 }, () => {
  const worker = sharedWorker(vars({ mode: "block" }));
  const early = sharedWorker(vars({ mode: "block" }, { LASTWORD_PROVIDER: "signals", LASTWORD_EARLY: "final_answer" }));

  test("ends the run whose answer has a value, and publishes nothing", async () => {
    const [says] = text("Fine. Write to {email} now. And more.");
    for (const response of [letters({ content: says }), letters({ refusal: says }), letters({ content: VALUES.email })]) {
      const { added, terminal, record, customer, operator, bytes } = await told(worker, upstream, [response]);
      assert.deepEqual([added, terminal.type, terminal.code], [[], "RUN_ERROR", "output_blocked"]);
      assert.deepEqual([record.status, record.failure.code], ["failed", "output_blocked"]);
      assert.ok(customer.every(({ type }) => !type.startsWith("content")));
      assert.ok("Fine. Write to ".startsWith(said(operator, "intermediate")), "what came before it is the operator's");
      assert.doesNotMatch(bytes, /And more/, "what came behind it is nobody's");
      assertHidden(bytes);
    }
  });

  test("ends the run that would hand a key to the client", async () => {
    const calls = [{ id: fresh("call"), name: "send", args: JSON.stringify({ body: VALUES.aws_key }) }];
    const tools = [{ name: "send", description: "", parameters: { type: "object" } }];
    const { added, terminal, bytes } = await told(worker, upstream, [letters({ calls })], { params: { tools } });
    assert.deepEqual([added, terminal.code], [[], "output_blocked"]);
    assertHidden(bytes);
  });

  test("cuts narration, thinking and arguments off, and the turn goes on", async () => {
    const [says] = text("Before {cpf} behind.");
    const first = letters({ reasoning: says, content: says, calls: [{ id: fresh("call"), name: "look", args: JSON.stringify({ q: says }) }] });
    const { added, bytes } = await told(worker, upstream, [first, letters({ reasoning: "Hm.", content: "Fine." })]);
    assert.deepEqual(content(added).filter(Boolean), ["Fine."]);
    assert.deepEqual(content(added, "reasoning"), ["Before ", "Before ", "Hm."]);
    assert.doesNotMatch(bytes, /behind/);
    assertHidden(bytes);
  });

  test("withdraws an answer that streams early", async () => {
    const say = (signal) => Buffer.from(`data: ${JSON.stringify(signal)}\n\n`);
    const words = [...text("It is {email} here.")[0]].map((delta) => say({ type: "text", delta }));
    const frames = [say({ type: "item_start", phase: "final_answer" }), ...words, say({ type: "item_end" }), say({ type: "response_end" })];
    const { added, terminal, record, customer, bytes } = await told(early, upstream, [frames]);
    assert.deepEqual([content(added), terminal.code], [["It is "], "output_blocked"]);
    assert.equal(record.withdrawn, added[0].id);
    const kinds = customer.map(({ type }) => type).filter((type) => type !== "content");
    assert.deepEqual(kinds, ["task_started", "content_start", "content_end", "content_withdrawn", "task_failed"]);
    assertHidden(bytes);
  });
});

describe("settings", { concurrency: 4 }, () => {
  const own = sharedWorker(
    vars(
      {
        rules: { all: false, secrets: true, email: true },
        values: [{ name: "db", env: "DB_PASSWORD" }],
        blocklist: ["Projekt Ölberg"],
        patterns: [{ name: "order", pattern: "ORD-[0-9]{6}", style: "lastFour" }],
        style: { default: "label", email: { fixed: "<mail>" }, github_token: "same_length" },
      },
      { DB_PASSWORD: "correct horse battery" },
    ),
  );
  const dry = sharedWorker(vars({ mode: "dry_run" }));
  const off = sharedWorker(vars("off"));

  test("switch rules, and add values, terms, patterns and styles", async () => {
    const [says] = text("{email} {github_token} {cpf} correct horse battery, PROJEKT ÖLBERG: ORD-123456.");
    const { added, bytes } = await told(own, upstream, [letters({ content: says })]);
    const stars = "*".repeat(VALUES.github_token.length);
    const tells = `<mail> ${stars} ${VALUES.cpf} ${label("db")}, ${label("blocklist")}: ***-**3456.`;
    assert.deepEqual(content(added).map((text) => text.replace(/\*+3456/, "**3456")), [tells]);
    assertHidden(bytes, [VALUES.email, VALUES.github_token, "correct horse battery"]);
  });

  test("may ask for a dry run, which counts and changes nothing", async () => {
    const [says] = text("{email} {aws_key}");
    const { added, runId } = await told(dry, upstream, [letters({ content: says })]);
    assert.deepEqual(content(added), [says]);
    const line = await eventually(() => dry.logs.find((line) => line.includes(`"${runId}"`)), "its line");
    assert.deepEqual(JSON.parse(line).found, { email: 1, aws_key: 1 });
  });

  test("may switch it off, the Worker's own secrets too", async () => {
    const says = `${text("{email} {aws_key} {cpf}")[0]} \u200b ${KEY}`;
    const { added } = await told(off, upstream, [letters({ content: says, reasoning: says })]);
    assert.deepEqual([content(added), content(added, "reasoning")], [[says], [says]]);
  });

  for (const [settings, where] of [
    ["{", "Line 1, column 1"],
    ["yes", "Line 1, column 1"],
    [{ ruels: {} }, "ruels"],
    [{ rules: { emial: true } }, "no rule and no group `emial`"],
    [{ patterns: [{ name: "a", pattern: "(" }] }, "patterns[0]"],
    [{ patterns: [{ name: "a", pattern: "b", style: "bold" }] }, "patterns[0].style"],
    [{ values: [{ name: "db", env: "NO_SUCH" }] }, "values[0].env"],
    [{ values: ["hunter2", "x"] }, "values[1]"],
  ]) {
    test(`that are wrong stop the Worker and say where: ${where}`, async (t) => {
      const folder = await stateFolder();
      const worker = await new Worker().start(vars(settings), folder);
      t.after(() => worker.stop().then(() => removeFolder(folder)));
      const refused = await (await worker.post(runInput())).end();
      const { error } = JSON.parse(refused.text);
      assert.deepEqual([refused.status, error.code], [503, "not_configured"]);
      assert.ok(error.message.includes("LASTWORD_REDACT: ") && error.message.includes(where), error.message);
      assert.ok(!(error.message + worker.logs.join()).includes("hunter2"));
      const health = await fetch(`${worker.url}/health`);
      assert.equal(health.status, 503, "nobody is served");
    });
  }
});

test("a run that began before a change of the settings is read as it was told", async (t) => {
  const folder = await stateFolder();
  const before = await new Worker().start(vars("off"), folder);
  const first = await told(before, upstream, [letters({ content: text("{email}")[0] })]);
  await before.kill();
  const worker = await new Worker().start(vars("on"), folder);
  t.after(() => worker.stop().then(() => removeFolder(folder)));
  const agent = agentWithHistory(worker.url, { via: ({ init }) => ({ url: `${worker.url}/agui/runs/${first.runId}`, init: { headers: { accept: "text/event-stream" }, signal: init.signal } }) });
  agent.threadId = first.events[0].threadId;
  const { transcript } = await runOracle(agent, { runId: first.runId });
  assert.equal(transcript.at(-1).content, VALUES.email, "a rule does not reach what was written without it");
});
