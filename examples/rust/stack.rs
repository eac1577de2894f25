// A stack without locks: two threads push, and what they pushed is there. With --cfg bug, push does not look whether
// the top is still the one that it has seen.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Node {
    value: u32,
    next: *mut Node,
}

struct Stack {
    top: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
        loop {
            let top = self.top.load(Ordering::Relaxed);
            unsafe { (*node).next = top };
            if cfg!(bug) {
                self.top.store(node, Ordering::Release);
                return;
            }
            if self.top.compare_exchange(top, node, Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }
}

static STACK: Stack = Stack { top: AtomicPtr::new(ptr::null_mut()) };

fn main() {
    let other = thread::spawn(|| STACK.push(1));
    STACK.push(2);
    other.join().unwrap();
    let (mut sum, mut at) = (0, STACK.top.load(Ordering::Acquire));
    while !at.is_null() {
        let node = unsafe { Box::from_raw(at) };
        sum += node.value;
        at = node.next;
    }
    assert_eq!(sum, 3);
}
