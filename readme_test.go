package fencepost_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"fencepost/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the output in the README")

// TestReadme: the first command of the README prints what stands under it and
// exits with the status named there. The last line, which has the time, is not
// compared.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "\n```\n")
	shown, after, ok2 := strings.Cut(rest, "```\n")
	if !ok || !ok2 {
		t.Fatal("no block of output in the README")
	}
	_, command, ok := strings.Cut(before, "    go run ./cmd/fencepost ")
	if !ok {
		t.Fatal("no first command in the README")
	}
	command, _, _ = strings.Cut(command, "\n")
	var stdout, stderr bytes.Buffer
	status := cli.Run(strings.Fields(command), strings.NewReader(""), &stdout, &stderr)
	if stderr.Len() > 0 {
		t.Errorf("standard error: %s", stderr.String())
	}
	if want := "The exit status is 0"; status != 0 || !strings.Contains(after, want) {
		t.Errorf("exit status %d, and the README must say %q", status, want)
	}
	if *update && untimed(shown) != untimed(stdout.String()) {
		out := before + "\n```\n" + stdout.String() + "```\n" + after
		if err := os.WriteFile("README.md", []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if untimed(shown) != untimed(stdout.String()) {
		t.Errorf("the README shows\n%s\nthe command prints\n%s\n(go test . -run TestReadme -update)", shown, stdout.String())
	}
}

// untimed drops the line with the time.
func untimed(s string) string {
	i := strings.LastIndex(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s[:max(i, 0)])
}
