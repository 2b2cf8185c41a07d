//! A recording of each quirk: what it says, and that no cut and no line end changes that.

use crate::provider::Format;
use crate::provider::quirks::quirks;

quirks!(Format::Responses, "responses", 80);
