//! The content of user and tool messages: a string, or an array of parts.

use super::limits::Limits;
use crate::Error;
use crate::input::{Media, Part, Source};
use crate::wire::field::Field;

/// `messages[i].content` of a user or a tool. Empty text makes no part.
pub(super) fn content(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Part>, Error> {
    if let Some(text) = field.value().as_str() {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] });
    }
    if !field.value().is_array() {
        return Err(field.must("be a string or an array of parts"));
    }
    field.list(limits.parts, |item| part(item, limits))
}

fn part(field: &Field<'_, '_>, limits: &Limits) -> Result<Part, Error> {
    field.object()?;
    if let Some(id) = field.optional("id") {
        id.id(limits.id)?;
    }
    let kind = field.required("type")?;
    let media = match kind.string()? {
        "text" => return Ok(Part::Text(field.text("text")?)),
        "binary" => return binary(field),
        "image" => Media::Image,
        "audio" => Media::Audio,
        "video" => Media::Video,
        "document" => Media::Document,
        _ => return Err(kind.must("be one of text, image, audio, video, document, binary")),
    };
    Ok(Part::Media { kind: media, source: source(&field.required("source")?)? })
}

fn source(field: &Field<'_, '_>) -> Result<Source, Error> {
    field.object()?;
    let kind = field.required("type")?;
    let kind_name = kind.string()?;
    if !matches!(kind_name, "data" | "url" | "file") {
        return Err(kind.must("be one of data, url, file"));
    }
    let value = field.text("value")?;
    let mime = field.optional("mimeType").map(|mime| mime.string()).transpose()?.map(str::to_owned);
    match kind_name {
        "data" => Ok(Source::Data { value, mime: field.text("mimeType")? }),
        "url" => Ok(Source::Url { value, mime }),
        _ => {
            field.strings(&["provider"])?;
            Ok(Source::File { value })
        }
    }
}

/// The part of clients before 1.0: a media type, and one of bytes, address or file id. The media type
/// says what it is; the first of the three that is not empty is taken, as the official client does.
fn binary(field: &Field<'_, '_>) -> Result<Part, Error> {
    let mime = field.text("mimeType")?;
    let kind = match mime.split_once('/') {
        Some(("image", _)) => Media::Image,
        Some(("audio", _)) => Media::Audio,
        Some(("video", _)) => Media::Video,
        _ => Media::Document,
    };
    let value = |key| match field.optional(key) {
        Some(value) => value.string().map(|text| Some(text.to_owned()).filter(|text| !text.is_empty())),
        None => Ok(None),
    };
    let source = match (value("data")?, value("url")?, value("id")?) {
        (Some(value), _, _) => Source::Data { value, mime },
        (None, Some(value), _) => Source::Url { value, mime: Some(mime) },
        (None, None, Some(value)) => Source::File { value },
        (None, None, None) => return Err(field.must("have one of data, url, id")),
    };
    Ok(Part::Media { kind, source })
}
