//! The summary that stands in the place of a conversation: how it is asked for, and how an item holds it.

use base64ct::{Base64, Encoding};

/// Before a summary; the number is that of the form.
const HEADER: &str = "lastword-summary/1\n";

/// What the model is asked for, behind the conversation.
pub(super) const TASK: &str = "Sum up the conversation up to here. The summary will stand in its place, and nothing else \
    of it will be known: keep every fact, decision, name, number and wish that the rest may need, and what is still to \
    be done. Write the summary and nothing else.";

/// A summary as an item's `encrypted_content` has it.
pub(super) fn sealed(summary: &str) -> String {
    Base64::encode_string(format!("{HEADER}{summary}").as_bytes())
}

/// The summary in an item's `encrypted_content`; none if it is of no form that is known here.
pub(super) fn summary(content: &str) -> Option<String> {
    let bytes = Base64::decode_vec(content).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.strip_prefix(HEADER).map(str::to_owned)
}
