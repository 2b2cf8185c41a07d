// `respond` and `createHandler` in Node, as they are built.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as lastword from "../../build/js/node.mjs";
import { expected, run } from "../package/scenario/respond.mjs";

const result = await run(lastword);
for (const [name, value] of Object.entries(expected)) test(name, () => assert.deepEqual(result[name], value));
