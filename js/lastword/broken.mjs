// The last link of a stream's way out: what it says when the rest of the way is lost.

/**
 * What a response says should its way break off. One that is no stream of events names no types in `ends`: it is one JSON
 * document with white space before it, and says its `lastFrame` unless some of the document has come. `settled` is given
 * each read that is under way.
 */
export function unlessBroken(response, settled = (read) => read) {
  const reader = response.body.getReader();
  const source = { read: () => settled(reader.read()), cancel: (reason) => reader.cancel(reason) };
  return response.ends === "" ? wholeDocument(response, source) : wholeFrames(response, source);
}

function wholeDocument(response, source) {
  let begun = false;
  const pull = async (controller) => {
    try {
      const { done, value } = await source.read();
      if (done) return controller.close();
      begun ||= value.some((byte) => byte !== 32);
      controller.enqueue(value);
    } catch (error) {
      if (begun) return controller.error(error);
      controller.enqueue(new TextEncoder().encode(response.lastFrame));
      controller.close();
    }
  };
  return new Response(new ReadableStream({ pull, cancel: (reason) => source.cancel(reason) }, { highWaterMark: 0 }), response);
}

/**
 * A stream of events comes from an object that may be lost while it writes: by a trap, or because the platform moves
 * or ends it. What says so on the stream's own wire is `lastFrame`, since nobody else is left to say it; unless a frame
 * of one of the types `ends` has come, behind which there is nothing to say.
 */
function wholeFrames(response, source) {
  /** The beginning of a frame that has not come whole: it is not sent before the rest. */
  let held = [];
  /** The chunk of whole frames that was sent last. */
  let sent = new Uint8Array();
  const next = async () => {
    const { done, value } = await source.read();
    if (done && held.length > 0) throw new Error("the stream ended inside a frame");
    return done ? undefined : value;
  };
  const body = new ReadableStream(
    {
      async pull(controller) {
        try {
          for (let chunk = await next(); chunk; chunk = await next()) {
            const end = endOfFrames(chunk, held.at(-1)?.at(-1));
            const whole = chunk.subarray(0, end);
            if (end > 0) sent = held.length > 0 ? await joined([...held.splice(0), whole]) : whole;
            if (end < chunk.length) held.push(chunk.subarray(end));
            if (end > 0) return controller.enqueue(sent);
          }
        } catch {
          const failed = new TextEncoder().encode(response.lastFrame);
          if (!response.ends.split(",").includes(lastType(sent))) controller.enqueue(failed);
        }
        controller.close();
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

const joined = async (parts) => new Uint8Array(await new Blob(parts).arrayBuffer());

/** The type of the last of some frames. An error has none on some wires, and an end mark is no JSON. */
function lastType(frames) {
  const last = new TextDecoder().decode(frames).split("\n\n").at(-2);
  const [, type, error, mark] = last?.match(/^data: (?:\{"(?:type":"([^"]*)|(error)":)|(\[DONE\]))/m) ?? [];
  return type ?? error ?? mark;
}

/** Where the last frame that is whole ends in a chunk that comes after the byte `before`; 0 if none does. */
function endOfFrames(chunk, before) {
  for (let at = chunk.length; at >= 2; at = chunk.lastIndexOf(10, at - 2) + 1) {
    if (chunk[at - 1] === 10 && chunk[at - 2] === 10) return at;
  }
  return chunk[0] === 10 && before === 10 ? 1 : 0;
}
