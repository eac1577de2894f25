// A pointer with a count of references, as Arc has it. With --cfg bug, the count is read and written in two steps, and
// the value is freed twice or never.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static DROPS: AtomicUsize = AtomicUsize::new(0);

struct Value;

impl Drop for Value {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

struct Inner {
    count: AtomicUsize,
    _value: Value,
}

struct Counted(*mut Inner);

unsafe impl Send for Counted {}

impl Counted {
    fn new() -> Counted {
        Counted(Box::into_raw(Box::new(Inner { count: AtomicUsize::new(1), _value: Value })))
    }
}

impl Clone for Counted {
    fn clone(&self) -> Counted {
        unsafe { (*self.0).count.fetch_add(1, Ordering::Relaxed) };
        Counted(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let count = unsafe { &(*self.0).count };
        let before = if cfg!(bug) {
            let n = count.load(Ordering::Relaxed);
            count.store(n - 1, Ordering::Release);
            n
        } else {
            count.fetch_sub(1, Ordering::AcqRel)
        };
        if before == 1 {
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

fn main() {
    let mine = Counted::new();
    let other = mine.clone();
    let thread = thread::spawn(move || drop(other));
    drop(mine);
    thread.join().unwrap();
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
}
