package bench_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	oldBinary   = flag.String("fp.old", "", "binary whose answers the new one must give")
	newBinary   = flag.String("fp.new", "", "binary that is compared with it")
	answerLimit = flag.Duration("fp.limit", 60*time.Second, "time for one answer; a question that takes longer is left out")
	answerOnly  = flag.String("fp.only", "", "compare only programs whose names contain this")
)

// questions are the commands each program is asked with. Engines are named, since the
// portfolio may take the answer of whichever engine is first.
var questions = [][]string{
	{"check", "--engine", "explicit", "--model", "sc,tso,pso", "--final-states"},
	{"check", "--engine", "smc", "--model", "sc,tso,pso"},
	{"check", "--engine", "lazy"},
	{"check", "--races", "--engine", "smc"},
	{"robust"},
	{"robust", "--criterion", "trf"},
	{"robust", "--criterion", "state"},
	{"fences"},
	{"show"},
}

// TestAnswers asks two binaries every question about every program of the corpus, the
// examples and the scripts, and demands equal JSON. Times are left out. Differences of the same
// kind are reported once. It shows that a refactoring changes no answer: make answers OLD=COMMIT.
func TestAnswers(t *testing.T) {
	if *oldBinary == "" || *newBinary == "" {
		t.Skip("no binaries to compare: make answers OLD=COMMIT")
	}
	dir := t.TempDir()
	programs := answerPrograms(t, dir)
	log := changeLog{count: map[change]int{}, first: map[change]string{}}
	asked, slow := 0, 0
	for _, p := range programs {
		if !strings.Contains(p.name, *answerOnly) {
			continue
		}
		for _, q := range questions {
			if strings.HasSuffix(p.name, ".litmus") && q[0] == "check" && q[2] == "explicit" {
				q = []string{"litmus", "--model", "sc,tso,pso"}
			}
			args := slices.Clone(q)
			if q[0] != "show" {
				args = append(args, "--json", "--workers", "1")
			}
			if q[0] == "check" || q[0] == "robust" {
				args = append(args, p.options...)
			}
			args = append(args, filepath.Base(p.name))
			old, ok := answerOf(t, *oldBinary, filepath.Dir(p.name), args)
			if !ok {
				slow++
				continue
			}
			asked++
			got, ok := answerOf(t, *newBinary, filepath.Dir(p.name), args)
			rel, _ := filepath.Rel(dir, p.name)
			question := rel + ": " + strings.Join(args, " ")
			if !ok {
				t.Errorf("%s: no answer within %v any more", question, *answerLimit)
				continue
			}
			log.compare(question, "", old, got)
		}
	}
	kinds := slices.SortedFunc(maps.Keys(log.count), func(a, b change) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(log.count[b], log.count[a]), cmp.Compare(a.was+a.is, b.was+b.is))
	})
	for _, c := range kinds {
		t.Errorf("%d times %s, first in %s\n  old: %s\n  new: %s", log.count[c], c.path, log.first[c], c.was, c.is)
	}
	t.Logf("%d programs, %d questions with an answer, %d without one within %v", len(programs), asked, slow, *answerLimit)
}

// answerProgram is a file, with the options that its corpus entry states.
type answerProgram struct {
	name    string
	options []string
}

// answerPrograms writes every program of the repository into directories below dir.
func answerPrograms(t *testing.T, dir string) []answerProgram {
	t.Helper()
	var out []answerProgram
	put := func(group, name string, text []byte, options []string) {
		path := filepath.Join(dir, group, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if slices.Contains([]string{".fp", ".c", ".litmus", ".txt", ".rmm"}, filepath.Ext(name)) {
			out = append(out, answerProgram{path, options})
		}
	}
	archives, err := filepath.Glob("../testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var options []string
		for _, f := range a.Files {
			for line := range strings.Lines(string(f.Data)) {
				if rest, ok := strings.CutPrefix(line, "options:"); ok && f.Name == "expect" {
					options = strings.Fields(rest)
				}
			}
		}
		group := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, f := range a.Files {
			put(group, f.Name, f.Data, options)
		}
	}
	examples, err := filepath.Glob("../examples/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put("examples", filepath.Base(path), text, nil)
	}
	return out
}

// A change is a kind of difference between answers: the path in the answer, without indices,
// and the words that differ. Answers have many of the same kind when a sentence is reworded.
type change struct{ path, was, is string }

// A changeLog counts the differences of each kind and keeps the first question that shows it.
type changeLog struct {
	count map[change]int
	first map[change]string
}

// compare records all differences between two values.
func (l *changeLog) compare(question, path string, was, is any) {
	switch w := was.(type) {
	case map[string]any:
		if i, ok := is.(map[string]any); ok {
			for k := range w {
				l.compare(question, path+"."+k, w[k], i[k])
			}
			for k := range i {
				if _, ok := w[k]; !ok {
					l.compare(question, path+"."+k, nil, i[k])
				}
			}
			return
		}
	case []any:
		if i, ok := is.([]any); ok {
			for k := range max(len(w), len(i)) {
				var a, b any
				if k < len(w) {
					a = w[k]
				}
				if k < len(i) {
					b = i[k]
				}
				l.compare(question, path+"[]", a, b)
			}
			return
		}
	}
	if a, b := asText(was), asText(is); a != b {
		a, b = differingWords(a, b)
		c := change{path, a, b}
		if l.count[c]++; l.count[c] == 1 {
			l.first[c] = question
		}
	}
}

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return "(none)"
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// differingWords cuts off the words with which both texts begin and end.
func differingWords(a, b string) (string, string) {
	x, y := strings.Split(a, " "), strings.Split(b, " ")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	short := func(words []string) string {
		text := strings.Join(words, " ")
		if len(text) > 600 {
			text = text[:600] + " ..."
		}
		return text
	}
	return short(x), short(y)
}

// answerOf runs a binary and returns what it prints and its exit code, without times.
// ok is false if it does not end in time.
func answerOf(t *testing.T, binary, dir string, args []string) (answer any, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), *answerLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, false
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var value any
	if json.Unmarshal(stdout.Bytes(), &value) != nil {
		value = stdout.String()
	}
	return map[string]any{
		"exit": cmd.ProcessState.ExitCode(), "stdout": withoutTimes(value), "stderr": stderr.String(),
	}, true
}

// withoutTimes removes what differs from run to run: times and the version.
func withoutTimes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if strings.HasSuffix(k, "seconds") || k == "version" {
				delete(v, k)
				continue
			}
			v[k] = withoutTimes(e)
		}
	case []any:
		for i, e := range v {
			v[i] = withoutTimes(e)
		}
	}
	return v
}
