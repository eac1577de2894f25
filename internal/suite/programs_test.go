package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/verdict"
)

func testKeys() []Key {
	return []Key{{Name: "sc", Answers: []string{"safe", "unsafe"}}, {Name: "robust", Answers: []string{"yes", "no"}}, {Name: "fences"}}
}

func TestExpectations(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"", "[] [false  0 0 0 0 0 0 0 []]"},
		{"// expect: sc=safe robust=no", "[{sc safe 1} {robust no 1}] [false  0 0 0 0 0 0 0 []]"},
		{"var x;\r\n  /* expect: sc=unsafe */\r\n// options: --buffer 2 --deadlock\r\n", "[{sc unsafe 2}] [true  2 0 0 0 0 0 0 []]"},
		{"(* expect: fences=12 *)\n# expect: sc=safe\n * expect: robust=yes\n-- options: --threads=3 --unroll 4", "[{fences 12 1} {sc safe 2} {robust yes 3}] [false  0 4 3 0 0 0 0 []]"},
		{`printf("// expect: sc=safe");` + "\nx = 1; // expect: sc=safe\n// we expect: sc=safe", "[] [false  0 0 0 0 0 0 0 []]"},
		{"// expect:", "line 1: the expect: comment is empty"},
		{"\n// expect: safe", `line 2: "safe" does not have the form question=answer`},
		{"// expect: arm=safe", `line 1: unknown question "arm"; known: sc, robust, fences`},
		{"// expect: sc=maybe", `line 1: sc cannot be "maybe": want safe, unsafe`},
		{"// expect: fences=two", `line 1: fences cannot be "two": want a number`},
		{"// expect: fences=", `line 1: fences cannot be "": want a number`},
		{"// expect: sc=safe\n// expect: sc=safe", "line 2: sc is expected twice, first in line 1"},
		{"// options: --rounds 2 --clock=3 --queue 4 --width 5 --nondet-range -1..4", "[] [false  0 0 0 2 3 4 5 [-1 4]]"},
		{"// options: --liveness spin --deadlock", "[] [true spin 0 0 0 0 0 0 0 []]"},
		{"// options: --liveness", "line 1: --liveness needs one of off, spin, fair"},
		{"// options: --queue 1", "line 1: --queue needs a number from 2"},
		{"// options: --nondet-range 4..1", "line 1: --nondet-range needs two whole numbers"},
		{"// options: --nondet-range", "line 1: --nondet-range needs two whole numbers"},
		{"// options: --fast", `line 1: unknown option "--fast"`},
		{"// options: --buffer", "line 1: --buffer needs a number from 1"},
		{"// options: --buffer 0", "line 1: --buffer needs a number from 1"},
		{"// options: --deadlock=1", `line 1: unknown option "--deadlock=1"`},
	} {
		list, opt, err := Expectations(c.text, testKeys())
		got := fmt.Sprint(list, " ", []any{opt.Deadlock, opt.Liveness, opt.Buffer, opt.Unroll, opt.Threads, opt.BMC.Rounds, opt.BMC.Clock, opt.BMC.Queue, opt.BMC.Width, opt.C.NondetRange})
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.fp": "// expect: sc=safe robust=no fences=1\n// options: --buffer 3", "b.fp": "// expect: sc=safe", "c.fp": "// expect: sc=unsafe",
		"d.fp": "// expect: sc=safe", "e.fp": "// expect: oops", "f.fp": "nothing", "g.txt": "// expect: sc=safe", "h.fp": "// expect: sc=safe",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	keys := testKeys()
	keys[0].Ask = func(ctx context.Context, p Program) (Reply, error) {
		switch filepath.Base(p.Name) {
		case "a.fp":
			return Reply{Answer: "safe", Detail: fmt.Sprint(p.Options.Buffer)}, nil
		case "b.fp":
			return Reply{Answer: "unsafe", Detail: "because"}, nil
		case "c.fp":
			return Reply{Refused: true, Detail: "broken"}, nil
		case "h.fp":
			<-ctx.Done() // the time limit of the program ends it
			return Reply{}, ctx.Err()
		default:
			return Reply{}, errors.New("bug")
		}
	}
	keys[1].Ask = func(context.Context, Program) (Reply, error) { return Reply{Answer: "no"}, nil }
	var got []string
	p := &Programs{Paths: []string{dir}, Extensions: []string{".fp"}, Keys: keys, Workers: 3, Timeout: 20 * time.Millisecond}
	p.Done = func(t *verdict.ProgramTest) {
		line := filepath.Base(t.File) + " " + t.Problem
		for _, o := range t.Outcomes {
			line += fmt.Sprintf("[%s %s %s %s]", o.Key, o.Status, o.Got, o.Detail)
		}
		got = append(got, line)
	}
	sum, err := p.RunAll(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.fp [sc ok safe 3][robust ok no ][fences not checked  ]", "b.fp [sc FAIL unsafe because]", "c.fp [sc REFUSED  broken]", "d.fp [sc BROKEN  bug]",
		`e.fp "oops" does not have the form question=answer`, "h.fp [sc FAIL unknown time limit reached or interrupted]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	sum.Seconds = 0
	if want := (verdict.TestSummary{Programs: 6, Without: 1, Problems: 1, Passed: 2, Failed: 2, Refused: 1, Broken: 1, NotChecked: 1}); sum != want {
		t.Errorf("summary %+v, want %+v", sum, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if sum, err := p.RunAll(ctx); err != nil || sum.NotRun != 6 {
		t.Errorf("interrupted: %+v, %v", sum, err)
	}
	p.Paths = []string{filepath.Join(dir, "f.fp")}
	got = nil
	if sum, err := p.RunAll(context.Background()); err != nil || sum.Problems != 1 {
		t.Errorf("a named file without expectation: %+v, %v", sum, err)
	}
	p.Paths = []string{filepath.Join(dir, "none")}
	if _, err := p.RunAll(context.Background()); err == nil {
		t.Error("a missing path is no error")
	}
}

// A program that an interruption left without an answer was not run, even where
// no answer is expected.
func TestProgramsInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.fp")
	if err := os.WriteFile(name, []byte("// expect: sc=unknown"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := Programs{
		Paths: []string{name}, Extensions: []string{".fp"},
		Keys: []Key{{Name: "sc", Answers: []string{"safe", "unknown"}, Ask: func(context.Context, Program) (Reply, error) {
			cancel()
			return Reply{Answer: "unknown", Detail: "interrupted"}, nil
		}}},
		Done: func(t *verdict.ProgramTest) { panic("reported: " + t.File) },
	}
	if sum, err := p.RunAll(ctx); err != nil || sum.NotRun != 1 || sum.Passed != 0 {
		t.Errorf("%v, %+v", err, sum)
	}
}
