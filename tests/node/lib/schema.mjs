// AG-UI 1.0's own schema, as the official packages carry it, made strict: what they would strip with a warning is an
// error here.

import assert from "node:assert/strict";
import { EventSchema } from "@ag-ui/core/schemas";
import { z } from "zod/v4";

/** The same schema without room for fields that it does not name. A JSON Patch operation may have more, by its RFC. */
function strict(schema) {
  const { def } = schema;
  if (schema.meta()?.specOpen) return schema;
  switch (def.type) {
    case "object":
      return z.strictObject(Object.fromEntries(Object.entries(def.shape).map(([key, value]) => [key, strict(value)])));
    case "union": {
      const options = def.options.map(strict);
      return def.discriminator ? z.discriminatedUnion(def.discriminator, options) : z.union(options);
    }
    case "array":
      return z.array(strict(def.element));
    case "optional":
      return strict(def.innerType).optional();
    case "default":
      return strict(def.innerType).optional();
    default:
      return schema;
  }
}

const StrictEvent = strict(EventSchema);

/** Every event type of 1.0. */
export const EVENT_TYPES = EventSchema.options.map((option) => option.shape.type.value);

/** What is wrong with an event by the schema, or nothing. */
export function faults(event) {
  for (const schema of [EventSchema, StrictEvent]) {
    const { error } = schema.safeParse(event);
    if (error) return z.prettifyError(error);
  }
  return undefined;
}

/** Asserts that this is an event of AG-UI 1.0, with every required field and no other than the schema names. */
export function assertEvent(event) {
  const fault = faults(event);
  assert.equal(fault, undefined, `${fault} in ${JSON.stringify(event).slice(0, 500)}`);
}

/**
 * The fields that the schema names and none of these events has, as `path.field`. A type or a field that nobody writes
 * shows up here.
 */
export function neverWritten(events) {
  const seen = new Map();
  for (const event of events) note(EventSchema, event, seen);
  const missing = new Set();
  visit(EventSchema, "", (schema, path) => {
    for (const key of Object.keys(schema.def.shape)) if (!seen.get(schema)?.has(key)) missing.add(`${path}.${key}`);
  });
  return [...missing];
}

/** Notes which fields of which objects of the schema a value has. */
function note(schema, value, seen) {
  const { def } = schema;
  if (value === undefined) return;
  if (def.innerType) note(def.innerType, value, seen);
  if (def.type === "pipe") note(def.in, value, seen);
  if (def.type === "array" && Array.isArray(value)) for (const item of value) note(def.element, item, seen);
  if (def.type === "union") for (const option of def.options.filter((one) => one.safeParse(value).success)) note(option, value, seen);
  if (def.type !== "object") return;
  if (!seen.has(schema)) seen.set(schema, new Set());
  for (const [key, member] of Object.entries(def.shape)) {
    if (!(key in value)) continue;
    seen.get(schema).add(key);
    note(member, value[key], seen);
  }
}

/** Visits every object of the schema once. */
function visit(schema, path, take, known = new Set()) {
  const { def } = schema;
  if (known.has(schema)) return;
  known.add(schema);
  for (const inner of [def.innerType, def.in, def.element, ...(def.options ?? [])]) if (inner) visit(inner, path, take, known);
  if (def.type !== "object") return;
  const name = `${path}${path && "/"}${[def.shape.type, def.shape.role, def.shape.op].find((one) => one?.def.type === "literal")?.value ?? ""}`;
  take(schema, name);
  for (const [key, member] of Object.entries(def.shape)) visit(member, `${name}.${key}`, take, known);
}
