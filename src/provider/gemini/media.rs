//! Multimodal content as the format has it.

use crate::Error;
use crate::input::{Part, Source};
use crate::json::{self, Json, Raw};
use crate::provider::conversation::{Place, unsupported};

/// The parts of a person's message. Empty text is left out.
pub(super) fn content(parts: &[Part]) -> Vec<Raw> {
    { parts.iter() }
        .filter_map(|part| match part {
            Part::Text(text) => self::text(text),
            Part::Media { source, .. } => Some(media(source)),
        })
        .collect()
}

/// A part of text; none if it is empty.
pub(super) fn text(text: &str) -> Option<Raw> {
    (!text.is_empty()).then(|| part("text", &text))
}

/// A part of one field.
pub(super) fn part(name: &str, value: &dyn Json) -> Raw {
    Raw(json::object(|part| {
        part.field(name, value);
    }))
}

/// The text of a tool's result, a line a part.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] for anything else in it, with its place: most models take none.
pub(super) fn text_only(parts: &[Part], place: Place) -> Result<String, Error> {
    let mut texts = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let Part::Text(text) = part else { return Err(unsupported(place, at)) };
        texts.push(text.as_str());
    }
    Ok(texts.join("\n"))
}

/// Any kind: the format has a media type alone. What is at an address, or with the provider, is a file.
fn media(source: &Source) -> Raw {
    let file = |uri: &str, mime: Option<&String>| {
        Raw(json::object(|file| {
            file.field("fileUri", &uri);
            if let Some(mime) = mime {
                file.field("mimeType", mime);
            }
        }))
    };
    match source {
        Source::Data { value, mime } => {
            let data = Raw(json::object(|data| {
                data.fields(&[("mimeType", mime), ("data", value)]);
            }));
            part("inlineData", &data)
        }
        Source::Url { value, mime } => part("fileData", &file(value, mime.as_ref())),
        Source::File { value } => part("fileData", &file(value, None)),
    }
}
