// Treiber's stack in Rust, with nodes from the heap that are never freed: two threads push, and both nodes are there.
// expect: sc=safe tso=safe robust=yes
// rustc --edition 2021 --crate-type=lib --emit=obj -C panic=abort -O -g treiber.rs
mod fencepost;

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

struct Node {
    value: u64,
    next: *mut Node,
}

struct Stack {
    top: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: u64) {
        let node = Box::into_raw(Box::new(Node { value, next: null_mut() }));
        loop {
            let top = self.top.load(Ordering::Relaxed);
            unsafe { (*node).next = top };
            if self.top.compare_exchange(top, node, Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        loop {
            let top = self.top.load(Ordering::Acquire);
            if top.is_null() {
                return None;
            }
            let next = unsafe { (*top).next };
            if self.top.compare_exchange(top, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Some(unsafe { (*top).value });
            }
        }
    }
}

static STACK: Stack = Stack { top: AtomicPtr::new(null_mut()) };

extern "C" fn work(argument: *mut u8) -> *mut u8 {
    STACK.push(argument as u64);
    null_mut()
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    let a = fencepost::spawn(work, 1 as *mut u8);
    let b = fencepost::spawn(work, 2 as *mut u8);
    a.join();
    b.join();
    let sum = STACK.pop().unwrap() + STACK.pop().unwrap();
    assert!(sum == 3);
    assert!(STACK.pop().is_none());
    0
}
