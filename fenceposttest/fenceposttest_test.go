package fenceposttest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/fenceposttest"
	"fencepost/query"
)

const dekker = "../examples/dekker.c"

func TestExamples(t *testing.T) {
	fenceposttest.Safe(t, dekker, query.CheckOptions{Models: []query.Model{query.SC}})
	if r := fenceposttest.Unsafe(t, dekker, query.CheckOptions{}); r[0].Witness == nil {
		t.Error("no execution")
	}
	if a := fenceposttest.NotRobust(t, dekker, query.RobustOptions{}); len(a) == 0 {
		t.Error("no attack")
	}
	fenceposttest.Fences(t, dekker, 1, query.FenceOptions{})
	fenceposttest.Robust(t, "../examples/mp.fp", query.RobustOptions{})
}

// A C program reads the files beside it.
func TestIncludes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.h": "int x;\n",
		"one.c": "#include \"one.h\"\n#include <assert.h>\nint main(void) { x = 1; assert(x == 1); return 0; }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fenceposttest.Safe(t, filepath.Join(dir, "one.c"), query.CheckOptions{})
}

// failing is a test that notes how it failed.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper()                        {}
func (f *failing) Errorf(format string, a ...any) { f.text += fmt.Sprintf(format, a...) }
func (f *failing) Fatalf(format string, a ...any) { f.text += fmt.Sprintf(format, a...); panic(f) }

// Every expectation that is not met fails the test, with what is wrong.
func TestFailures(t *testing.T) {
	refused := filepath.Join(t.TempDir(), "bad.fp")
	if err := os.WriteFile(refused, []byte("thread t { x = 1; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ask  func(testing.TB)
		want string
	}{
		{"unsafe", func(t testing.TB) { fenceposttest.Safe(t, dekker, query.CheckOptions{}) }, "is unsafe under tso, want safe"},
		{"safe", func(t testing.TB) {
			fenceposttest.Unsafe(t, dekker, query.CheckOptions{Models: []query.Model{query.SC}})
		}, "is safe under sc, want unsafe"},
		{"not robust", func(t testing.TB) { fenceposttest.Robust(t, dekker, query.RobustOptions{}) }, "can delay its store"},
		{"another number", func(t testing.TB) { fenceposttest.Fences(t, dekker, 2, query.FenceOptions{}) }, "1 fences, want 2"},
		{"refused", func(t testing.TB) { fenceposttest.Safe(t, refused, query.CheckOptions{}) }, "is refused"},
		{"an option", func(t testing.TB) {
			fenceposttest.Safe(t, dekker, query.CheckOptions{Models: []query.Model{"arm"}})
		}, `unknown memory model "arm", want sc, tso or pso`},
	} {
		f := &failing{TB: t}
		func() {
			defer func() {
				if r := recover(); r != nil && r != any(f) {
					panic(r)
				}
			}()
			c.ask(f)
		}()
		if !strings.Contains(f.text, c.want) {
			t.Errorf("%s: failed with %q, want %q", c.name, f.text, c.want)
		}
	}
}
