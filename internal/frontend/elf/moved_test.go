package elf_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// Of work, gcc removes the first store to z and the last statement, and stores to z before it reads y.
const movedText = `#include <assert.h>
#include <pthread.h>
int x, y, z;
volatile int go;
__attribute__((noinline)) void work(void) {
  z = 7;
  x = y + 1;
  y = 0;
  z = 8;
  // a comment = nothing
  int unused = 5;
  if (unused == 6)
    z = 9;
}
void *left(void *arg) {
  go = 1;
  work();
  return 0;
}
int main(void) {
  pthread_t t;
  y = 3;
  pthread_create(&t, 0, left, 0);
  while (!go) ;
  assert(y == 3);
  pthread_join(t, 0);
  return 0;
}
`

// TestMoved: an answer says which accesses come after those of later lines, and which statements have no instruction. What
// is compiled without optimisation has none of either.
func TestMoved(t *testing.T) {
	for flags, want := range map[string][2]string{
		"-c -O2": {"7 after 9", "a.c:11 a.c:12 a.c:6"},
		"-c -O0": {"", ""},
	} {
		object, ok := compile(t, "a.c", []byte(movedText), strings.Fields(flags)...)
		if !ok {
			t.Fatal("gcc refuses it")
		}
		opt := query.CheckOptions{Options: query.Defaults()}
		opt.Workers, opt.Timeout = 1, 0
		opt.C.Include = func(name string) ([]byte, bool) { return []byte(movedText), name == "a.c" }
		a, err := check.Run(context.Background(), query.Input{Name: "a.o", Text: object}, opt.Under("sc"))
		if err != nil || a.HasErrors() || a.Results[0].Listing == nil {
			t.Fatalf("%v %v", err, a.Diagnostics)
		}
		l := a.Results[0].Listing
		var moved []string
		for _, line := range l.Lines {
			if _, n := (verdict.Pos{Source: line.Source}).SourceLine(); line.Before > 0 {
				moved = append(moved, fmt.Sprintf("%d after %d", n, line.Before))
			}
		}
		if got := strings.Join(l.Removed, " "); got != want[1] || want[0] == "" && len(moved) > 0 || want[0] != "" && !slices.Contains(moved, want[0]) {
			t.Errorf("%s: moved %q, removed %q; want %q, %q", flags, moved, got, want[0], want[1])
		}
		if l.File != "a.o" || len(l.Lines) < 10 {
			t.Errorf("%s: %d lines of %s", flags, len(l.Lines), l.File)
		}
	}
}
