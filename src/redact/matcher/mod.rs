//! The engine: candidates in step with the text, the spans that they accept, and what may be released.
