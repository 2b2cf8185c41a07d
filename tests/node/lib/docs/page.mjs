// A page of the documentation: its snippets, and which of them have been tried.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inside } from "../../../../js/scripts/lib/paths.mjs";

/** Languages of snippets that are files. The line before says the name: "`server.mjs`:". */
const FILES = ["js", "jsx", "ts", "json", "html", "toml"];

export class Page {
  /** The files of its snippets, by name. */
  files = new Map();
  /** The commands of its `sh` snippets, in order. */
  commands = [];
  /** What it says that the command before writes: `text` snippets, whose `…` stands for anything. */
  outputs = [];
  #untried = new Set();

  constructor(path) {
    this.path = path;
    const text = readFileSync(inside(path), "utf8");
    for (const { 1: language, 2: body, index } of text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)) {
      this.#take(language, body, text.slice(0, index).trimEnd().split("\n").at(-1));
    }
    assert.equal(text.match(/^ *```/gm)?.length ?? 0, 2 * [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].length, `${path} has fences of another kind`);
  }

  #take(language, body, before) {
    if (FILES.includes(language)) {
      const [, name] = before.match(/`([^`\s]+)`:$/) ?? [];
      assert.ok(name, `${this.path}: nothing names the file that begins with ${body.split("\n")[0]}`);
      assert.ok(!this.files.has(name), `${this.path}: there are two files ${name}`);
      this.files.set(name, body);
      this.#untried.add(name);
    } else if (language === "sh") {
      for (const command of commandsIn(body)) {
        this.commands.push(command);
        this.#untried.add(command);
      }
    } else {
      assert.equal(language, "text", `${this.path}: a snippet is one of ${[...FILES, "sh", "text"].join(", ")}`);
      this.outputs.push({ after: this.commands.at(-1), text: body });
      this.#untried.add(body);
    }
  }

  /** The text of a file, which counts as tried. */
  file(name) {
    assert.ok(this.files.has(name), `${this.path} has no file ${name}`);
    this.#untried.delete(name);
    return this.files.get(name);
  }

  /** The command that is this text, or the one that holds it; it counts as tried. */
  command(part) {
    const whole = this.commands.filter((one) => one === part);
    const [command, ...more] = whole.length > 0 ? whole : this.commands.filter((one) => one.includes(part));
    assert.ok(command && more.length === 0, `${this.path} has not one command with ${part}`);
    this.#untried.delete(command);
    return command;
  }

  /** Asserts that a command has written what the page shows behind it, if it shows something. */
  assertShown(command, written) {
    for (const { text } of this.outputs.filter(({ after }) => after === command)) {
      const pattern = text.trim().split("…").map((part) => RegExp.escape(part)).join("[^]*?");
      assert.match(written.trim(), new RegExp(`^${pattern}$`), `${this.path}: what is shown behind ${command}`);
      this.#untried.delete(text);
    }
  }

  /** What of it nothing has tried. */
  get untried() {
    return [...this.#untried];
  }
}

/** The commands of a snippet: a line each, or more where a quote is open or a backslash ends the line. */
function commandsIn(body) {
  const commands = [];
  let open = "";
  for (const line of body.trimEnd().split("\n")) {
    open += open ? `\n${line}` : line;
    if (line.endsWith("\\") || open.split("'").length % 2 === 0) continue;
    commands.push(open.replace(/\s+# .*$/, ""));
    open = "";
  }
  assert.equal(open, "", "a command that does not end");
  return commands.filter((command) => !command.startsWith("#"));
}
