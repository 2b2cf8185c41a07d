"use client";

import * as lastword from "lastword";
import { useEffect } from "react";
import { before, scenario } from "../scenario.mjs";

async function run() {
  const early = before(lastword);
  await lastword.init();
  return { early, ...(await scenario(lastword)) };
}

export default function Page() {
  useEffect(() => void (globalThis.result ??= run()), []);
  return <p>page</p>;
}
