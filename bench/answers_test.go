package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
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
// examples and the scripts, and demands equal JSON. Times are left out. It shows that a
// refactoring changes no answer: make answers OLD=COMMIT.
func TestAnswers(t *testing.T) {
	if *oldBinary == "" || *newBinary == "" {
		t.Skip("no binaries to compare: make answers OLD=COMMIT")
	}
	dir := t.TempDir()
	programs := answerPrograms(t, dir)
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
			if !ok {
				t.Errorf("%s: %s: no answer within %v any more", rel, strings.Join(args, " "), *answerLimit)
			} else if diff := firstDifference(old, got); diff != "" {
				t.Errorf("%s: %s\n%s", rel, strings.Join(args, " "), diff)
			}
		}
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

// firstDifference returns the first line in which two texts differ, or "".
func firstDifference(old, got string) string {
	a, b := strings.Split(old, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		was, is := "(end)", "(end)"
		if i < len(a) {
			was = a[i]
		}
		if i < len(b) {
			is = b[i]
		}
		if was != is {
			return fmt.Sprintf("line %d\n  old: %s\n  new: %s", i+1, was, is)
		}
	}
	return ""
}

// answerOf runs a binary and returns what it prints and its exit code, without times.
// ok is false if it does not end in time.
func answerOf(t *testing.T, binary, dir string, args []string) (answer string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), *answerLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", false
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var value any
	if json.Unmarshal(stdout.Bytes(), &value) != nil {
		value = stdout.String()
	}
	text, err := json.MarshalIndent(withoutTimes(value), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("exit %d\n%s\n%s", cmd.ProcessState.ExitCode(), text, stderr.String()), true
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
