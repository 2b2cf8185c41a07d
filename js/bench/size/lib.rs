//! A module that takes a text and gives one; with the feature `rules`, through the output filter's engine and the default
//! rules; with the feature `filter`, through a filter with any settings.

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

#[cfg(not(feature = "rules"))]
fn left(text: &str) -> String {
    text.to_owned()
}

#[cfg(feature = "rules")]
fn left(text: &str) -> String {
    thread_local! {
        static FILTER: RefCell<Option<lastword::redact::OutputFilter>> = RefCell::new(filter());
    }
    FILTER.with_borrow_mut(|filter| filter.as_mut().map(|filter| filter.push(text) + &filter.flush()).unwrap_or_default())
}

#[cfg(all(feature = "rules", not(feature = "filter")))]
fn filter() -> Option<lastword::redact::OutputFilter> {
    use lastword::redact::{OutputFilter, Plan};
    Some(OutputFilter::with(std::rc::Rc::new(Plan::of_rules())))
}

#[cfg(feature = "filter")]
fn filter() -> Option<lastword::redact::OutputFilter> {
    use lastword::redact::{OutputFilter, Settings};
    OutputFilter::new(&Settings::default()).ok()
}
