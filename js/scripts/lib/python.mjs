// The Python clients that tests drive, in an environment of their own. Runs on Node 20 and uses no package.

import { readFileSync, rmSync } from "node:fs";
import { inside } from "./paths.mjs";
import { capture, has, step } from "./run.mjs";
import { once } from "./setup.mjs";

const HOME = inside("target/python");
const REQUIREMENTS = inside("tests/clients/requirements.txt");

/** Python with its clients, put there once. Returns why it is missing, if it is. */
export async function python() {
  if (!(await hasVenv())) {
    if (!(await has("apt-get"))) return { missing: "python3 with venv: install it, this machine has no apt-get" };
    await step("Python, by apt-get", apt);
    if (!(await hasVenv())) return { missing: "python3 and python3-venv: apt-get could not install them (target/logs/apt-python.log)" };
  }
  try {
    await once(`${HOME}/lastword-stamp`, readFileSync(REQUIREMENTS, "utf8"), () => step("the Python clients, from PyPI", install));
  } catch (error) {
    return { missing: `the Python clients\n${error.message}` };
  }
  return {};
}

async function hasVenv() {
  if (!(await has("python3"))) return false;
  const { code } = await capture("python3", ["-c", "import ensurepip, venv"], { log: "python-venv" });
  return code === 0;
}

async function apt() {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await capture("apt-get", ["update", "-qq"], { log: "apt-update", env });
  await capture("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "python3", "python3-venv"], { log: "apt-python", env });
}

async function install() {
  rmSync(HOME, { recursive: true, force: true });
  await finished("python3", ["-m", "venv", HOME]);
  await finished(`${HOME}/bin/pip`, ["install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]);
}

async function finished(program, args) {
  const { code, output } = await capture(program, args, { log: "python-clients" });
  if (code !== 0) throw new Error(output.slice(-500));
}
