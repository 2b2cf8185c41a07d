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
