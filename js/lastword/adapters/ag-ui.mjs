// AG-UI events, as an agent's `run()` gives them. They are sent on as they are: the core reads them as it does those that
// come as bytes, with the same meanings and bounds. An event without a type is `upstream_malformed`; a stream that throws
// ends as with `RUN_ERROR`.

import { typeOf } from "./teller.mjs";

export const format = "ag-ui";

export const reader = () => new Events();

class Events {
  #isOver = false;

  push(event) {
    if (this.#isOver) return [];
    const type = typeOf(event);
    this.#isOver = type === "RUN_FINISHED" || type === "RUN_ERROR";
    // What an event was made from is not read, and may be no JSON.
    const { rawEvent, ...rest } = event;
    return [rest];
  }

  end() {
    this.#isOver = true;
    return [];
  }

  fail() {
    return this.#isOver ? [] : this.push({ type: "RUN_ERROR", message: "" });
  }
}
