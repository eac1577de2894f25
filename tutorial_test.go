package fencepost_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/cli"
	"fencepost/internal/solver/smt"
)

// A tutorial has files and commands: a block "```NAME.EXT" is a file, a block "```console" has a
// command after "$ " and its output, with the exit code in a last line "(exit code N)" unless it is 0.

// tutorials have the least numbers of commands in them.
var tutorials = map[string]int{"docs/tutorial.md": 10, "docs/tutorials/proof.md": 3}

var tutorialBlock = regexp.MustCompile("(?ms)^```(\\S+)\n(.*?)^```$")

// times are durations, which differ from run to run, and the numbers of questions, which differ between solvers.
var times = regexp.MustCompile(`less than 1 ms|\b\d+ ms\b|\b\d+\.\d s\b|(?m)^PO .*$|(?m)^[\d,]+ invariants found`)

// TestTutorial runs the commands of each tutorial in order, in one directory, and compares what they print.
func TestTutorial(t *testing.T) {
	for tutorial, least := range tutorials {
		t.Run(filepath.Base(tutorial), func(t *testing.T) { runTutorial(t, tutorial, least) })
	}
}

func runTutorial(t *testing.T, tutorial string, least int) {
	text, err := os.ReadFile(tutorial)
	if strings.Contains(string(text), "$ fencepost prove") && !smt.Available() {
		t.Skip(smt.ErrMissing)
	}
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands := 0
	changed := tutorialBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		m := tutorialBlock.FindStringSubmatch(block)
		name, body := m[1], m[2]
		if name != "console" {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
			return block
		}
		line, shown, _ := strings.Cut(body, "\n")
		command, ok := strings.CutPrefix(line, "$ fencepost ")
		if !ok {
			t.Errorf("%q is no command", line)
			return block
		}
		commands++
		var out bytes.Buffer
		code := cli.Run(strings.Fields(command), strings.NewReader(""), &out, &out)
		printed := strings.TrimRight(out.String(), "\n") + "\n"
		if code != 0 {
			printed += "(exit code " + string(rune('0'+code)) + ")\n"
		}
		if times.ReplaceAllString(printed, "TIME") != times.ReplaceAllString(shown, "TIME") && !*update {
			t.Errorf("%s prints\n%s\nthe tutorial shows\n%s\n(go test . -run TestTutorial -update)", line, printed, shown)
		}
		return "```console\n" + line + "\n" + printed + "```"
	})
	if commands < least {
		t.Errorf("only %d commands", commands)
	}
	if *update && times.ReplaceAllString(changed, "TIME") != times.ReplaceAllString(string(text), "TIME") {
		if err := os.WriteFile(filepath.Join(here, tutorial), []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExamplesOfFP: the examples that begin docs/languages/fp.md give the answers that they expect.
func TestExamplesOfFP(t *testing.T) {
	text, err := os.ReadFile("docs/languages/fp.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, _, ok := strings.Cut(string(text), "\n## Comments, names, numbers")
	blocks := regexp.MustCompile("(?ms)^```\n(.*?)^```$").FindAllStringSubmatch(examples, -1)
	if !ok || len(blocks) < 4 {
		t.Fatalf("%d examples", len(blocks))
	}
	for i, b := range blocks {
		name := filepath.Join(t.TempDir(), "example.fp")
		if err := os.WriteFile(name, []byte(b[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := cli.Run([]string{"test", name}, strings.NewReader(""), &out, &out); code != 0 {
			t.Errorf("example %d: exit code %d: %s", i+1, code, out.String())
		}
	}
}
