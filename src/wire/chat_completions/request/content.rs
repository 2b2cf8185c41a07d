//! The content of messages: a string, or an array of typed parts.

use crate::Error;
use crate::input::{Media, Part, Source};
use crate::wire::agui::Limits;
use crate::wire::field::Field;

/// What a user or a tool says. Empty text makes no part.
pub(super) fn parts(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Part>, Error> {
    if let Some(text) = field.value().as_str() {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] });
    }
    check_array(field)?;
    field.list(limits.parts, part)
}

/// Instructions: text alone, its parts a line apart.
pub(super) fn text(field: &Field<'_, '_>, limits: &Limits) -> Result<String, Error> {
    texts(field, limits, "\n", |part, kind| match kind {
        "text" => part.text("text"),
        _ => Err(part.required("type")?.must("be text")),
    })
}

/// What the assistant said or refused, its parts as they follow each other.
pub(super) fn said(field: &Field<'_, '_>, limits: &Limits) -> Result<String, Error> {
    texts(field, limits, "", |part, kind| match kind {
        "text" => part.text("text"),
        "refusal" => part.text("refusal"),
        _ => Err(part.required("type")?.must("be one of text, refusal")),
    })
}

fn texts(
    field: &Field<'_, '_>,
    limits: &Limits,
    between: &str,
    read: fn(&Field<'_, '_>, &str) -> Result<String, Error>,
) -> Result<String, Error> {
    if let Some(text) = field.value().as_str() {
        return Ok(text.to_owned());
    }
    check_array(field)?;
    let texts = field.list(limits.parts, |part| {
        part.object()?;
        read(part, part.required("type")?.string()?)
    })?;
    Ok(texts.join(between))
}

fn check_array(field: &Field<'_, '_>) -> Result<(), Error> {
    match field.value().is_array() {
        true => Ok(()),
        false => Err(field.must("be a string or an array of parts")),
    }
}

fn part(field: &Field<'_, '_>) -> Result<Part, Error> {
    field.object()?;
    let kind = field.required("type")?;
    match kind.string()? {
        "text" => Ok(Part::Text(field.text("text")?)),
        "image_url" => image(&field.required("image_url")?),
        "input_audio" => sound(&field.required("input_audio")?),
        "file" => document(&field.required("file")?),
        _ => Err(kind.must("be one of text, image_url, input_audio, file")),
    }
}

/// The `detail` beside the address is the service's own business.
fn image(field: &Field<'_, '_>) -> Result<Part, Error> {
    field.object()?;
    let url = field.required("url")?;
    let value = url.string()?;
    let source = match after_scheme(value).is_some() {
        true => data(value).ok_or_else(|| url.must("be base64 with its media type, where it is a data URL"))?,
        false => Source::Url { value: value.to_owned(), mime: None },
    };
    Ok(Part::Media { kind: Media::Image, source })
}

fn sound(field: &Field<'_, '_>) -> Result<Part, Error> {
    field.object()?;
    let format = field.required("format")?;
    let mime = match format.string()? {
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        _ => return Err(format.must("be wav or mp3")),
    };
    let source = Source::Data { value: field.text("data")?, mime: mime.to_owned() };
    Ok(Part::Media { kind: Media::Audio, source })
}

/// A document is with the provider, or here as a data URL.
fn document(field: &Field<'_, '_>) -> Result<Part, Error> {
    field.object()?;
    let source = match (field.optional("file_id"), field.optional("file_data")) {
        (Some(id), _) => Source::File { value: id.string()?.to_owned() },
        (None, Some(bytes)) => data(bytes.string()?).ok_or_else(|| bytes.must("be a data URL in base64"))?,
        (None, None) => return Err(field.must("have one of file_id, file_data")),
    };
    Ok(Part::Media { kind: Media::Document, source })
}

/// The bytes of a data URL: `data:<media type>;base64,<base64>`.
fn data(url: &str) -> Option<Source> {
    let (head, value) = after_scheme(url)?.split_once(',')?;
    let mime = head.strip_suffix(";base64").filter(|mime| !mime.is_empty())?;
    Some(Source::Data { value: value.to_owned(), mime: mime.to_owned() })
}

/// What a data URL says behind its scheme; none of any other.
fn after_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}
