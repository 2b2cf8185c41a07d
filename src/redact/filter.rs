//! `OutputFilter`: the stages, the engine and the styles, as one stream.
