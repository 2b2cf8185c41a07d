//! A call's arguments: redacted on the decoded strings, and valid JSON after.
