package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.litmus", "a/z.LITMUS", "a/b/c.litmus", "a/readme.txt", "other/x.txt")
	tests, err := Find([]string{dir, filepath.Join(dir, "a", "readme.txt"), filepath.Join(dir, "a")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, test := range tests {
		got = append(got, fmt.Sprint(strings.ReplaceAll(filepath.ToSlash(test.Name), filepath.ToSlash(dir), "D"), " ", test.Found))
	}
	want := []string{"a/b/c.litmus true", "a/z.LITMUS true", "b.litmus true", "D/a/readme.txt false"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	for _, bad := range []string{"nowhere", "other"} {
		_, err := Find([]string{filepath.Join(dir, bad)})
		if input := (*query.InputError)(nil); !errors.As(err, &input) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := Find([]string{filepath.Join(dir, "nowhere")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestParseExpectedErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "want a table",
		"file\tmodel\n":                    "line 1: want the columns",
		columns + "\na\tsc\n":              "line 2: want 6 columns, found 2",
		columns + "\na\tsc\tOk\tA\t2\tx=1": `line 2: "2" states announced, 1 found`,
		columns + "\na\tsc\tOk\tA\tk\tx=1": `line 2: "k" states announced, 1 found`,
		columns + "\na\tsc\tOk\tA\t0\t\na\tsc\tOk\tA\t0\t": "line 3: a second answer for a under sc",
	} {
		if _, err := ParseExpected(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// result is an answer under a model.
func result(model, word, observation string, states ...string) verdict.Result {
	return verdict.Result{Model: model, Details: verdict.Details{FinalStates: states, Litmus: &verdict.Litmus{Verdict: word, Observation: observation}}}
}

func TestCompare(t *testing.T) {
	expected, err := ParseExpected(columns + "\n" +
		"d/a.litmus\tsc\tNo\tNever\t1\t1:rax=0 [x]=1\n" +
		"d/a.litmus\ttso\tOk\tSometimes\t2\t[x]=1 1:rax=0;1:rax=1 [x]=1\n" +
		"b.litmus\tsc\tOk\tAlways\t0\t\n" +
		"gone.litmus\tsc\tOk\tAlways\t0\t\n")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]verdict.Result{
		"D/d/a.litmus": {result("sc", "No", "Never", "1:rax=0; [x]=1;"), result("tso", "No", "Never", "1:rax=0; [x]=1;", "1:rax=2; [x]=1;")},
		"D/b.litmus":   {result("sc", "Ok", "Always"), result("tso", "Ok", "Always")},
		"D/new.litmus": {result("sc", "Ok", "Always")},
		"D/c.litmus":   nil,
		"E/d/a.litmus": {result("sc", "No", "Never", "1:rax=0; [x]=1;")},
	}
	run := func(tests ...Test) (verdict.LitmusSummary, []string) {
		s := &Suite{Tests: tests, Models: []string{"sc", "tso"}, Expected: expected, Workers: 3, Done: func(*verdict.LitmusTest) {}}
		s.Run = func(_ context.Context, name string, _ []byte) (verdict.LitmusTest, error) {
			return verdict.LitmusTest{Results: answers[name]}, nil
		}
		sum := s.RunAll(context.Background())
		var all []string
		for _, d := range sum.Differences {
			all = append(all, strings.TrimSpace(d.File+" "+d.Model)+": "+d.Message)
		}
		return sum, all
	}
	in := func(name string) Test { return Test{Path: "D/" + name, Name: name, Found: true, Text: []byte{}} }
	expected.answers["c.litmus"] = map[string]answer{"sc": {}}
	sum, got := run(in("b.litmus"), in("c.litmus"), in("d/a.litmus"), in("new.litmus"))
	want := []string{
		"b.litmus tso: no answer is expected under this model",
		"c.litmus: the test did not run",
		"d/a.litmus tso: verdict No, expected Ok",
		"d/a.litmus tso: observation Never, expected Sometimes",
		"d/a.litmus tso: unexpected state 1:rax=2 [x]=1",
		"d/a.litmus tso: missing state 1:rax=1 [x]=1",
		"new.litmus: no answer is expected for this test",
		"gone.litmus: expected, but there is no such test",
	}
	if !slices.Equal(got, want) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !sum.Compared || sum.Expected != 3 || sum.Tests != 4 || sum.Runs != 5 || sum.Ok != 3 || sum.No != 2 || sum.Never != 2 || sum.Always != 3 {
		t.Errorf("summary %+v", sum)
	}
	// A file named itself is known by the end of its path, and the rest is not missed.
	if _, got := run(Test{Path: "E/d/a.litmus", Name: "E/d/a.litmus", Text: []byte{}}); len(got) != 0 {
		t.Errorf("differences %q", got)
	}
	if _, got := run(Test{Path: "z.litmus", Name: "z.litmus", Text: []byte{}}); len(got) != 1 {
		t.Errorf("differences %q", got)
	}
}

// Results come in order, whatever order the tests end in, and every test once.
func TestInOrder(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		const n = 50
		var ran [n]atomic.Int32
		gate := make(chan struct{})
		var order []int
		last := 0
		inOrder(n, workers, func(i int) int {
			if i == 0 && workers > 1 {
				<-gate // the first ends after the second
			}
			if i == 1 && workers > 1 {
				close(gate)
			}
			ran[i].Add(1)
			return i * i
		}, func(done int) {
			if done != last+1 {
				t.Errorf("%d are done after %d", done, last)
			}
			last = done
		}, func(i, square int) {
			if square != i*i {
				t.Errorf("%d came with %d", i, square)
			}
			order = append(order, i)
		})
		for i := range n {
			if ran[i].Load() != 1 || order[i] != i {
				t.Fatalf("%d workers: %d ran %d times, place %d has %d", workers, i, ran[i].Load(), i, order[i])
			}
		}
	}
}

func TestRunAll(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.litmus", "b.litmus")
	tests, err := Find([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	tests = append(tests, Test{Path: filepath.Join(dir, "gone.litmus"), Name: "gone.litmus"}, Test{Path: "-", Name: "-", Text: []byte("bad")})
	var seen []string
	s := &Suite{Tests: tests, Models: []string{"sc"}, Workers: 2}
	s.Run = func(_ context.Context, name string, text []byte) (verdict.LitmusTest, error) {
		if string(text) == "bad" {
			return verdict.LitmusTest{}, errors.New("broken")
		}
		r := result("sc", "Unknown", "Unknown")
		r.Coverage.Bounds = []verdict.Bound{{Name: "unroll"}}
		return verdict.LitmusTest{Results: []verdict.Result{r}}, nil
	}
	s.Done = func(t *verdict.LitmusTest) {
		seen = append(seen, fmt.Sprintf("%s %d %v %s", t.Name, len(t.Results), t.Refused(), t.Failure))
	}
	sum := s.RunAll(context.Background())
	if want := []string{"a.litmus 1 false ", "b.litmus 1 false ", "gone.litmus 0 true ", "- 0 false broken"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	if sum.Tests != 4 || sum.Runs != 2 || sum.Unknown != 2 || sum.Bounded != 2 || sum.Refused != 1 || sum.Failed != 1 || sum.Compared {
		t.Errorf("summary %+v", sum)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if sum := s.RunAll(ctx); sum.NotRun != 4 || sum.Tests != 0 {
		t.Errorf("interrupted before it began: %+v", sum)
	}
}
