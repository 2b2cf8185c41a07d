//! The parts of a message's content, and of a tool's result.

use crate::Error;
use crate::input::{Media, Part, Source};
use crate::wire::agui::Limits;
use crate::wire::field::Field;

/// What a person said or a tool gave back: a string, or parts. Empty text makes no part.
pub(super) fn parts(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Part>, Error> {
    if let Some(text) = field.value().as_str() {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] });
    }
    check(field)?;
    field.list(limits.parts, part)
}

/// What instructions or the model said: a string, or parts of text, joined.
pub(super) fn text(field: &Field<'_, '_>, limits: &Limits) -> Result<String, Error> {
    if let Some(text) = field.value().as_str() {
        return Ok(text.to_owned());
    }
    check(field)?;
    let mut text = String::new();
    for item in field.items(limits.parts)? {
        item.object()?;
        let kind = item.required("type")?;
        text.push_str(match kind.string()? {
            "input_text" | "output_text" | "text" => item.required("text")?.string()?,
            "refusal" => item.required("refusal")?.string()?,
            _ => return Err(kind.must("be one of input_text, output_text, refusal")),
        });
    }
    Ok(text)
}

fn check(field: &Field<'_, '_>) -> Result<(), Error> {
    if field.value().is_array() { Ok(()) } else { Err(field.must("be a string or an array of parts")) }
}

fn part(field: &Field<'_, '_>) -> Result<Part, Error> {
    field.object()?;
    let kind = field.required("type")?;
    let (kind, source) = match kind.string()? {
        "input_text" | "output_text" | "text" => return Ok(Part::Text(field.text("text")?)),
        "input_image" => {
            field.strings(&["detail"])?;
            (Media::Image, source(field, &[("image_url", At::Url), ("file_id", At::File)])?)
        }
        "input_file" => {
            let keys = [("file_data", At::Data), ("file_url", At::Url), ("file_id", At::File)];
            (Media::Document, source(field, &keys)?)
        }
        "input_video" => (Media::Video, source(field, &[("video_url", At::Url)])?),
        "input_audio" => (Media::Audio, sound(field)?),
        _ => return Err(kind.must("be one of input_text, input_image, input_file, input_audio, input_video")),
    };
    Ok(Part::Media { kind, source })
}

/// How a member says where the bytes are.
#[derive(Clone, Copy)]
enum At {
    Url,
    Data,
    File,
}

/// The first of the members that is there.
fn source(field: &Field<'_, '_>, keys: &[(&'static str, At)]) -> Result<Source, Error> {
    for (key, at) in keys {
        let Some(member) = field.optional(key) else { continue };
        let value = member.string()?;
        if value.is_empty() {
            return Err(member.must("not be empty"));
        }
        if matches!(at, At::File) {
            return Ok(Source::File { value: value.to_owned() });
        }
        if value.starts_with("data:") {
            return inline(value).ok_or_else(|| member.must("be of the form data:TYPE;base64,DATA"));
        }
        return Ok(match at {
            At::Data => Source::Data { value: value.to_owned(), mime: mime(field)?.to_owned() },
            _ => Source::Url { value: value.to_owned(), mime: None },
        });
    }
    let names: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
    Err(field.must(format_args!("have {}", names.join(" or "))))
}

/// The bytes of a `data:` address in base64.
fn inline(url: &str) -> Option<Source> {
    let (head, value) = url.strip_prefix("data:")?.split_once(',')?;
    let mime = head.strip_suffix(";base64")?;
    let mime = mime.split(';').next().filter(|mime| !mime.is_empty())?;
    Some(Source::Data { value: value.to_owned(), mime: mime.to_owned() })
}

/// The media type that the file's name tells: bytes without an address say none.
fn mime(field: &Field<'_, '_>) -> Result<&'static str, Error> {
    let name = field.optional("filename").map(|name| name.string()).transpose()?.unwrap_or_default();
    Ok(match name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
        Some("pdf") => "application/pdf",
        Some("txt") => "text/plain",
        Some("md") => "text/markdown",
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("html") => "text/html",
        _ => "application/octet-stream",
    })
}

fn sound(field: &Field<'_, '_>) -> Result<Source, Error> {
    let audio = field.required("input_audio")?;
    audio.object()?;
    let value = audio.text("data")?;
    let format = audio.required("format")?;
    let mime = match format.string()? {
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        _ => return Err(format.must("be mp3 or wav")),
    };
    Ok(Source::Data { value, mime: mime.to_owned() })
}
