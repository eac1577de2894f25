package elf_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/testkit"
	"fencepost/query"
)

// rustc returns the compiler of Debian stable, whose standard library is read.
func rustc(t *testing.T) string {
	t.Helper()
	path := debianRustc()
	if path == "" {
		t.Skip("there is no rustc of Debian stable here (1.63), so that threads of Rust's library are not tried")
	}
	return path
}

// debianRustc returns the same; "" if there is none.
func debianRustc() string {
	for _, path := range []string{"/usr/bin/rustc", "rustc"} {
		if out, err := exec.Command(path, "--version").Output(); err == nil && strings.HasPrefix(string(out), "rustc 1.63.") {
			return path
		}
	}
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

// TestRustKeys: the keys of a HashMap are random numbers, of which --nondet-range says which are tried: a hasher gives one
// number for a value, those of two threads need not, and without the option there is no answer.
func TestRustKeys(t *testing.T) {
	text := `use std::collections::hash_map::RandomState; use std::hash::{BuildHasher, Hash, Hasher};
fn hash(s: &RandomState) -> u64 { let mut h = s.build_hasher(); 7u32.hash(&mut h); h.finish() }
fn main() { let s = RandomState::new(); let mine = hash(&s);
    let theirs = std::thread::spawn(|| { let s = RandomState::new(); hash(&s) }).join().unwrap();
    assert!(mine == if cfg!(bug) { theirs } else { hash(&s) }); }
`
	src := filepath.Join(t.TempDir(), "a.rs")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []string{rustc(t), recentRustc()} {
		if compiler == "" {
			continue
		}
		right, wrong := rustObject(t, compiler, src), rustObject(t, compiler, src, "--cfg", "bug")
		for _, c := range []struct {
			in       query.Input
			keys     []int64
			want     string
			contains string
		}{
			{right, []int64{0, 1}, "safe", ""}, {wrong, []int64{0, 1}, "unsafe", ""}, {wrong, []int64{1, 1}, "safe", ""},
			{right, nil, "error", "too many values"},
		} {
			if got, why := askWith(t, c.in, "tso", 0, query.COptions{NondetRange: c.keys}); got != c.want || !strings.Contains(why, c.contains) {
				t.Errorf("%s, keys %v: %s (%s), want %s", compiler, c.keys, got, why, c.want)
			}
		}
	}
}

func askRust(t *testing.T, compiler, src, question string, flags ...string) (verdict, reason string) {
	t.Helper()
	return ask(t, rustObject(t, compiler, src, flags...), question, 0)
}

// rustObject compiles a program.
func rustObject(t *testing.T, compiler, src string, flags ...string) query.Input {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.o")
	arguments := append(flags, "--edition", "2021", "--emit=obj", "-C", "panic=abort", "-O", "-g", "-o", out, src)
	if msg, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return query.Input{Name: "a.o", Text: object}
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
	if err := os.WriteFile(src, []byte("fn main() { std::thread::available_parallelism().unwrap(); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, why := askRust(t, compiler, src, "tso"); got != "unknown" || !strings.Contains(why, "std::thread::available_parallelism of Rust's library 1.63 is not known") {
		t.Errorf("%s (%s)", got, why)
	}
}

// TestRustStd: programs that use one thing each of Rust's library are safe, and each has a mistake if it is compiled with
// the configuration bug. make fuzz tries all, with and without optimisation.
func TestRustStd(t *testing.T) {
	ar, err := txtar.ParseFile(filepath.Join("testdata", "rust.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	compilers := map[string]string{"1.63": rustc(t), "1.95": recentRustc()}
	for _, f := range ar.Files {
		first, _, _ := strings.Cut(string(f.Data), "\n")
		always := strings.Contains(first, "always")
		for version, compiler := range compilers {
			if compiler == "" || !strings.Contains(first, version) || !always && !testkit.Slow() {
				continue
			}
			t.Run(f.Name+"/"+version, func(t *testing.T) {
				src := filepath.Join(t.TempDir(), "a.rs")
				if err := os.WriteFile(src, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				for want, flags := range map[string][]string{"safe": nil, "unsafe": {"--cfg", "bug"}} {
					if got, why := askRust(t, compiler, src, "tso", flags...); got != want {
						t.Errorf("%s: %s (%s), want %s", flags, got, why, want)
					}
				}
			})
		}
	}
}

// TestSlots: a function that is in tables of trait objects only, and is called at another offset there, is not supported
// where it is reached, and no error.
func TestSlots(t *testing.T) {
	compiler := rustc(t)
	src := filepath.Join(t.TempDir(), "a.rs")
	text := `use std::sync::atomic::{AtomicUsize, Ordering::*};
static N: AtomicUsize = AtomicUsize::new(0); static S: AtomicUsize = AtomicUsize::new(SHIFT);
trait Two { fn one(&self) -> u32; fn two(&self) -> u32; }
struct A; struct B;
#[inline(never)] fn call(x: &dyn Two) -> u32 { x.one() }
impl Two for A { fn one(&self) -> u32 { 1 } fn two(&self) -> u32 { 2 } }
impl Two for B { fn one(&self) -> u32 { 3 } fn two(&self) -> u32 { 4 } }
fn main() {
    let y: &dyn Two = if N.load(Relaxed) == 7 { &A } else { &B };
    let parts: (usize, usize) = unsafe { std::mem::transmute(y) };
    let moved: &dyn Two = unsafe { std::mem::transmute((parts.0, parts.1 + 8 * S.load(Relaxed))) };
    assert!(call(moved) == WANT);
}
`
	for _, c := range []struct{ shift, number, want, why string }{
		{"0", "3", "safe", ""}, {"0", "4", "unsafe", ""}, {"1", "4", "unknown", "another offset in the tables"},
	} {
		program := fmt.Sprintf("const SHIFT: usize = %s; const WANT: u32 = %s;\n%s", c.shift, c.number, text)
		if err := os.WriteFile(src, []byte(program), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, why := askRust(t, compiler, src, "tso"); got != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%+v: %s (%s)", c, got, why)
		}
	}
}

// TestRustExecutable: the library that an executable of Rust has in it is taken for what it is, where it is called through
// the table of addresses, too.
func TestRustExecutable(t *testing.T) {
	text := `use std::sync::atomic::{AtomicUsize, Ordering::*};
static N: AtomicUsize = AtomicUsize::new(0);
fn main() { N.fetch_add(1, SeqCst); assert!(N.load(SeqCst) == if cfg!(bug) { 2 } else { 1 }); }
`
	dir := t.TempDir()
	src, out := filepath.Join(dir, "a.rs"), filepath.Join(dir, "a")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	compilers := []string{recentRustc()}
	if testkit.Slow() {
		compilers = append(compilers, debianRustc())
	}
	for _, compiler := range compilers {
		if compiler == "" {
			t.Skip("there is no rustc of one of the two versions here")
		}
		for want, flags := range map[string][]string{"safe": nil, "unsafe": {"--cfg", "bug"}} {
			arguments := append(flags, "-A", "warnings", "--edition", "2021", "-C", "panic=abort", "-O", "-g", "-o", out, src)
			if msg, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, msg)
			}
			executable, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got, why := ask(t, query.Input{Name: "a", Text: executable}, "tso", 0); got != want {
				t.Errorf("%s: %s (%s), want %s", compiler, got, why, want)
			}
		}
	}
}
