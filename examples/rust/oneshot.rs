// A channel for one value: the receiver parks until the value is there. With --cfg bug, the sender wakes the receiver
// before it says that the value is there, and the receiver can sleep for ever. docs/tutorials/rust.md is about it.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

struct Channel<T> {
    ready: AtomicBool,
    value: UnsafeCell<Option<T>>,
}

unsafe impl<T: Send> Sync for Channel<T> {}

impl<T> Channel<T> {
    const fn new() -> Self {
        Channel { ready: AtomicBool::new(false), value: UnsafeCell::new(None) }
    }

    // Only one thread sends, and once.
    fn send(&self, value: T, receiver: &Thread) {
        unsafe { *self.value.get() = Some(value) };
        if cfg!(bug) {
            receiver.unpark();
            self.ready.store(true, Ordering::Release);
        } else {
            self.ready.store(true, Ordering::Release);
            receiver.unpark();
        }
    }

    fn receive(&self) -> Option<T> {
        while !self.ready.load(Ordering::Acquire) {
            thread::park();
        }
        unsafe { (*self.value.get()).take() }
    }
}

static CHANNEL: Channel<u32> = Channel::new();

fn main() {
    let receiver = thread::spawn(|| CHANNEL.receive());
    CHANNEL.send(42, receiver.thread());
    assert!(receiver.join().unwrap() == Some(42));
}
