// A mailbox with a mutex and a condition: the receiver waits for a letter. With --cfg bug, it takes for granted that
// there is one when the wait ends, but a wait can end without a signal.

use std::sync::{Condvar, Mutex};
use std::thread;

static LETTER: Mutex<u32> = Mutex::new(0);
static ARRIVED: Condvar = Condvar::new();

fn put(letter: u32) {
    *LETTER.lock().unwrap() = letter;
    ARRIVED.notify_one();
}

fn take() -> u32 {
    let mut letter = LETTER.lock().unwrap();
    while *letter == 0 {
        letter = ARRIVED.wait(letter).unwrap();
        if cfg!(bug) {
            break;
        }
    }
    *letter
}

fn main() {
    let postman = thread::spawn(|| put(7));
    assert_eq!(take(), 7);
    postman.join().unwrap();
}
