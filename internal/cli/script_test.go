package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/supervise"
	"fencepost/internal/testkit"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// TestMain makes the test binary run as fencepost when a script calls it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"fencepost": func() { os.Exit(Run(withoutLimit(os.Args[1:]), os.Stdin, os.Stdout, os.Stderr)) },
		// As a server does it, which goes on: nothing that was abandoned may run on.
		"fencepost-then-close": func() {
			s := realServices()
			code := run(s, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			supervise.Wait(s.base)
			os.Exit(code)
		},
	})
}

// withoutLimit returns arguments in which no time limit is the default, so that a busy machine
// changes no answer.
func withoutLimit(args []string) []string {
	limited := []string{"check", "fences", "litmus", "prove", "robust", "stress", "test", "traces"}
	if len(args) == 0 || !slices.Contains(limited, args[0]) || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--timeout") }) {
		return args
	}
	return slices.Insert(slices.Clone(args), 1, "--timeout=0")
}

// TestScripts runs the command line as users do: testdata/scripts/*.txtar.
func TestScripts(t *testing.T) {
	editors, err := filepath.Abs("../../editors")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("EDITORS", editors)
			binary, err := exec.LookPath(filepath.Join(strings.Split(e.Getenv("PATH"), string(os.PathListSeparator))[0], "fencepost"))
			e.Setenv("BINARY", binary) // fencepost itself, to be copied
			return err
		},
		Dir:                 "../../testdata/scripts",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition:           condition,
	})
}

// TestScriptTools says which tools are missing that lines of scripts ask for. Such lines do not run.
func TestScriptTools(t *testing.T) {
	const dir = "../../testdata/scripts"
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\[!?exec:([^\]]+)\]`).FindAllStringSubmatch(string(text), -1) {
			asked[m[1]] = true
		}
	}
	for tool := range asked {
		t.Run(tool, func(t *testing.T) {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("no %s here: lines of scripts do not run", tool)
			}
		})
	}
}

// condition reports whether a condition of scripts holds: [slow] for what takes long, with -fp.slow.
func condition(name string) (bool, error) {
	if name != "slow" {
		return false, fmt.Errorf("unknown condition %s", name)
	}
	return testkit.Slow(), nil
}

// exits runs a command and demands its exit code: `exits 1 fencepost check f.fp`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
