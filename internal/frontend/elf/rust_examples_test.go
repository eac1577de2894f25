package elf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/frontend/elf"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// TestRustExamples: each example in Rust is safe, and not with its mistake. make fuzz tries all of them with both
// compilers.
func TestRustExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "rust", "*.rs"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for version, compiler := range map[string]string{"1.63": rustc(t), "1.95": recentRustc()} {
		for _, file := range files {
			if compiler == "" || !testkit.Slow() && filepath.Base(file) != "seqlock.rs" {
				continue
			}
			t.Run(filepath.Base(file)+"/"+version, func(t *testing.T) {
				for want, flags := range map[string][]string{"safe": nil, "unsafe": {"--cfg", "bug"}} {
					if got, why := askRust(t, compiler, file, "tso", flags...); got != want {
						t.Errorf("%s: %s (%s), want %s", flags, got, why, want)
					}
				}
			})
		}
	}
}

// TestPanics: what a panic says is in the answer, as far as the machine code has it: {} stands for values.
func TestPanics(t *testing.T) {
	const text = `use std::sync::atomic::{AtomicUsize, Ordering::*};
static N: AtomicUsize = AtomicUsize::new(0);
#[inline(never)] fn option() -> Option<usize> { N.load(SeqCst).checked_sub(1) }
#[inline(never)] fn result() -> Result<usize, u32> { if N.load(SeqCst) == 9 { Ok(1) } else { Err(2) } }
fn main() {
    N.store(7, SeqCst);
    let x = N.load(SeqCst);
    assert!(x == 1);
    assert!(N.load(SeqCst) == 2, "plain text");
    assert!(N.load(SeqCst) == 3, "x is {}", x);
    assert_eq!(N.load(SeqCst), 4);
    assert_ne!(N.load(SeqCst), 5, "why");
    option().unwrap();
    option().expect("must be");
    result().expect("must not fail");
    if N.load(SeqCst) == 6 { unreachable!() }
    if N.load(SeqCst) == 7 { todo!() }
    let _ = 5 / N.load(SeqCst);
    let _ = [1, 2][N.load(SeqCst)];
}
`
	all := []string{
		"assertion failed: x == 1", "called `Option::unwrap()` on a `None` value", "must be", "must not fail: an `Err` value",
		"internal error: entered unreachable code", "not yet implemented", "attempt to divide by zero", "index out of bounds",
	}
	src := filepath.Join(t.TempDir(), "a.rs")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for compiler, sides := range map[string][]string{
		rustc(t):      nil, // its texts are elsewhere
		recentRustc(): {"plain text", "x is {}", "assertion `left == right` failed", "assertion `left != right` failed: why"},
	} {
		if compiler == "" {
			continue
		}
		says := panicsOf(t, compiler, src)
		for _, want := range slices.Concat(all, sides) {
			if !slices.Contains(says, "panic: "+want) {
				t.Errorf("%s: no panic says %q: %q", compiler, want, says)
			}
		}
	}
}

// panicsOf returns what the assertions of a program say.
func panicsOf(t *testing.T, compiler, src string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.o")
	if msg, err := exec.Command(compiler, "-A", "warnings", "--edition", "2021", "--emit=obj", "-C", "panic=abort", "-O", "-g", "-o", out, src).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	u, diags := elf.Parse([]*source.File{source.NewFile("a.o", object)}, elf.Options{})
	if u.Program == nil {
		t.Fatal(diags.All)
	}
	var says []string
	for _, f := range u.Program.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Assert && strings.HasPrefix(op.Report.Msg, "panic: ") {
				says = append(says, op.Report.Msg)
			}
		}
	}
	return says
}
