package elf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/query"
)

// rustc returns the compiler of Debian stable, whose standard library is read.
func rustc(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/rustc", "rustc"} {
		if out, err := exec.Command(path, "--version").Output(); err == nil && strings.HasPrefix(string(out), "rustc 1.63.") {
			return path
		}
	}
	t.Skip("there is no rustc of Debian stable here (1.63), so that threads of Rust's library are not tried")
	return ""
}

// recentRustc returns the compiler of the other version whose standard library is read; "" if there is none.
func recentRustc() string {
	home, _ := os.UserHomeDir()
	for _, path := range []string{"rustc", filepath.Join(home, ".cargo", "bin", "rustc")} {
		if out, err := exec.Command(path, "--version").Output(); err == nil && strings.HasPrefix(string(out), "rustc 1.95.") {
			return path
		}
	}
	return ""
}

// TestRecentRust: threads, mutexes and thread-local variables of the library of rustc 1.95.
func TestRecentRust(t *testing.T) {
	compiler := recentRustc()
	if compiler == "" {
		t.Skip("there is no rustc 1.95 here, so that threads of its library are not tried")
	}
	for _, c := range []struct{ name, want, text string }{
		{"a mutex", "safe", `use std::sync::{Arc, Mutex};
fn main() { let m = Arc::new(Mutex::new(0u32)); let n = Arc::clone(&m); let t = std::thread::spawn(move || { *n.lock().unwrap() += 1; });
    *m.lock().unwrap() += 1; t.join().unwrap(); assert_eq!(*m.lock().unwrap(), 2); }
`},
		{"a panic", "unsafe", `use std::sync::{Arc, Mutex};
fn main() { let m = Arc::new(Mutex::new(0u32)); let n = Arc::clone(&m); let t = std::thread::spawn(move || { *n.lock().unwrap() += 1; });
    assert_eq!(*m.lock().unwrap(), 0); t.join().unwrap(); }
`},
		{"yield_now", "safe", `use std::sync::atomic::{AtomicBool, Ordering::*}; static F: AtomicBool = AtomicBool::new(false);
fn main() { let t = std::thread::spawn(|| F.store(true, Release)); while !F.load(Acquire) { std::thread::yield_now(); } t.join().unwrap(); }
`},
		{"a value that a thread returns", "unsafe", `fn main() { let k = std::thread::spawn(|| 41u64).join().unwrap(); assert!(k == 42); }
`},
		{"thread-local variables", "safe", `use std::cell::Cell; thread_local! { static N: Cell<u32> = const { Cell::new(1) }; static M: Cell<u32> = const { Cell::new(2) }; }
fn main() { N.with(|n| n.set(5)); let t = std::thread::spawn(|| assert!(N.with(|n| n.get()) + M.with(|n| n.get()) == 3)); t.join().unwrap(); assert!(N.with(|n| n.get()) == 5); }
`},
		{"thread-local variables, wrong", "unsafe", `use std::cell::Cell; thread_local! { static N: Cell<u32> = const { Cell::new(1) }; static M: Cell<u32> = const { Cell::new(2) }; }
fn main() { N.with(|n| n.set(5)); let t = std::thread::spawn(|| assert!(N.with(|n| n.get()) + M.with(|n| n.get()) == 7)); t.join().unwrap(); }
`},
		{"an option", "safe", `use std::sync::atomic::{AtomicUsize, Ordering::*}; static X: AtomicUsize = AtomicUsize::new(0);
#[inline(never)] fn take() -> Option<usize> { let v = X.swap(0, SeqCst); if v == 0 { None } else { Some(v) } }
fn main() { let t = std::thread::spawn(|| X.store(5, SeqCst)); if let Some(v) = take() { assert!(v == 5); } t.join().unwrap(); }
`},
		{"an option, wrong", "unsafe", `use std::sync::atomic::{AtomicUsize, Ordering::*}; static X: AtomicUsize = AtomicUsize::new(0);
#[inline(never)] fn take() -> Option<usize> { let v = X.swap(0, SeqCst); if v == 0 { None } else { Some(v) } }
fn main() { let t = std::thread::spawn(|| X.store(5, SeqCst)); if let Some(v) = take() { assert!(v != 5); } t.join().unwrap(); }
`},
	} {
		src := filepath.Join(t.TempDir(), "a.rs")
		if err := os.WriteFile(src, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, why := askRust(t, compiler, src, "tso"); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
	}
}

func askRust(t *testing.T, compiler, src, question string) (verdict, reason string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.o")
	if msg, err := exec.Command(compiler, "--edition", "2021", "--emit=obj", "-C", "panic=abort", "-O", "-g", "-o", out, src).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, query.Input{Name: "a.o", Text: object}, question, 0)
}

// TestRustExample: the example with std::thread::spawn has the verdicts of its comment.
func TestRustExample(t *testing.T) {
	src := filepath.Join("..", "..", "..", "examples", "machine", "spawn.rs")
	text, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "expect-std:")
	line, _, _ := strings.Cut(rest, "\n")
	compiler := rustc(t)
	for _, pair := range strings.Fields(line) {
		question, want, _ := strings.Cut(pair, "=")
		if got, why := askRust(t, compiler, src, question); got != want {
			t.Errorf("%s is %s (%s), want %s", question, got, why, want)
		}
	}
}

// TestRustThreads: threads, mutexes and conditions of Rust's library, and panics, which are errors.
func TestRustThreads(t *testing.T) {
	compiler := rustc(t)
	for _, c := range []struct{ name, want, text string }{
		{"a mutex", "safe", `use std::sync::{Arc, Mutex};
fn main() { let m = Arc::new(Mutex::new(0u32)); let n = Arc::clone(&m); let t = std::thread::spawn(move || { *n.lock().unwrap() += 1; });
    *m.lock().unwrap() += 1; t.join().unwrap(); assert_eq!(*m.lock().unwrap(), 2); }
`},
		{"a panic", "unsafe", `use std::sync::{Arc, Mutex};
fn main() { let m = Arc::new(Mutex::new(0u32)); let n = Arc::clone(&m); let t = std::thread::spawn(move || { *n.lock().unwrap() += 1; });
    assert_eq!(*m.lock().unwrap(), 0); t.join().unwrap(); }
`},
		{"a condition", "safe", `use std::sync::{Arc, Condvar, Mutex};
fn main() { let p = Arc::new((Mutex::new(false), Condvar::new())); let q = Arc::clone(&p);
    let t = std::thread::spawn(move || { *q.0.lock().unwrap() = true; q.1.notify_one(); });
    let mut g = p.0.lock().unwrap(); while !*g { g = p.1.wait(g).unwrap(); } assert!(*g); drop(g); t.join().unwrap(); }
`},
		{"a value that a thread returns", "unsafe", `fn main() { let k = std::thread::spawn(|| 41u64).join().unwrap(); assert!(k == 42); }
`},
	} {
		src := filepath.Join(t.TempDir(), "a.rs")
		if err := os.WriteFile(src, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, why := askRust(t, compiler, src, "tso"); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
	}
}

// TestRustVersion: a function of Rust's library that is not known is named, with the version.
func TestRustVersion(t *testing.T) {
	compiler, src := rustc(t), filepath.Join(t.TempDir(), "a.rs")
	if err := os.WriteFile(src, []byte("fn main() { std::thread::park(); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, why := askRust(t, compiler, src, "tso"); got != "unknown" || !strings.Contains(why, "std::thread::park of Rust's library 1.63 is not known") {
		t.Errorf("%s (%s)", got, why)
	}
}
