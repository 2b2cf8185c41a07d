/// The body of a model call.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] if the format can't carry a part of the input.
pub fn request(ask: &crate::provider::Ask<'_>) -> Result<String, crate::Error> {
    crate::provider::chat_completions::request_after(ask.model, ask.input, ask.sent, ask.transcript, &ask.input.tools)
}
