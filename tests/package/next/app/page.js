"use client";

import { useEffect } from "react";

export default function Page() {
  useEffect(() => void import("../page.mjs"), []);
  return <p>page</p>;
}
