// For programs in Rust whose machine code fencepost checks. Copy this file into your project as a module, compile with
// -C panic=abort, and start threads with spawn: they are threads of POSIX. The program also runs without fencepost,
// which puts its own functions in the place of fencepost_nondet and fencepost_assume, by name.
#![allow(dead_code)]

extern "C" {
    fn pthread_create(thread: *mut u64, attributes: *const u8, start: Start, argument: *mut u8) -> i32;
    fn pthread_join(thread: u64, result: *mut *mut u8) -> i32;
    fn exit(status: i32) -> !;
}

/// A function that a thread runs.
pub type Start = extern "C" fn(*mut u8) -> *mut u8;

/// A thread that was started.
pub struct Thread(u64);

/// Starts a thread.
pub fn spawn(start: Start, argument: *mut u8) -> Thread {
    let mut thread = 0;
    if unsafe { pthread_create(&mut thread, core::ptr::null(), start, argument) } != 0 {
        panic!();
    }
    Thread(thread)
}

impl Thread {
    /// Waits until the thread has ended.
    pub fn join(self) {
        unsafe { pthread_join(self.0, core::ptr::null_mut()) };
    }
}

static mut SEED: i32 = 1;

/// Returns any number: fencepost tries the values of --nondet-range, a run takes one.
#[no_mangle]
#[inline(never)]
pub extern "C" fn fencepost_nondet() -> i32 {
    unsafe {
        let next = core::ptr::read_volatile(core::ptr::addr_of!(SEED)).wrapping_mul(1103515245).wrapping_add(12345);
        core::ptr::write_volatile(core::ptr::addr_of_mut!(SEED), next);
        next >> 16
    }
}

/// Ends the execution unless the condition holds, without an error.
#[no_mangle]
#[inline(never)]
pub extern "C" fn fencepost_assume(condition: bool) {
    if !condition {
        unsafe { exit(0) }
    }
}
