// A store of its own on data that others have open too.

import { createClient } from "redis";
import { fileSystem, redis, sqlite } from "../../../build/js/stores/node.mjs";

/** What ends what was opened. */
const closers = [];
export const close = () => Promise.all(closers.splice(0).map((end) => end()));

const kinds = {
  async redis(url) {
    const client = createClient({ url });
    client.on("error", () => {});
    await client.connect();
    closers.push(() => client.destroy());
    return redis(client);
  },
  sqlite: async (path) => sqlite(path),
  files: async (folder) => fileSystem(folder),
};

export const open = (kind, place) => kinds[kind](place);
