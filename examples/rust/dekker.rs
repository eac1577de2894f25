// Two threads announce themselves and then look for the other one: at least one of them sees the other. With weaker
// orders (--cfg bug) a processor may keep both stores in its store buffers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const ORDER: Ordering = if cfg!(bug) { Ordering::Relaxed } else { Ordering::SeqCst };

static LEFT: AtomicBool = AtomicBool::new(false);
static RIGHT: AtomicBool = AtomicBool::new(false);

fn main() {
    let other = thread::spawn(|| {
        LEFT.store(true, ORDER);
        RIGHT.load(ORDER)
    });
    RIGHT.store(true, ORDER);
    let seen = LEFT.load(ORDER);
    assert!(other.join().unwrap() || seen);
}
