//! The content of messages: a string, or an array of blocks.

use crate::Error;
use crate::input::{Media, Part, Source};
use crate::wire::agui::Limits;
use crate::wire::field::Field;

/// The blocks of a content; none where it is a string.
pub(super) fn blocks<'m, 'v>(
    field: &'m Field<'_, 'v>,
    limits: &Limits,
) -> Result<Option<impl Iterator<Item = Field<'m, 'v>>>, Error> {
    match (field.value().is_string(), field.value().is_array()) {
        (true, _) => Ok(None),
        (_, true) => field.items(limits.parts).map(Some),
        _ => Err(field.must("be a string or an array of blocks")),
    }
}

/// What a block is.
pub(super) fn kind<'m, 'v>(block: &'m Field<'_, 'v>) -> Result<Field<'m, 'v>, Error> {
    block.object()?;
    block.required("type")
}

/// Instructions: text alone, its blocks a paragraph apart.
pub(super) fn instructions(field: &Field<'_, '_>, limits: &Limits) -> Result<String, Error> {
    let Some(blocks) = blocks(field, limits)? else { return field.string().map(str::to_owned) };
    let mut texts = Vec::new();
    for block in blocks {
        let kind = kind(&block)?;
        match kind.string()? {
            "text" => texts.push(block.text("text")?),
            _ => return Err(kind.must("be text")),
        }
    }
    Ok(texts.join("\n\n"))
}

/// What a tool gave back. Empty text makes no part.
pub(super) fn result(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Part>, Error> {
    let Some(blocks) = blocks(field, limits)? else { return field.string().map(said) };
    let mut parts = Vec::new();
    for block in blocks {
        part(&block, limits, &mut parts)?;
    }
    Ok(parts)
}

/// A text as parts: an empty one is none.
pub(super) fn said(text: &str) -> Vec<Part> {
    if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] }
}

/// A block that a person or a tool may say, as parts.
pub(super) fn part(block: &Field<'_, '_>, limits: &Limits, parts: &mut Vec<Part>) -> Result<(), Error> {
    let kind = kind(block)?;
    match kind.string()? {
        "text" => parts.extend(said(&block.text("text")?)),
        "image" => parts.push(Part::Media { kind: Media::Image, source: source(&block.required("source")?)? }),
        "document" => document(block, limits, parts)?,
        _ => return Err(kind.must("be one of text, image, document: no other is supported here")),
    }
    Ok(())
}

/// A document's title and what is said of it stand before it. One that is text is a text.
fn document(block: &Field<'_, '_>, limits: &Limits, parts: &mut Vec<Part>) -> Result<(), Error> {
    if let Some(citations) = block.optional("citations")
        && citations.flag("enabled")? == Some(true)
    {
        return Err(citations.must("not be enabled: answers carry none"));
    }
    for key in ["title", "context"] {
        if let Some(text) = block.optional(key) {
            parts.extend(said(text.string()?));
        }
    }
    let field = block.required("source")?;
    let kind = kind(&field)?;
    match kind.string()? {
        "text" => parts.extend(said(&field.text("data")?)),
        "content" => {
            let content = field.required("content")?;
            match blocks(&content, limits)? {
                None => parts.extend(said(content.string()?)),
                Some(blocks) => {
                    for block in blocks {
                        inner(&block, parts)?;
                    }
                }
            }
        }
        "base64" | "url" | "file" => parts.push(Part::Media { kind: Media::Document, source: source(&field)? }),
        _ => return Err(kind.must("be one of base64, url, file, text, content")),
    }
    Ok(())
}

/// A block inside a document.
fn inner(block: &Field<'_, '_>, parts: &mut Vec<Part>) -> Result<(), Error> {
    let kind = kind(block)?;
    match kind.string()? {
        "text" => parts.extend(said(&block.text("text")?)),
        "image" => parts.push(Part::Media { kind: Media::Image, source: source(&block.required("source")?)? }),
        _ => return Err(kind.must("be one of text, image")),
    }
    Ok(())
}

fn source(field: &Field<'_, '_>) -> Result<Source, Error> {
    let kind = kind(field)?;
    match kind.string()? {
        "base64" => Ok(Source::Data { value: field.text("data")?, mime: field.text("media_type")? }),
        "url" => Ok(Source::Url { value: field.text("url")?, mime: None }),
        "file" => Ok(Source::File { value: field.text("file_id")? }),
        _ => Err(kind.must("be one of base64, url, file")),
    }
}
