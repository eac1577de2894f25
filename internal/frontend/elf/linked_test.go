package elf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/query"
)

// TestLinked: linked executables of all kinds have the verdicts of their sources.
func TestLinked(t *testing.T) {
	want := map[string]string{"dekker": "unsafe", "mcs": "safe", "spsc": "safe", "treiber": "unsafe"}
	for _, kind := range []string{"-O2 -no-pie", "-O2 -pie", "-O0 -no-pie", "-O1 -static", "-O1 -static-pie", "-O1 -fcf-protection", "-O2 -Wl,-z,now -fno-plt"} {
		for name, verdict := range want {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", name+".c"))
			if err != nil {
				t.Fatal(err)
			}
			exe, ok := compile(t, name+".c", text, append(strings.Fields(kind), "-pthread")...)
			if !ok {
				t.Logf("gcc does not link with %s here", kind)
				continue
			}
			if got, why := ask(t, query.Input{Name: name, Text: exe}, "tso", 0); got != verdict {
				t.Errorf("%s %s: %s (%s), want %s", name, kind, got, why, verdict)
			}
		}
	}
}

// program asks about the program that gcc makes of a text.
func program(t *testing.T, text, flags, model string, opt query.COptions) (verdict, reason string) {
	t.Helper()
	object, ok := compile(t, "a.c", []byte(text), strings.Fields(flags)...)
	if !ok {
		t.Fatalf("gcc %s refuses it", flags)
	}
	return askWith(t, query.Input{Name: "a", Text: object}, model, 0, opt)
}

const neighbours = `#include <assert.h>
#include <pthread.h>
static int a[4], b[4]; static int total; int *end = &a[4], *inside = &b[2];
static void *work(void *arg) {
  for (volatile int *p = a; p < a + 4; p++) *p = 2;
  for (volatile int *p = b; p != b + 4; p++) *p = 3;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  for (int *p = a; p != end; p++) total += *p;
  for (int i = 1; i <= 4; i++) total += b[i - 1];
  assert(total == 20);
  assert(*inside == 3);
  return 0;
}
`

// TestNeighbours: an address after a variable is not one of the next variable, whatever the code names it by.
func TestNeighbours(t *testing.T) {
	for _, flags := range []string{"-c -O0", "-c -O1", "-c -O2", "-c -O2 -fno-pie", "-O2", "-O2 -no-pie", "-O1 -static", "-O2 -static-pie", "-O3 -c -fno-section-anchors"} {
		if got, why := program(t, neighbours, flags, "tso", query.COptions{}); got != "safe" {
			t.Errorf("%s: %s (%s)", flags, got, why)
		}
	}
}

const noMain = `#include <assert.h>
volatile int x, y; int a, b, started;
__attribute__((constructor)) static void start(void) { started = 1; }
__attribute__((constructor(200))) static void before(void) { assert(started == 0); }
void *left(void *arg) { x = 1; a = y; return 0; }
void *right(void *arg) { y = (long)arg; b = x; return 0; }
void both(void) { assert(started == 1); assert(a || b); }
`

// TestEntry: functions run as threads, and constructors before them.
func TestEntry(t *testing.T) {
	for _, c := range []struct{ entries, finally, model, want string }{
		{"left right(1)", "both", "sc", "safe"},
		{"left right(1)", "both", "tso", "unsafe"},
		{"left right", "both", "sc", "unsafe"}, // y stays 0
		{"left right(1)", "", "tso", "safe"},
		{"left right(1) nothing", "", "tso", "error"},
		{"", "both", "tso", "error"},
		{"left(", "both", "tso", "error"},
	} {
		for _, flags := range []string{"-c -O0", "-c -O2"} {
			opt := query.COptions{Entry: strings.Fields(c.entries), Finally: c.finally}
			if got, why := program(t, noMain, flags, c.model, opt); got != c.want {
				t.Errorf("%+v %s: %s (%s)", c, flags, got, why)
			}
		}
	}
}

// TestEntryMain: a function of --entry may be called main, and a function of the program may have the name of one of the
// library that the library of fencepost brings, too.
func TestEntryMain(t *testing.T) {
	const text = `#include <assert.h>
#include <errno.h>
#include <stdlib.h>
volatile int x = 1;
int *__errno_location(void) { static int e; return &e; } int abs(int n) { return n < 0 ? -n : n; }
int (*volatile f)(int) = abs; int *(*volatile e)(void) = __errno_location;
int main(void) { errno = strtol("7", 0, 10); assert(f(-x) == 1 && *e() == %d); return 0; }
`
	for _, flags := range []string{"-c -O0", "-c -O2", "-O1", "-O1 -static"} {
		for value, want := range map[int]string{7: "safe", 8: "unsafe"} {
			for _, entry := range [][]string{nil, {"main"}} {
				if got, why := program(t, fmt.Sprintf(text, value), flags, "tso", query.COptions{Entry: entry}); got != want {
					t.Errorf("%s, --entry %s, %d: %s (%s), want %s", flags, entry, value, got, why, want)
				}
			}
		}
	}
}

// TestPointersToLibrary: in a file with fixed addresses, a number that is the address of an entry of the linkage table is
// the function of the library.
func TestPointersToLibrary(t *testing.T) {
	const text = `#include <assert.h>
#include <stdlib.h>
void *(*volatile f)(size_t); void (*volatile g)(void *) = free;
int main(void) { f = malloc; int *p = f(8); *p = 3; assert(*p == 3); g(p); return 0; }
`
	for _, flags := range []string{"-O0 -no-pie -fno-pic", "-O2 -no-pie -fno-pic", "-O1 -no-pie -fno-pic -fcf-protection", "-O2"} {
		if got, why := program(t, text, flags, "tso", query.COptions{}); got != "safe" {
			t.Errorf("%s: %s (%s)", flags, got, why)
		}
		if got, why := program(t, strings.Replace(text, "*p == 3", "*p == 4", 1), flags, "tso", query.COptions{}); got != "unsafe" || strings.Contains(why, "pointer") {
			t.Errorf("%s, wrong: %s (%s)", flags, got, why)
		}
	}
}
