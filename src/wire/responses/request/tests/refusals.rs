//! What is refused, and by which name.

use super::{refusal, with};
use serde_json::Value;
use serde_json::json;

#[test]
fn a_refusal_names_the_field() {
    let item = |item: Value| json!({ "input": [{ "role": "user", "content": "a" }, item] });
    let part = |part: Value| item(json!({ "role": "user", "content": [part] }));
    let tool = |tool: Value| with("tools", json!([tool]));
    let f = json!({ "type": "function", "name": "f" });
    let cases = [
        (json!([]), "the body must be an object."),
        (json!({}), "input is required."),
        (json!({ "input": 7 }), "input must be a string or an array of items."),
        (json!({ "input": "x", "model": 7 }), "model must be a string."),
        (json!({ "input": "x", "model": "" }), "model must not be empty."),
        (item(json!(7)), "input[1] must be an object."),
        (item(json!({})), "input[1].type is required."),
        (
            item(json!({ "type": "web_search_call" })),
            "input[1].type must be one of message, function_call, function_call_output, reasoning, compaction, item_reference.",
        ),
        (item(json!({ "id": "msg_x" })), "input[1].id must be the id of an item of a stored response."),
        (item(json!({ "type": "item_reference" })), "input[1].id is required."),
        (
            item(json!({ "role": "tool", "content": "" })),
            "input[1].role must be one of user, assistant, system, developer.",
        ),
        (item(json!({ "role": "user" })), "input[1].content is required."),
        (item(json!({ "role": "user", "content": 7 })), "input[1].content must be a string or an array of parts."),
        (item(json!({ "role": "system", "content": {} })), "input[1].content must be a string or an array of parts."),
        (
            item(json!({ "role": "assistant", "content": [{ "type": "input_image" }] })),
            "input[1].content[0].type must be one of input_text, output_text, refusal.",
        ),
        (part(json!({ "type": "input_text" })), "input[1].content[0].text is required."),
        (part(json!({ "type": "input_image", "image_url": 7 })), "input[1].content[0].image_url must be a string."),
        (part(json!({ "type": "input_image" })), "input[1].content[0] must have image_url or file_id."),
        (
            part(json!({ "type": "input_image", "image_url": "data:x" })),
            "input[1].content[0].image_url must be of the form data:TYPE;base64,DATA.",
        ),
        (part(json!({ "type": "input_file" })), "input[1].content[0] must have file_data or file_url or file_id."),
        (
            part(json!({ "type": "input_audio", "input_audio": { "data": "", "format": "ogg" } })),
            "input[1].content[0].input_audio.format must be mp3 or wav.",
        ),
        (
            part(json!({ "type": "x" })),
            "input[1].content[0].type must be one of input_text, input_image, input_file, input_audio, input_video.",
        ),
        (item(json!({ "type": "function_call", "name": "f", "arguments": "" })), "input[1].call_id is required."),
        (
            item(json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": {} })),
            "input[1].arguments must be a string.",
        ),
        (item(json!({ "type": "function_call_output", "call_id": "c" })), "input[1].output is required."),
        (
            item(json!({ "type": "compaction", "encrypted_content": "x" })),
            "input[1].encrypted_content must be what /v1/responses/compact has given.",
        ),
        (tool(json!({ "type": "web_search" })), "tools[0].type must be function: other tools are not available."),
        (tool(json!({ "type": "function", "function": {} })), "tools[0].name is required."),
        (tool(json!({ "type": "function", "name": "f", "parameters": 7 })), "tools[0].parameters must be an object."),
        (tool(json!({ "type": "function", "name": "f", "strict": 7 })), "tools[0].strict must be true or false."),
        (with("tools", json!([f, f])), "tools[1].name must not be the name of another tool."),
        (with("tool_choice", json!("any")), "tool_choice must be one of auto, none, required."),
        (with("tool_choice", json!({ "type": "mcp" })), "tool_choice.type must be function or allowed_tools."),
        (
            with("tool_choice", json!({ "type": "function", "name": "f" })),
            "tool_choice.name must be the name of one of the tools.",
        ),
        (with("tool_choice", json!(7)), "tool_choice must be a string or an object."),
        (with("temperature", json!("1")), "temperature must be a number."),
        (with("top_p", json!([])), "top_p must be a number."),
        (with("presence_penalty", json!({})), "presence_penalty must be a number."),
        (with("frequency_penalty", json!("")), "frequency_penalty must be a number."),
        (with("max_output_tokens", json!(0)), "max_output_tokens must be a whole number from 1."),
        (with("max_tool_calls", json!(1.5)), "max_tool_calls must be a whole number from 1."),
        (with("parallel_tool_calls", json!("no")), "parallel_tool_calls must be true or false."),
        (with("stream", json!(1)), "stream must be true or false."),
        (with("background", json!(1)), "background must be true or false."),
        (with("store", json!(1)), "store must be true or false."),
        (json!({ "input": "x", "background": true, "store": false }), "background must be false where store is false."),
        (with("metadata", json!([])), "metadata must be an object."),
        (with("user", json!(7)), "user must be a string."),
        (with("instructions", json!(["x"])), "instructions must be a string."),
        (with("truncation", json!("x")), "truncation must be auto or disabled."),
        (with("service_tier", json!(7)), "service_tier must be a string."),
        (with("stream_options", json!(7)), "stream_options must be an object."),
        (with("text", json!(7)), "text must be an object."),
        (
            with("text", json!({ "format": { "type": "xml" } })),
            "text.format.type must be one of text, json_object, json_schema.",
        ),
        (with("text", json!({ "format": { "type": "json_schema", "name": "n" } })), "text.format.schema is required."),
        (with("reasoning", json!({ "effort": 7 })), "reasoning.effort must be a string."),
        (with("include", json!(["message.output_text.logprobs"])), "include[0] must be one of"),
        (with("top_logprobs", json!(3)), "top_logprobs must be left out: log probabilities are not available."),
        (with("prompt", json!({ "id": "p" })), "prompt must be left out: no prompts are stored here."),
        (with("context_management", json!([])), "context_management must be left out: use /v1/responses/compact."),
        (with("previous_response_id", json!("run-1")), "previous_response_id must be the id of a response."),
        (with("previous_response_id", json!("resp_")), "previous_response_id must be the id of a response."),
        (with("conversation", json!(7)), "conversation must be a string, or an object with an id."),
        (with("conversation", json!({})), "conversation.id is required."),
        (
            json!({ "input": "x", "conversation": "c", "previous_response_id": "resp_r" }),
            "conversation must be left out where previous_response_id is given.",
        ),
    ];
    for (body, said) in cases {
        let told = refusal(body);
        assert!(told.starts_with(said), "{said} {told}");
    }
}
