package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/cli"
)

// TestManual: there is a page for every command, with its options, and a script for every
// shell.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, dir); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, c := range cli.Commands().Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		commands++
		text, err := os.ReadFile(filepath.Join(dir, "fencepost-"+c.Name()+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range []string{`.TH "FENCEPOST"`, "SH OPTIONS", "fencepost " + c.Name()} {
			if c.Name() == "version" && want == "SH OPTIONS" {
				continue
			}
			if !strings.Contains(string(text), want) && !strings.Contains(string(text), strings.ReplaceAll(want, "-", `\-`)) {
				t.Errorf("the page of %s has no %q", c.Name(), want)
			}
		}
	}
	if commands < 10 {
		t.Errorf("%d commands: something is missing", commands)
	}
	for _, name := range []string{"fencepost.bash", "_fencepost", "fencepost.fish"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), "fencepost") {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
	}
}
