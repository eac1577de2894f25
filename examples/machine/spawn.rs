// Store buffering between two threads of the standard library: each may read the other's flag before its own store
// is visible, unless both are sequentially consistent.
//
// For the rustc of Debian stable, as an object:
//
//     rustc --edition 2021 --emit=obj -C panic=abort -O -g spawn.rs
//
// expect-std: sc=safe tso=unsafe robust=no

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static X: AtomicUsize = AtomicUsize::new(0);
static Y: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let left = thread::spawn(|| {
        X.store(1, Ordering::Relaxed);
        Y.load(Ordering::Relaxed)
    });
    let right = thread::spawn(|| {
        Y.store(1, Ordering::Relaxed);
        X.load(Ordering::Relaxed)
    });
    let (a, b) = (left.join().unwrap(), right.join().unwrap());
    assert!(a == 1 || b == 1);
}
