// Runs with all kinds of readers, on Workers that are killed again and again; and what came of it.

import { setTimeout as sleep } from "node:timers/promises";
import { eventually, pool } from "../http.mjs";
import { startUpstream } from "../upstream.mjs";
import { removeFolder, stateFolder } from "../worker.mjs";
import { Audit } from "./audit.mjs";
import { Host } from "./host.mjs";
import { Random } from "./random.mjs";
import { Scenarios } from "./scenarios.mjs";

/** Seconds. */
const LEASE = 2;

/**
 * Plays at least `runs` runs, `width` threads at a time (up to the first kill `first`), while both Workers are killed
 * `times` times at moments that `seed` gives. State is in `folder`. Then all stands still, the alarms alone look after what nobody asks for, and
 * every reader's stream is held against the record.
 *
 * Returns the `Audit`, with `runs`, `kills`, and `underWay`, how many runs were under way at each kill.
 */
export async function soak({ runs, width, first = width, times, seed, folder, say = () => {} }) {
  const kills = { done: 0, all: times };
  const random = new Random(seed);
  const upstream = await startUpstream();
  const vars = { LASTWORD_LEASE: String(LEASE), LASTWORD_HEARTBEAT: "1" };
  const signals = { LASTWORD_PROVIDER: "signals", LASTWORD_UPSTREAM_URL: `${upstream.url}/agent`, LASTWORD_EARLY: "final_answer" };
  const folders = folder ? [`${folder}/agents`, `${folder}/tapes`] : [await stateFolder(), await stateFolder()];
  const agents = new Host({ ...vars, ...signals }, folders[0]);
  const tapes = new Host(vars, folders[1]);
  const both = (act) => Promise.all([agents, tapes].map(act));
  await both((host) => host.start());
  const scenarios = new Scenarios({ random, agents, tapes, upstream });
  const audit = new Audit();
  try {
    const underWay = [];
    /** Enough runs for the next kill, and about as many under way as there are lanes. */
    const isTime = (most) => {
      const { started, underWay } = scenarios;
      return started >= ((kills.done + 1) * runs) / (kills.all + 1) && underWay >= 0.9 * most;
    };
    const killing = (async () => {
      for (let most = first; kills.done < kills.all; most = width) {
        while (!isTime(most)) await sleep(5);
        await sleep(random.between(0, 700));
        underWay.push(scenarios.underWay);
        say(`kill ${kills.done + 1}: ${scenarios.started} runs begun, ${underWay.at(-1)} under way`);
        await both((host) => host.kill());
        kills.done += 1;
      }
    })();
    const isDone = () => kills.done === kills.all && scenarios.runs.length >= runs;
    const lanes = Array.from({ length: first }, async (_, lane) => {
      while (!isDone() && (lane < width || kills.done === 0)) await scenarios.play();
    });
    await Promise.all([killing, ...lanes]);
    say(`all ${scenarios.runs.length} runs were read to their end; now some that nobody looks after`);
    await orphans({ scenarios, agents, tapes, both, audit, folders });
    say("auditing");
    await pool(scenarios.runs, 4, (played) => audit.run(played));
    await pool(scenarios.followers, 4, (follower) => audit.follower(follower, scenarios.runs.length));
    for (const refusal of scenarios.refusals) audit.notes.push(refusal);
    return Object.assign(audit, { runs: scenarios.runs.length, kills: agents.kills + tapes.kills, underWay, refusals: scenarios.refusals.length });
  } finally {
    await both((host) => host.stop());
    await upstream.stop();
    if (!folder) await Promise.all(folders.map(removeFolder));
  }
}

/** Runs under way that nobody asks for after a kill: their alarms alone must end them, and all that were left before. */
async function orphans({ scenarios, agents, tapes, both, audit, folders }) {
  const abandoned = await scenarios.abandoned(10);
  await both((host) => host.kill());
  const told = () => agents.worker.logs.filter((line) => line.includes("worker_lost")).length;
  await eventually(() => told() >= abandoned.length, "the alarms of the runs that were abandoned");
  await sleep(LEASE * 1000);
  await both((host) => host.stop());
  audit.onDisk = folders.reduce((sum, folder) => sum + audit.disk(folder), 0);
  await both((host) => host.start());
}
