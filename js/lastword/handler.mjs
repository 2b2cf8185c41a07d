// The Worker's routes as one `fetch` function, over any store.

import { ofInstance, unlessLost } from "./alive.mjs";
import { unlessBroken } from "./broken.mjs";
import { core } from "./core.mjs";
import { LastwordError } from "./errors.mjs";
import { Handler } from "./lastword.js";
import { checked, settings, stays } from "./settings.mjs";
import { memory } from "./stores/memory.mjs";
import { called, formatOf } from "./upstream.mjs";

/** Options that are the Worker's variables as they are. */
const TEXTS = { apiKey: "API_KEY", tokenKey: "TOKEN_KEY", operatorToken: "OPERATOR_TOKEN", approvals: "APPROVALS" };

/**
 * Answers the routes of the Worker: AG-UI, OpenAI Responses, Chat Completions, Anthropic Messages, the AI SDK's chat and
 * the canonical wire. `upstream` is a model's address, or a function that is called in the place of one.
 */
export function createHandler(config = {}) {
  core();
  const { store = memory(), basePath = "" } = config;
  const vars = checked(variables(config, store));
  const handler = ofInstance(() => new Handler(store, vars, stays()));
  const base = basePath.replace(/\/+$/, "");
  return async function fetch(request, _env, context) {
    try {
      const own = typeof context?.waitUntil === "function" ? context : undefined;
      const response = await unlessLost(() => handler().fetch(under(base, request), own));
      return response.lastFrame === undefined ? response : unlessBroken(response, (read) => unlessLost(() => read));
    } catch {
      return lost();
    }
  };
}

/** What a client is told where the module can't say it: as by the module, with a reference that the log has too. */
function lost() {
  const [code, reference] = ["internal", crypto.randomUUID().replaceAll("-", "").slice(0, 12)];
  console.error(JSON.stringify({ code, reference }));
  return Response.json({ error: { code, message: "Something failed on our side.", reference } }, { status: 500 });
}

/** The Worker's variables. */
function variables(config, store) {
  const { upstream, from, tokens, origins, dev } = config;
  const vars = settings(config, store);
  const set = (name, value) => value !== undefined && value !== null && (vars[`LASTWORD_${name}`] = String(value));
  if (typeof upstream === "function") {
    vars.LASTWORD_GIVEN = called(upstream, from ?? "auto");
    set("UPSTREAM", "given");
    set("PROVIDER", formatOf(from ?? "auto"));
  } else if (upstream !== undefined) {
    set("UPSTREAM_URL", upstream);
    set("PROVIDER", from ?? "chat-completions");
  } else if (from !== undefined && from !== "replay") {
    throw new LastwordError("invalid_options", "upstream is missing: an address, or a function that is called for a response.");
  }
  for (const [option, name] of Object.entries(TEXTS)) set(name, config[option]);
  set("TOKENS", tokens && typeof tokens === "object" ? Object.entries(tokens).map(([scope, hash]) => `${scope}=${hash}`).join(",") : tokens);
  set("ORIGINS", Array.isArray(origins) ? origins.join(",") : origins);
  set("HEARTBEAT", config.heartbeat === undefined ? undefined : config.heartbeat / 1000);
  set("DEV", dev === true ? "1" : undefined);
  return vars;
}

/** The request as it is below the path under which the handler is mounted. */
function under(base, request) {
  if (!base) return request;
  const url = new URL(request.url);
  if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return request;
  url.pathname = url.pathname.slice(base.length) || "/";
  return new Request(url, request);
}
