//! Checks that measuring a short output allocates no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use overspill_core::{Policy, cut};

struct Counting;

thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

// SAFETY: passes every call on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn short_output_needs_no_allocation() {
    let policy = Policy::default();
    let text = "a line of ordinary length, as they come\n".repeat(49 * 1024 / 40);
    let before = COUNT.get();
    assert!(cut(text.as_bytes(), &policy).is_none());
    assert_eq!(COUNT.get() - before, 0);
    assert!(cut(text.repeat(2).as_bytes(), &policy).is_some());
    assert!(COUNT.get() > before, "the counter counts");
}
