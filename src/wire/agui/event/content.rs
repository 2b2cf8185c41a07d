//! Content of messages and results: text, or parts of several media.

use super::{Any, Written, object};
use crate::json::{Json, Object};

/// What a person's message or a tool's result holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'a> {
    /// Text.
    Text(&'a str),
    /// Parts, in order: from a list of [`ContentPart`]. As a tool's result only for a client of 1.0.
    Parts(Written<'a>),
}

impl<'a> From<&'a str> for Content<'a> {
    fn from(text: &'a str) -> Self {
        Content::Text(text)
    }
}

impl<'a> From<&'a Vec<ContentPart<'a>>> for Content<'a> {
    fn from(parts: &'a Vec<ContentPart<'a>>) -> Self {
        Content::Parts(Written(parts))
    }
}

impl Json for Content<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Content::Text(text) => text.write(out),
            Content::Parts(parts) => parts.write(out),
        }
    }
}

/// A part.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentPart<'a> {
    /// Text.
    Text(TextPart<'a>),
    /// A picture.
    Image(MediaPart<'a>),
    /// A sound.
    Audio(MediaPart<'a>),
    /// A film.
    Video(MediaPart<'a>),
    /// A document.
    Document(MediaPart<'a>),
}

object! {
    /// A part that is text.
    TextPart<'a> { "type" = "text" }
    required {
        /// The text.
        text: &'a str = "text",
    }
    constant {}
    optional {
        /// The part's id.
        id: &'a str = "id",
        /// Any JSON.
        metadata: Any<'a> = "metadata",
    }
}

/// A part of another medium.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaPart<'a> {
    /// Where its bytes are.
    pub source: PartSource<'a>,
    /// The part's id.
    pub id: Option<&'a str>,
    /// Any JSON.
    pub metadata: Option<Any<'a>>,
}

/// Where a part's bytes are.
#[derive(Clone, Debug, PartialEq)]
pub enum PartSource<'a> {
    /// Here.
    Data {
        /// Base64.
        value: &'a str,
        /// Their media type.
        mime_type: &'a str,
    },
    /// At an address.
    Url {
        /// The address.
        value: &'a str,
        /// Their media type.
        mime_type: Option<&'a str>,
    },
    /// With a provider.
    File {
        /// The file's id there.
        value: &'a str,
        /// The provider's name.
        provider: Option<&'a str>,
        /// Their media type.
        mime_type: Option<&'a str>,
    },
}

impl Json for ContentPart<'_> {
    fn write(&self, out: &mut String) {
        let (kind, media) = match self {
            ContentPart::Text(text) => return text.write(out),
            ContentPart::Image(media) => ("image", media),
            ContentPart::Audio(media) => ("audio", media),
            ContentPart::Video(media) => ("video", media),
            ContentPart::Document(media) => ("document", media),
        };
        let mut part = Object::begin(out);
        part.fields(&[("type", &kind), ("source", &media.source), ("id", &media.id), ("metadata", &media.metadata)]);
        part.end();
    }
}

impl Json for PartSource<'_> {
    fn write(&self, out: &mut String) {
        let (kind, value, provider, mime_type) = match *self {
            PartSource::Data { value, mime_type } => ("data", value, None, Some(mime_type)),
            PartSource::Url { value, mime_type } => ("url", value, None, mime_type),
            PartSource::File { value, provider, mime_type } => ("file", value, provider, mime_type),
        };
        let mut source = Object::begin(out);
        source.fields(&[("type", &kind), ("value", &value), ("provider", &provider), ("mimeType", &mime_type)]).end();
    }
}
