//! A recording of each quirk: what it says, and that no cut and no line end changes that.

use crate::provider::Format;
use crate::provider::quirks::quirks;

quirks!(Format::ChatCompletions, "chat_completions", 90);
