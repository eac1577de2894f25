// A sequence lock: a reader that has seen the same even number before and after has read a pair that belongs together.
// With --cfg bug, the reader does not look at the number again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static NUMBER: AtomicU32 = AtomicU32::new(0);
static A: AtomicU32 = AtomicU32::new(0);
static B: AtomicU32 = AtomicU32::new(0);

fn write(value: u32) {
    let number = NUMBER.load(Ordering::Relaxed);
    NUMBER.store(number + 1, Ordering::Relaxed);
    A.store(value, Ordering::Release);
    B.store(value, Ordering::Release);
    NUMBER.store(number + 2, Ordering::Release);
}

fn read() -> Option<(u32, u32)> {
    let number = NUMBER.load(Ordering::Acquire);
    let pair = (A.load(Ordering::Acquire), B.load(Ordering::Acquire));
    if number % 2 == 0 && (cfg!(bug) || NUMBER.load(Ordering::Relaxed) == number) {
        Some(pair)
    } else {
        None
    }
}

fn main() {
    let writer = thread::spawn(|| write(1));
    if let Some((a, b)) = read() {
        assert_eq!(a, b, "the pair is torn");
    }
    writer.join().unwrap();
}
