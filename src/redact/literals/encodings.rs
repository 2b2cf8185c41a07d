//! The forms in which a known value may stand in a text.
pub(super) fn each(value: &str, form: &mut dyn FnMut(&[u8])) {
    form(value.as_bytes());
}
