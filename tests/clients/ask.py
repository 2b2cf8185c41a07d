"""Asks Lastword by the clients that Python has. Reads a JSON list of tasks, does them side by side, prints their results.

A task: {client, wire, url, model, text, key, tool?, after?, timeout?}. A result: {text, refusal, calls, error}, where `error` is
the class and the message of what was raised, or the status of a response that says by itself that it failed.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor


def described(error):
    return f"{type(error).__name__}: {error}"


def result(text="", refusal=None, calls=(), error=None):
    return {"text": text or "", "refusal": refusal, "calls": [list(call) for call in calls], "error": error}


def headers(task):
    return {"Idempotency-Key": task["key"]}


def base(task, path):
    return task.get("base") or task["url"] + path


def openai_client(task):
    import openai

    return openai.OpenAI(api_key="none", base_url=base(task, "/v1"), max_retries=0, default_headers=headers(task))


def of_response(response):
    refusals = [part.refusal for item in response.output if item.type == "message" for part in item.content if part.type == "refusal"]
    calls = [(item.name, item.arguments) for item in response.output if item.type == "function_call"]
    error = response.error.code if response.status in ("failed", "cancelled") else None
    return result(response.output_text, (refusals or [None])[0], calls, error)


def responses_tools(task):
    tool = task.get("tool")
    return [{"type": "function", "name": tool, "description": "", "parameters": {"type": "object"}, "strict": False}] if tool else []


def responses_raw(task):
    client = openai_client(task)
    kwargs = dict(model=task["model"], input=task["text"], tools=responses_tools(task))
    last = None
    for event in client.responses.create(stream=True, **kwargs):
        last = event
        if task.get("after") is not None and event.sequence_number == task["after"]:
            run = event.response.id
            for event in client.responses.retrieve(run, stream=True, starting_after=event.sequence_number):
                last = event
            break
    if not hasattr(last, "response"):
        return result(error="no end")
    return of_response(last.response)


def responses_stream(task):
    with openai_client(task).responses.stream(model=task["model"], input=task["text"], tools=responses_tools(task)) as stream:
        return of_response(stream.get_final_response())


def responses_whole(task):
    return of_response(openai_client(task).responses.create(model=task["model"], input=task["text"], tools=responses_tools(task)))


def chat_tools(task):
    tool = task.get("tool")
    return {"tools": [{"type": "function", "function": {"name": tool, "parameters": {"type": "object"}}}]} if tool else {}


def of_completion(completion):
    message = completion.choices[0].message
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or []]
    return result(message.content, message.refusal, calls)


def messages(task):
    return [{"role": "user", "content": task["text"]}]


def chat_raw(task):
    text, refusal, names, finish = "", "", {}, None
    for chunk in openai_client(task).chat.completions.create(model=task["model"], messages=messages(task), stream=True, **chat_tools(task)):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            refusal += choice.delta.refusal or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                name, arguments = names.get(call.index, ("", ""))
                names[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    return result(text, refusal or None, names.values(), None if finish else "no end")


def chat_stream(task):
    with openai_client(task).chat.completions.stream(model=task["model"], messages=messages(task), **chat_tools(task)) as stream:
        return of_completion(stream.get_final_completion())


def chat_whole(task):
    return of_completion(openai_client(task).chat.completions.create(model=task["model"], messages=messages(task), **chat_tools(task)))


def langchain_model(task):
    from langchain_openai import ChatOpenAI

    responses = task["wire"] == "responses"
    model = ChatOpenAI(
        model=task["model"], api_key="none", base_url=base(task, "/v1"), max_retries=0, use_responses_api=responses, default_headers=headers(task)
    )
    tool = task.get("tool")
    parameters = {"type": "object", "properties": {}}
    return model.bind_tools([{"type": "function", "function": {"name": tool, "description": "", "parameters": parameters}}]) if tool else model


def of_message(message):
    calls = [(call["name"], json.dumps(call["args"], separators=(",", ":"))) for call in message.tool_calls]
    return result(message.text if isinstance(message.text, str) else message.text(), message.additional_kwargs.get("refusal"), calls)


def langchain_stream(task):
    whole = None
    for chunk in langchain_model(task).stream(task["text"]):
        whole = chunk if whole is None else whole + chunk
    return of_message(whole) if whole is not None else result(error="nothing")


def langchain_whole(task):
    return of_message(langchain_model(task).invoke(task["text"]))


def anthropic_client(task):
    import anthropic

    return anthropic.Anthropic(api_key="none", base_url=base(task, ""), max_retries=0, default_headers=headers(task))


def anthropic_request(task):
    tool = task.get("tool")
    tools = {"tools": [{"name": tool, "input_schema": {"type": "object"}}]} if tool else {}
    return dict(model=task["model"], max_tokens=1000, messages=messages(task), **tools)


def of_anthropic(message):
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [(block.name, json.dumps(block.input, separators=(",", ":"))) for block in message.content if block.type == "tool_use"]
    return result(text, text if message.stop_reason == "refusal" else None, calls, None if message.stop_reason else "no end")


def anthropic_stream(task):
    with anthropic_client(task).messages.stream(**anthropic_request(task)) as stream:
        return of_anthropic(stream.get_final_message())


def anthropic_whole(task):
    return of_anthropic(anthropic_client(task).messages.create(**anthropic_request(task)))


CLIENTS = {
    ("responses", "openai raw"): responses_raw,
    ("responses", "openai stream"): responses_stream,
    ("responses", "openai whole"): responses_whole,
    ("responses", "langchain stream"): langchain_stream,
    ("responses", "langchain whole"): langchain_whole,
    ("chat", "openai raw"): chat_raw,
    ("chat", "openai stream"): chat_stream,
    ("chat", "openai whole"): chat_whole,
    ("chat", "langchain stream"): langchain_stream,
    ("chat", "langchain whole"): langchain_whole,
    ("messages", "anthropic stream"): anthropic_stream,
    ("messages", "anthropic whole"): anthropic_whole,
}


def done(task):
    try:
        return CLIENTS[(task["wire"], task["client"])](task)
    except Exception as error:  # whatever a client raises is the result
        return result(error=described(error))


LONGEST = 150


def main():
    tasks = json.load(sys.stdin)
    pool = ThreadPoolExecutor(max_workers=max(1, len(tasks)))
    asked = [pool.submit(done, task) for task in tasks]
    until = time.monotonic() + LONGEST
    results = []
    for future in asked:
        try:
            results.append(future.result(timeout=max(0, until - time.monotonic())))
        except TimeoutError:
            results.append(result(error="it never ends"))
    json.dump(results, sys.stdout)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
