//! Content of messages as Responses has it.

use crate::Error;
use crate::input::{Media, Part, Source};
use crate::json::{self, Json, Raw};
use crate::provider::chat_completions::parts::{data_url, file_name, plain, unsupported};

/// The content of a user's message: typed parts.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`], naming the part behind `place`.
pub(super) fn content(parts: &[Part], place: &str) -> Result<Vec<Raw>, Error> {
    let typed = |(at, part)| typed(part).ok_or_else(|| unsupported(place, at));
    parts.iter().enumerate().map(typed).collect()
}

/// What a tool gave back: a plain text where it is text alone, else typed parts.
///
/// # Errors
/// As of [`content`].
pub(super) fn output(parts: &[Part], place: &str) -> Result<Raw, Error> {
    match plain(parts) {
        Some(text) => Ok(Raw(json::text(&text))),
        None => Ok(Raw(json::text(&content(parts, place)?))),
    }
}

/// The part as the format has it: text, images and documents, from wherever they are. None for sound and films.
fn typed(part: &Part) -> Option<Raw> {
    match part {
        Part::Text(text) => Some(of("input_text", &[("text", text)])),
        Part::Media { kind: Media::Image, source } => Some(match source {
            Source::Data { value, mime } => of("input_image", &[("image_url", &data_url(mime, value))]),
            Source::Url { value, .. } => of("input_image", &[("image_url", value)]),
            Source::File { value } => of("input_image", &[("file_id", value)]),
        }),
        Part::Media { kind: Media::Document, source } => Some(match source {
            Source::Data { value, mime } => {
                of("input_file", &[("filename", &file_name(mime)), ("file_data", &data_url(mime, value))])
            }
            Source::Url { value, .. } => of("input_file", &[("file_url", value)]),
            Source::File { value } => of("input_file", &[("file_id", value)]),
        }),
        Part::Media { kind: Media::Audio | Media::Video, .. } => None,
    }
}

/// An object of that type.
pub(super) fn of(kind: &str, fields: &[(&str, &dyn Json)]) -> Raw {
    Raw(json::object(|object| {
        object.field("type", &kind).fields(fields);
    }))
}
