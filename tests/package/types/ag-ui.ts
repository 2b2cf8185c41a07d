// What AG-UI's own types say is what the package takes, where the two speak of the same: this is compiled, not run.

import type { AGUIEvent, Interrupt as AguiInterrupt, RunAgentInput } from "@ag-ui/core";
import { RunRecord, respond } from "lastword";
import type { Interrupt, StartOptions } from "lastword";

declare const input: RunAgentInput;
declare const events: AsyncIterable<AGUIEvent>;
declare const asked: AguiInterrupt;

const start: Pick<StartOptions, "input" | "thread" | "run"> = { input, thread: input.threadId, run: input.runId };
const interrupt: Interrupt = { id: asked.id, reason: asked.reason };

console.log(start, interrupt, RunRecord, respond(events, { from: "ag-ui", to: "ag-ui", thread: input.threadId, run: input.runId }).response);
