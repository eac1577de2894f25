package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func commands(t *testing.T) *cobra.Command {
	t.Helper()
	a := &app{services: realServices(), stdout: io.Discard, stderr: io.Discard, color: colorChoice()}
	return a.allCommands()
}

// Every command has a text, and examples that its own flags accept.
func TestHelpTeaches(t *testing.T) {
	root := commands(t)
	comment := regexp.MustCompile(`(  +|\t)\S.*$`)
	for _, c := range append(root.Commands(), root) {
		if c.Short == "" || c.Example == "" || c != root && c.Long == "" && c.Name() != "version" {
			t.Errorf("%s: text or example missing", c.Name())
		}
		for _, line := range strings.Split(c.Example+startHere, "\n") {
			line = comment.ReplaceAllString(strings.TrimSpace(line), "")
			line, _, _ = strings.Cut(line, " | ")
			line, _, _ = strings.Cut(line, " > ")
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "fencepost" {
				continue
			}
			cmd, rest, err := commands(t).Find(words[1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: the example %q does not work: %v", c.Name(), line, err)
			}
		}
	}
}

func TestSuggestions(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"chekc f.fp", "did you mean `fencepost check`?"},
		{"check --mdoel tso f.fp", "did you mean --model? see `fencepost check --help`"},
		{"check -model tso f.fp", "did you mean --model?"},
		{"robust -json f.fp", "did you mean --json?"},
		{"check --frobnicate f.fp", "\n  see `fencepost check --help`"},
		{"help rboust", "did you mean `fencepost help robust`?"},
		{"help model", "did you mean `fencepost help models`?"},
		{"help xyzzy", "`fencepost help` lists commands and topics: models, "},
		{"completion tcsh", "known: bash, zsh, fish"},
		{"completion", "try `fencepost completion bash`"},
		{"report", "try `fencepost report FILE`"},
		{"verify-trace a.json", "try `fencepost verify-trace result.json dekker.fp`"},
		{"test", "try `fencepost test .`"},
	} {
		var stdout, stderr bytes.Buffer
		code := Run(strings.Fields(c.args), strings.NewReader(""), &stdout, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, message %q, want %q", c.args, code, stderr.String(), c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	if got := nearest("mdoel", []string{"mode", "model"}); got != "model" {
		t.Errorf("mdoel is taken for %q", got)
	}
	if got := nearest("x", []string{"y"}); got != "" {
		t.Errorf("a single letter is taken for %q", got)
	}
}

// The scripts for shells are there and know the commands.
func TestCompletion(t *testing.T) {
	for _, shell := range shells {
		var stdout, stderr bytes.Buffer
		if code := Run([]string{"completion", shell}, strings.NewReader(""), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "fencepost") {
			t.Errorf("%s: exit code %d: %s", shell, code, stderr.String())
		}
	}
	for args, want := range map[string]string{
		"__complete che":             "check\tCheck",
		"__complete check --model t": "tso\n",
		"__complete check x --lang ": "trencher\n",
		"__complete report ":         "json\n:8",
		"__complete verify-trace a ": "litmus\n",
		"__complete stress ":         ":8\n",
		"__complete check --ht":      "--html\t",

		"__complete check --engine b":      "bmc\n",
		"__complete robust --criterion t":  "trf\n",
		"__complete fences --for a":        "assertions\n",
		"__complete fences --cost l":       "loops\n",
		"__complete fences --fence-style ": "c11\n",
		"__complete fences --model ":       "tso\n",
		"__complete explain FP09":          "FP0900\t",
	} {
		var stdout, stderr bytes.Buffer
		words := strings.Split(args, " ")
		if code := Run(words, strings.NewReader(""), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d: %q, want %q", args, code, stdout.String(), want)
		}
	}
}

// TestParagraph: the advice about a code is broken into lines, and no word is lost.
func TestParagraph(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("word ", 40))
	got := paragraph(text)
	for line := range strings.Lines(got) {
		if len(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("a line of %d columns", len(line)-1)
		}
	}
	if strings.Join(strings.Fields(got), " ") != text || strings.Count(got, "\n") != 3 {
		t.Errorf("%q becomes %q", text, got)
	}
}
