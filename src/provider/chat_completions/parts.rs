//! Multimodal content as Chat Completions has it.

use crate::input::{Media, Part, Source};
use crate::json::{self, Json, Raw};
use crate::{Error, ErrorKind};

/// The content of a user message: a plain text where it is text alone, else typed parts.
///
/// # Errors
///
/// [`ErrorKind::UnsupportedPart`], naming the part behind `place`.
pub(super) fn content(parts: &[Part], place: &str) -> Result<Raw, Error> {
    if let Some(text) = plain(parts) {
        return Ok(Raw(json::text(&text)));
    }
    let mut encoded = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        encoded.push(typed(part).ok_or_else(|| unsupported(place, at))?);
    }
    Ok(Raw(json::text(&encoded)))
}

/// The content of a tool's result, which is text alone.
///
/// # Errors
///
/// [`ErrorKind::UnsupportedPart`], naming the first other part behind `place`.
pub(in crate::provider) fn text_only(parts: &[Part], place: &str) -> Result<String, Error> {
    let other = parts.iter().position(|part| !matches!(part, Part::Text(_))).unwrap_or_default();
    plain(parts).ok_or_else(|| unsupported(place, other))
}

/// A part that the format does not have.
pub(in crate::provider) fn unsupported(place: &str, at: usize) -> Error {
    Error::with(ErrorKind::UnsupportedPart, format!("{place}.content[{at}]"))
}

/// The parts as one text, a line apart; none if one of them is no text.
pub(in crate::provider) fn plain(parts: &[Part]) -> Option<String> {
    let mut texts = Vec::with_capacity(parts.len());
    for part in parts {
        let Part::Text(text) = part else { return None };
        texts.push(text.as_str());
    }
    Some(texts.join("\n"))
}

/// The part as the format has it: images anywhere but in the provider's files, sound as base64 of
/// two kinds, documents as base64 or in the provider's files. None for all else.
fn typed(part: &Part) -> Option<Raw> {
    match part {
        Part::Text(text) => Some(Raw(json::object(|part| {
            part.fields(&[("type", &"text"), ("text", text)]);
        }))),
        Part::Media { kind, source } => match (kind, source) {
            (Media::Image, Source::Data { value, mime }) => Some(image(&data_url(mime, value))),
            (Media::Image, Source::Url { value, .. }) => Some(image(value)),
            (Media::Audio, Source::Data { value, mime }) => sound(value, mime),
            (Media::Document, Source::Data { value, mime }) => Some(document(value, mime)),
            (Media::Document, Source::File { value }) => Some(media("file", &[("file_id", value)])),
            _ => None,
        },
    }
}

/// A part that holds an object under the name of its type.
fn media(kind: &str, fields: &[(&str, &dyn Json)]) -> Raw {
    Raw(json::object(|part| {
        part.field("type", &kind).object(kind, |object| {
            object.fields(fields);
        });
    }))
}

fn image(url: &str) -> Raw {
    media("image_url", &[("url", &url)])
}

fn sound(value: &str, mime: &str) -> Option<Raw> {
    let format = match essence(mime).as_str() {
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        _ => return None,
    };
    Some(media("input_audio", &[("data", &value), ("format", &format)]))
}

fn document(value: &str, mime: &str) -> Raw {
    media("file", &[("filename", &file_name(mime)), ("file_data", &data_url(mime, value))])
}

/// The formats want a file name; the input has none.
pub(in crate::provider) fn file_name(mime: &str) -> &'static str {
    match essence(mime).as_str() {
        "application/pdf" => "document.pdf",
        "text/plain" => "document.txt",
        _ => "document",
    }
}

/// Bytes as an address.
pub(in crate::provider) fn data_url(mime: &str, value: &str) -> String {
    format!("data:{mime};base64,{value}")
}

/// A media type without its parameters, in lower case.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
