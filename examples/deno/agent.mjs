// What is asked: a model whose address stands in the environment, or an agent that only pretends.

export async function* ask(question, { UPSTREAM_URL, UPSTREAM_MODEL: model, UPSTREAM_KEY }) {
  console.log("asked"); // Once a run, however often it is sent.
  if (!UPSTREAM_URL) return yield* pretend(question);
  const headers = { "content-type": "application/json", authorization: `Bearer ${UPSTREAM_KEY}` };
  const body = JSON.stringify({ model, messages: [{ role: "user", content: question }], stream: true });
  const answer = await fetch(`${UPSTREAM_URL}/chat/completions`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`The model has answered ${answer.status}.`);
  yield* answer.body;
}

async function* pretend(question) {
  yield { type: "text", delta: "Let me look at the order." };
  yield { type: "provider_tool", name: "orders" };
  for (const delta of ["You ask: ", question, " Your parcel comes on Friday."]) {
    await new Promise((done) => setTimeout(done, 50));
    yield { type: "text", delta };
  }
  yield { type: "response_end" };
}
