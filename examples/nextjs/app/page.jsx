"use client";

import { useChat } from "@ai-sdk/react";
import { useEffect } from "react";

const CHAT = "chat-1";

export default function Page() {
  const { messages, setMessages, sendMessage, status } = useChat({ id: CHAT });

  useEffect(() => {
    fetch(`/api/chat/${CHAT}`).then(async (response) => setMessages(await response.json()));
  }, [setMessages]);

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
