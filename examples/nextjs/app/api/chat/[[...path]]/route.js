// What `useChat` posts to, resumes from and loads its messages from.

import { createHandler } from "lastword";
import { fileSystem } from "lastword/stores/node";

export const dynamic = "force-dynamic";

const { UPSTREAM_URL: upstream, UPSTREAM_MODEL: model, UPSTREAM_KEY: apiKey } = process.env;
const handle = createHandler({ store: fileSystem("runs"), upstream, model, apiKey, dev: true });

export { handle as GET, handle as POST };
