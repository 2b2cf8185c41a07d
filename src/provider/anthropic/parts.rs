//! Multimodal content as the format has it.

use crate::input::{Media, Part, Source};
use crate::json::{self, Json, Raw};
use crate::provider::conversation::{Place, unsupported};
use base64ct::{Base64, Encoding};

/// The content blocks of a message or of a result. Text of white space alone, which the format refuses, is left out.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`], naming the part behind `place`.
pub(super) fn content(parts: &[Part], place: Place) -> Result<Vec<Raw>, crate::Error> {
    let mut blocks = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => blocks.extend(self::text(text)),
            Part::Media { kind, source } => blocks.push(media(*kind, source).ok_or_else(|| unsupported(place, at))?),
        }
    }
    Ok(blocks)
}

/// A text block; none for white space.
pub(super) fn text(text: &str) -> Option<Raw> {
    (!text.trim().is_empty()).then(|| block("text", &[("text", &text)]))
}

/// A block of that type.
pub(super) fn block(kind: &str, fields: &[(&str, &dyn Json)]) -> Raw {
    Raw(json::object(|block| {
        block.field("type", &kind).fields(fields);
    }))
}

/// Pictures of four kinds, PDF and plain text, each here, at an address, or in the provider's files. None for all else.
fn media(kind: Media, source: &Source) -> Option<Raw> {
    let name = match kind {
        Media::Image => "image",
        Media::Document => "document",
        Media::Audio | Media::Video => return None,
    };
    let source = match source {
        Source::Url { value, .. } => block("url", &[("url", value)]),
        Source::File { value } => block("file", &[("file_id", value)]),
        Source::Data { value, mime } => {
            let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            match (kind, &*mime) {
                (Media::Image, "image/jpeg" | "image/png" | "image/gif" | "image/webp")
                | (Media::Document, "application/pdf") => base64(&mime, value),
                (Media::Image, "image/jpg") => base64("image/jpeg", value),
                (Media::Document, "text/plain") => {
                    let text = String::from_utf8(Base64::decode_vec(value).ok()?).ok()?;
                    block("text", &[("media_type", &"text/plain"), ("data", &text)])
                }
                _ => return None,
            }
        }
    };
    Some(block(name, &[("source", &source)]))
}

fn base64(mime: &str, value: &str) -> Raw {
    block("base64", &[("media_type", &mime), ("data", &value)])
}
