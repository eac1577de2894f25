package elf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRustTexts: printing a value whose text is made by code of the program is supported if that code does nothing else.
func TestRustTexts(t *testing.T) {
	type program struct{ name, want, why, text string }
	programs := []program{
		{"code that only makes a text", "safe", "", `use std::fmt;
#[derive(Debug)] enum K { A, B(u8) }
struct D(u32); impl fmt::Display for D { #[inline(never)] fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { f.write_str(if self.0 > 1 { "many" } else { "few" }) } }
fn main() { println!("{} {:?} {:?}", D(3), K::B(3), K::A); }
`},
		{"code that counts", "unknown", "is not known to do only that", `use std::fmt; use std::sync::atomic::{AtomicU32, Ordering::*};
static X: AtomicU32 = AtomicU32::new(0);
struct D; impl fmt::Display for D { #[inline(never)] fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { X.fetch_add(1, SeqCst); f.write_str("d") } }
fn main() { println!("{}", D); assert!(X.load(SeqCst) == 1); }
`},
		{"code that counts, behind a table of methods", "unknown", "is not known to do only that", `use std::fmt; use std::sync::atomic::{AtomicU32, Ordering::*};
static X: AtomicU32 = AtomicU32::new(0);
struct D; impl fmt::Debug for D { #[inline(never)] fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { X.store(1, Relaxed); f.write_str("d") } }
#[derive(Debug)] struct E { d: D }
fn main() { println!("{:?}", E { d: D }); assert!(X.load(SeqCst) == 1); }
`},
		{"a mutex, which is locked for its text", "unknown", "is not known to do only that", `use std::sync::Mutex;
fn main() { let m = Mutex::new(1u8); let g = m.lock().unwrap(); println!("{:?}", m); drop(g); }
`},
	}
	for version, compiler := range map[string]string{"1.63": rustc(t), "1.95": recentRustc()} {
		for _, c := range programs {
			if compiler == "" {
				continue
			}
			src := filepath.Join(t.TempDir(), "a.rs")
			if err := os.WriteFile(src, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, why := askRust(t, compiler, src, "tso"); got != c.want || !strings.Contains(why, c.why) {
				t.Errorf("%s, rustc %s: %s (%s), want %s", c.name, version, got, why, c.want)
			}
		}
	}
}
