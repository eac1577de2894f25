// Two accounts, each behind a mutex, and transfers in both directions. With --cfg bug, each transfer locks its own
// account first, and the threads can wait for each other for ever.

use std::sync::Mutex;
use std::thread;

static ACCOUNTS: [Mutex<u32>; 2] = [Mutex::new(10), Mutex::new(10)];

fn transfer(from: usize, to: usize, amount: u32) {
    let (first, second) = if cfg!(bug) { (from, to) } else { (from.min(to), from.max(to)) };
    let (mut one, mut two) = (ACCOUNTS[first].lock().unwrap(), ACCOUNTS[second].lock().unwrap());
    let (source, target) = if first == from { (&mut *one, &mut *two) } else { (&mut *two, &mut *one) };
    *source -= amount;
    *target += amount;
}

fn main() {
    let other = thread::spawn(|| transfer(0, 1, 3));
    transfer(1, 0, 2);
    other.join().unwrap();
    assert!(*ACCOUNTS[0].lock().unwrap() == 9);
    assert!(*ACCOUNTS[1].lock().unwrap() == 11);
}
