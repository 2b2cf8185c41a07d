//! What the id of an AG-UI message says of the `UIMessage` it belongs to.

/// True for an id that a run of ours gave to a message of the assistant.
pub(super) fn is_runs(id: &str) -> bool {
    tail(id).is_some_and(|(_, kind)| kind.starts_with(['a', 'c', 'n', 't', 'u']))
}

/// True for public narration.
pub(super) fn is_narration(id: &str) -> bool {
    tail(id).is_some_and(|(_, kind)| kind.starts_with('n'))
}

/// The `UIMessage`'s id: that of a run's message, that of the one which [`super::super::parse`] has split, or the id itself.
pub(super) fn base(id: &str) -> String {
    match tail(id) {
        Some((tag, kind)) if kind.starts_with(['s', 'q']) => tag.to_owned(),
        Some((tag, _)) => format!("{tag}-ui"),
        None => id.to_owned(),
    }
}

/// The id before its last dash, and what is behind it: a letter for the kind, and a number.
fn tail(id: &str) -> Option<(&str, &str)> {
    let (tag, kind) = id.rsplit_once('-')?;
    let number = kind.strip_prefix(['a', 'c', 'n', 't', 'u', 's', 'q'])?;
    (!tag.is_empty() && number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((tag, kind))
}
