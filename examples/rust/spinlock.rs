// A lock that spins, as a type with a guard. With --cfg bug, taking the lock is a load and a store.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct SpinLock<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for SpinLock<T> {}

struct Guard<'a, T>(&'a SpinLock<T>);

impl<T> SpinLock<T> {
    const fn new(value: T) -> Self {
        SpinLock { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    fn lock(&self) -> Guard<'_, T> {
        if cfg!(bug) {
            while self.locked.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            self.locked.store(true, Ordering::Relaxed);
        } else {
            while self.locked.swap(true, Ordering::Acquire) {
                std::hint::spin_loop();
            }
        }
        Guard(self)
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.0.value.get() }
    }
}

static COUNT: SpinLock<u32> = SpinLock::new(0);

fn main() {
    let other = thread::spawn(|| *COUNT.lock() += 1);
    *COUNT.lock() += 1;
    other.join().unwrap();
    assert_eq!(*COUNT.lock(), 2);
}
