// A process that begins a run on a store and is killed: `node child.mjs <module> <kind> <place> <thread> <run>`.

const [, , module, kind, place, thread, run] = process.argv;
const { open } = await import("./open.mjs");
const lastword = await import(module);
const { begin } = await import("../../package/scenario/once.mjs");
await begin(lastword, await open(kind, place), { thread, run });
console.log("begun");
setInterval(() => {}, 1000);
