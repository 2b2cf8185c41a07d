"use client";

import { useChat } from "@ai-sdk/react";
import { useEffect, useState } from "react";

const id = "chat-1";

/** A page that is opened while a run is at work goes on with its stream. */
function Chat({ before }) {
  const { messages, sendMessage, status } = useChat({ id, messages: before, resume: true });
  const send = (event) => {
    event.preventDefault();
    sendMessage({ text: new FormData(event.target).get("text") });
    event.target.reset();
  };
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <p key={id} className={role}>
          {parts.map((part) => (part.type === "text" ? part.text : ""))}
        </p>
      ))}
      <form onSubmit={send}>
        <input name="text" placeholder="Where is my refund?" autoComplete="off" />
        <button disabled={status !== "ready"}>Send</button>
      </form>
    </main>
  );
}

export default function Page() {
  const [before, setBefore] = useState();
  useEffect(() => {
    fetch(`/api/chat/${id}`).then(async (response) => setBefore(await response.json()));
  }, []);
  return before && <Chat before={before} />;
}
