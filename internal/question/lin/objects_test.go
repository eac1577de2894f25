package lin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// object compiles C++ to an object.
func object(t *testing.T, file string, flags ...string) query.Input {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++ here")
	}
	out := filepath.Join(t.TempDir(), "object.o")
	if text, err := exec.Command("g++", append([]string{"-O2", "-g", "-c", filepath.Join("testdata", "cpp", file), "-o", out}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return query.Input{Name: "object.o", Text: text}
}

// TestMachineCode: structures in C++ as objects, with nothing but their debug information.
func TestMachineCode(t *testing.T) {
	for _, c := range []struct {
		file, define string
		models       string
		calls        int
		ops, spec    string
		want         verdict.Verdict
		slow         bool
	}{
		{"treiber.cc", "", "sc,tso,pso", 2, "", "stack", verdict.Safe, false},
		{"treiber.cc", "BROKEN", "sc", 2, "", "stack", verdict.Unsafe, false},
		{"ring.cc", "", "sc,tso", 2, "Ring_push:producer,Ring_pop:consumer", "queue", verdict.Safe, false},
		{"ring.cc", "", "pso", 2, "Ring_push:producer,Ring_pop:consumer", "", verdict.Unsafe, false},
		{"deque.cc", "", "sc,tso", 3, "push:owner,take:owner,steal=-1", "", verdict.Safe, true},
		{"deque.cc", "NO_FENCE", "sc", 3, "push:owner,take:owner,steal=-1", "", verdict.Safe, true},
		{"deque.cc", "NO_FENCE", "tso", 3, "push:owner,take:owner,steal=-1", "", verdict.Unsafe, false},
		{"queue.cc", "", "sc,tso,pso", 2, "", "queue", verdict.Safe, true},
		{"queue.cc", "BROKEN", "sc", 2, "", "queue", verdict.Unsafe, false},
		{"pair.cc", "", "sc,tso", 2, "", "", verdict.Safe, false},
		{"pair.cc", "BROKEN", "sc", 2, "", "", verdict.Unsafe, false},
		{"event.cc", "", "sc,tso", 2, "", "", verdict.Safe, false},
		{"event.cc", "SHOWN", "tso,pso", 2, "", "", verdict.Unsafe, false},
		{"ticket.cc", "", "sc,tso,pso", 4, "", "lock", verdict.Safe, false},
		{"ticket.cc", "BROKEN", "sc", 4, "", "lock", verdict.Unsafe, false},
	} {
		if c.slow && *lin.Objects < 3000 {
			continue // make fuzz asks these
		}
		name := c.file + " " + c.define
		flags := []string{"-std=c++17"}
		if c.define != "" {
			flags = append(flags, "-D"+c.define)
		}
		opt := query.LinOptions{Models: query.NamedModels(strings.Split(c.models, ",")...), Calls: c.calls, Ops: c.ops, Spec: c.spec}
		answer, err := lin.Run(context.Background(), object(t, c.file, flags...), opt)
		if err != nil || answer.HasErrors() {
			t.Errorf("%s: %v %+v", name, err, answer.Diagnostics)
			continue
		}
		for _, r := range answer.Results {
			if r.Verdict != c.want {
				t.Errorf("%s under %s: %s %s, want %s", name, r.Model, r.Verdict, r.Reason, c.want)
			}
			if c.want == verdict.Unsafe && !strings.Contains(r.Linearizability.Client, "fencepost_code_") {
				t.Errorf("%s: the client calls no machine code:\n%s", name, r.Linearizability.Client)
			}
		}
	}
}

// TestMachineCodeRefused: what an object cannot say is refused.
func TestMachineCodeRefused(t *testing.T) {
	in := object(t, "treiber.cc")
	bare := object(t, "treiber.cc", "-g0")
	for name, opt := range map[string]query.LinOptions{
		"machine code has no text":          {Mutate: true, Calls: 2},
		"machine code has no memory orders": {Models: query.Models{query.C11}, Calls: 2},
		"the file has no function nothing":  {Ops: "nothing", Calls: 2},
		"names no operation":                {Ops: "Stack_push:", Calls: 2},
	} {
		answer, err := lin.Run(context.Background(), in, opt)
		if err != nil || len(answer.Diagnostics) != 1 || !strings.Contains(answer.Diagnostics[0].Message, name) {
			t.Errorf("%s: %v %v", name, err, answer.Diagnostics)
		}
	}
	answer, err := lin.Run(context.Background(), bare, query.LinOptions{Calls: 2})
	if err != nil || len(answer.Diagnostics) != 1 || !strings.Contains(answer.Diagnostics[0].Message, "debug information") {
		t.Errorf("without debug information: %v %v", err, answer.Diagnostics)
	}
}
