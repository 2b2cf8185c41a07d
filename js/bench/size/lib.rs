//! A module that takes a text and gives one; with the feature `filter`, through the output filter with all its rules.

use std::cell::RefCell;

thread_local! {
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Adds a character to the text.
#[unsafe(no_mangle)]
pub extern "C" fn add(character: u32) {
    TEXT.with_borrow_mut(|text| text.extend(char::from_u32(character)));
}

/// Puts what leaves of the text in its place. Gives its address.
#[unsafe(no_mangle)]
pub extern "C" fn push() -> usize {
    TEXT.with_borrow_mut(|text| {
        *text = left(text);
        text.as_ptr().addr()
    })
}

#[cfg(not(feature = "filter"))]
fn left(text: &str) -> String {
    text.to_owned()
}

#[cfg(feature = "filter")]
fn left(text: &str) -> String {
    use lastword::redact::{OutputFilter, Settings};
    thread_local! {
        static FILTER: RefCell<Option<OutputFilter>> = RefCell::new(OutputFilter::new(&Settings::default()).ok());
    }
    FILTER.with_borrow_mut(|filter| filter.as_mut().map(|filter| filter.push(text) + &filter.flush()).unwrap_or_default())
}
