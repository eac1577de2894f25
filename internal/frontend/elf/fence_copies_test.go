package elf_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/frontend/elf"
	"fencepost/internal/ir"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// Lines of the source of which the compiler makes several pieces of machine code. Every load of another thread's data has a line.

const inlinedTwice = `#include <assert.h>
#include <pthread.h>
volatile int flag[2], seen[2];
static inline __attribute__((always_inline)) void enter(int me) {
  flag[me] = 1;
  int other = flag[1 - me];
  seen[me] = other;
}
void *left(void *arg) { enter(0); return 0; }
void *right(void *arg) { enter(1); return 0; }
#define FINAL seen[0] || seen[1]
` + twoThreads

const unrolled = `#include <assert.h>
#include <pthread.h>
volatile int x[2], y[2];
int a[2], b[2];
void *left(void *arg) {
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    x[i] = 1;
    a[i] = y[i];
  }
  return 0;
}
void *right(void *arg) {
  for (int i = 0; i < 2; i++) {
    y[i] = 1;
    __sync_synchronize();
    b[i] = x[i];
  }
  return 0;
}
#define FINAL (a[0] || b[0]) && (a[1] || b[1])
` + twoThreads

const instances = `#include <assert.h>
#include <atomic>
#include <pthread.h>
std::atomic<int> flag[2], seen[2];
template <int Me> __attribute__((noinline)) void enter() {
  flag[Me].store(1, std::memory_order_relaxed);
  int other = flag[1 - Me].load(std::memory_order_relaxed);
  seen[Me].store(other, std::memory_order_relaxed);
}
void *left(void *arg) { enter<0>(); return 0; }
void *right(void *arg) { enter<1>(); return 0; }
#define FINAL seen[0] || seen[1]
` + twoThreads

// TestFenceCopies: what the compiler made of one position in the source is one site. The answer has as many fences as the
// smallest set of sites that suffices, by brute force; and fences written into the source at these lines are enough in
// what the compiler makes of it then.
func TestFenceCopies(t *testing.T) {
	for _, c := range []struct {
		name, cc, file, text, flags string
		lines                       []int // of the fences
		instructions                []int // how many instructions each stands before
	}{
		{"inlined", "gcc", "a.c", inlinedTwice, "-c -O2", []int{6}, []int{2}},
		{"inlined by clang", "clang", "a.c", inlinedTwice, "-c -O2", []int{6}, []int{2}},
		{"unrolled", "gcc", "a.c", unrolled, "-c -O2", []int{9}, []int{2}},
		{"instances", "g++", "a.cc", instances, "-c -O1", []int{7}, []int{2}},
		{"without debug information", "gcc", "a.c", inlinedTwice, "-c -O2 -g0", []int{0, 0}, []int{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			object, ok := compileWith(t, c.cc, c.file, []byte(c.text), strings.Fields(c.flags)...)
			if !ok {
				t.Fatal("the compiler refuses it")
			}
			opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
			opt.For, opt.Workers, opt.Timeout = query.ForAssertions, 1, 0
			a, err := fences.Run(context.Background(), query.Input{Name: "a.o", Text: object}, opt)
			if err != nil || a.HasErrors() {
				t.Fatal(err, a.Diagnostics)
			}
			r := &a.Results[0]
			var lines, instructions []int
			for i := range r.Fences {
				line := 0
				if r.Fences[i].Pos.Source != "" {
					_, line = r.Fences[i].Pos.SourceLine()
				}
				lines, instructions = append(lines, line), append(instructions, max(1, len(r.Fences[i].Instructions)))
			}
			if r.Verdict != verdict.Safe || !slices.Equal(lines, c.lines) || !slices.Equal(instructions, c.instructions) {
				t.Fatalf("%v, fences before lines %v, with %v instructions; want %v, %v (%s)", r.Verdict, lines, instructions, c.lines, c.instructions, r.Reason)
			}
			if fewest := fewestSites(t, object, len(r.Fences)); fewest != len(r.Fences) {
				t.Errorf("%d fences, brute force needs %d", len(r.Fences), fewest)
			}
			if lines[0] == 0 {
				return
			}
			text := strings.Split(c.text, "\n")
			for _, line := range lines {
				text[line-1] = "__atomic_thread_fence(__ATOMIC_SEQ_CST);" + text[line-1]
			}
			object, ok = compileWith(t, c.cc, c.file, []byte(strings.Join(text, "\n")), strings.Fields(c.flags)...)
			if v := underTSO(t, object, nil); !ok || v != verdict.Safe {
				t.Errorf("with the fences in the source: %v", v)
			}
		})
	}
}

// TestRemoveCopies: a fence of the source that the compiler has copied is removed in all copies, or in none.
func TestRemoveCopies(t *testing.T) {
	fence := "__sync_synchronize();\n"
	text := strings.Replace(inlinedTwice, "  int other", fence+fence+"  int other", 1)
	object, ok := compile(t, "a.c", []byte(text), "-c", "-O2")
	if !ok {
		t.Fatal("gcc refuses it")
	}
	opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
	opt.Workers, opt.Timeout, opt.Remove = 1, 0, true
	a, err := fences.Run(context.Background(), query.Input{Name: "a.o", Text: object}, opt)
	if err != nil || a.HasErrors() {
		t.Fatal(err, a.Diagnostics)
	}
	rep := a.Results[0].Repair
	if rep.Present != 2 || len(rep.Redundant) != 1 || len(rep.Redundant[0].Instructions) != 2 {
		t.Errorf("%d fences, of which these can be removed: %+v; want 2, and 1 with 2 instructions", rep.Present, rep.Redundant)
	}
}

// fewestSites returns the size of the smallest set of sites that suffices, up to a bound.
func fewestSites(t *testing.T, object []byte, most int) int {
	t.Helper()
	u, diags := elf.Parse([]*source.File{source.NewFile("a.o", object)}, elf.Options{Sites: true})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	var enough func(n, from int, at map[uint64]string) bool
	enough = func(n, from int, at map[uint64]string) bool {
		if n == 0 {
			return underTSO(t, object, at) == verdict.Safe
		}
		for i := from; i < len(u.Sites); i++ {
			for _, addr := range u.Addresses[i] {
				at[addr] = ir.FullFence.String()
			}
			if enough(n-1, i+1, at) {
				return true
			}
			for _, addr := range u.Addresses[i] {
				delete(at, addr)
			}
		}
		return false
	}
	for n := range most {
		if enough(n, 0, map[uint64]string{}) {
			return n
		}
	}
	if !enough(most, 0, map[uint64]string{}) {
		return most + 1
	}
	t.Logf("%d sites", len(u.Sites))
	return most
}

// underTSO checks an object with fences before some instructions.
func underTSO(t *testing.T, object []byte, at map[uint64]string) verdict.Verdict {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout, opt.C.Fences, opt.Engines = 1, 0, at, query.Engines{"explicit"}
	a, err := check.Run(context.Background(), query.Input{Name: "a.o", Text: object}, opt.Under("tso"))
	if err != nil || a.HasErrors() {
		t.Fatal(err, a.Diagnostics)
	}
	return a.Results[0].Verdict
}
