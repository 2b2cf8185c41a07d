// The examples that are pages, in a real browser: a question is typed, and the answer alone is seen.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { hasBrowser, startBrowser } from "./lib/browser.mjs";
import { example } from "./lib/examples.mjs";
import { recording } from "./lib/recordings.mjs";

const { answer, narration } = recording("narrated-refund");
const skip = (await hasBrowser()) ? false : "there is no chromedriver";

/** In the page: types a question, sends it, and gives the page's text once the answer stands in it. */
async function ask(field, send, question, answer) {
  const until = async (found) => {
    while (!found()) await new Promise((done) => setTimeout(done, 20));
    return found();
  };
  const seen = [];
  new MutationObserver(() => seen.push(document.body.innerText)).observe(document.body, { subtree: true, childList: true, characterData: true });
  const input = await until(() => document.querySelector(field));
  // As React hears it of somebody who types.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value").set.call(input, question);
  input.dispatchEvent(new Event("input", { bubbles: true }));
  (await until(() => document.querySelector(`${send}:not([disabled])`))).click();
  const flat = () => document.body.innerText.replace(/\s+/g, " ");
  await until(() => flat().includes(answer) && flat().includes(question));
  return seen.join("\n");
}

/** In the page: its text once the answer stands in it. */
async function look(answer) {
  while (!document.body.innerText.replace(/\s+/g, " ").includes(answer)) await new Promise((done) => setTimeout(done, 20));
  return document.body.innerText;
}

function page(name, { field, send, prepare = () => {}, within, keeps = true }) {
  describe(`the example ${name}`, { skip }, () => {
    let given, server, browser;
    before(async () => {
      given = await example(name, { within });
      prepare(given.folder);
      await given.build();
      server = await given.start();
      browser = await startBrowser();
    });
    after(async () => {
      await browser?.stop();
      await given?.leave();
    });

    test("shows the answer and never the narration", async () => {
      const { value, error } = await browser.run(server.origin, ask, field, send, "Where is my refund?", answer);
      assert.equal(error, undefined, server.said());
      for (const word of narration) assert.ok(!value.includes(word), word);
    });

    if (!keeps) return;
    test("shows what was said to whoever opens it again", async () => {
      const { value, error } = await browser.run(server.origin, look, answer);
      assert.equal(error, undefined, server.said());
      assert.match(value, /Where is my refund\?/);
    });
  });
}

page("browser-ai-sdk", { field: "input", send: "button" });
page("browser-copilotkit", { field: "textarea", send: "[data-testid=copilot-send-button]", keeps: false });

/** Turbopack follows no link that leads out of its root. */
const config = (folder) => writeFileSync(join(folder, "next.config.mjs"), `export default { turbopack: { root: ${JSON.stringify(inside("."))} } };\n`);
page("nextjs", { field: "input", send: "button", prepare: config, within: inside("target") });
