//! How much memory is in use, counted by the allocator itself.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

struct Counted;

static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static ASIDE: Cell<bool> = const { Cell::new(false) };
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

fn count(bytes: isize) {
    if !ASIDE.get() {
        let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(live, Relaxed);
    }
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's word for the layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's word for both.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What a store keeps is not the machines' memory: what is taken and given back inside counts for nothing.
pub fn aside<T>(keep: impl FnOnce() -> T) -> T {
    let before = ASIDE.replace(true);
    let kept = keep();
    ASIDE.set(before);
    kept
}

/// What is in use now, in bytes.
pub fn live() -> isize {
    LIVE.load(Relaxed)
}

/// The most that was in use at once since this was asked last.
pub fn peak() -> isize {
    PEAK.swap(live(), Relaxed)
}
