// What the Rust model of AG-UI writes, held against the schemas that the official packages carry. The lines are those
// of snapshots that the native tests keep current.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EventSchemas as OlderSchemas } from "ag-ui-client-059";
import { EventSchema } from "@ag-ui/core/schemas";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { cannedAgent } from "./lib/canned.mjs";
import { VERSIONS } from "./lib/oracle.mjs";
import { assertEvent, EVENT_TYPES, faults, neverWritten } from "./lib/schema.mjs";
import { readSse } from "./lib/sse.mjs";

/** The events of a snapshot file: its lines that are JSON. */
function events(name) {
  const text = readFileSync(inside(`tests/wire/snapshots/wire__${name}.snap`), "utf8");
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  assert.ok(lines.length > 0, name);
  return lines.map((line) => JSON.parse(line));
}

const MODEL = ["every_type_of_the_protocol", "every_type_with_empty_strings", "every_type_with_the_characters_that_break_lines"];

for (const name of MODEL) {
  test(`${name.replaceAll("_", " ")} is by the schema of 1.0`, () => {
    const all = events(`model__${name}`);
    for (const event of all) assertEvent(event);
    assert.deepEqual(new Set(all.map(({ type }) => type)), new Set(EVENT_TYPES), "all 31 types");
  });
}

test("every field that the schema names is modelled", () => {
  assert.deepEqual(neverWritten(events("model__every_type_of_the_protocol")), []);
});

test("a type's bare form has its required fields and no other", () => {
  const all = events("model__every_type_of_the_protocol");
  for (const option of EventSchema.options) {
    const [[, type], ...shape] = Object.entries(option.shape).toSorted(([a]) => (a === "type" ? -1 : 0));
    const required = shape.filter(([, member]) => !member.safeParse(undefined).success).map(([key]) => key);
    const bare = all.filter((event) => event.type === type.value).toSorted((a, b) => size(a) - size(b))[0];
    // A result's role is always said, as a tool's message has it.
    const always = type.value === "TOOL_CALL_RESULT" ? ["role"] : [];
    assert.deepEqual(new Set(Object.keys(bare)), new Set(["type", ...required, ...always]), type.value);
  }
});

const size = (event) => Object.keys(event).length;

const SENT = [
  "snapshots__every_event_on_agui_for_a_client_of_1_0",
  "snapshots__every_event_on_agui_for_an_older_client",
  "snapshots__the_prelude_at_every_cut_of_a_run",
];

test("what a run is sent as is by the schema of 1.0", () => {
  for (const event of SENT.flatMap(events)) assertEvent(event);
});

test("what an older client is sent is by the schema of 0.0.59", () => {
  for (const event of events("snapshots__every_event_on_agui_for_an_older_client")) {
    const { error } = OlderSchemas.safeParse(event);
    assert.equal(error, undefined, JSON.stringify(event));
  }
});

const FAULTS = {
  "a null in an optional field": { type: "RUN_STARTED", threadId: "t", runId: "r", parentRunId: null },
  "a field without a name": { type: "RUN_STARTED", threadId: "t", runId: "r", seq: 1 },
  "a field without a name, deep inside": { type: "MESSAGES_SNAPSHOT", messages: [{ id: "a", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "", more: 1 } }] }] },
  "a missing field": { type: "CUSTOM", name: "n" },
  "a time that is no integer": { type: "TEXT_MESSAGE_END", messageId: "m", timestamp: 1.5 },
  "a type that 1.0 has not": { type: "THINKING_START" },
  "an interrupt that asks nothing": { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts: [] } },
  "more in a cancelled outcome": { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled", reason: "x" } },
};

for (const [name, event] of Object.entries(FAULTS)) {
  test(`the check finds ${name}`, () => assert.ok(faults(event)));
}

const stream = (...events) => Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

test("every frame that a test reads is held to it", () => {
  for (const event of Object.values(FAULTS)) assert.throws(() => readSse(stream(event)), { code: "ERR_ASSERTION" });
});

for (const version of VERSIONS) {
  test(`so is every frame that client ${version} is sent`, async () => {
    const agent = cannedAgent(version, { threadId: "t", messages: [] });
    const sent = async (event) => {
      agent.give(stream(event));
      return (await agent.fetch("http://canned.invalid", {})).text();
    };
    await sent({ type: "STATE_SNAPSHOT", snapshot: 1 });
    for (const event of Object.values(FAULTS)) await assert.rejects(sent(event), { code: "ERR_ASSERTION" });
  });
}
