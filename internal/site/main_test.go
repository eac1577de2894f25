package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSmallPart: the part of the playground that is loaded first has neither C nor machine code in it.
func TestSmallPart(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-tags", "fencepost_small", ".")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		for _, part := range []string{"internal/frontend/c", "internal/frontend/elf", "modernc.org/cc"} {
			if strings.Contains(name, part) {
				t.Errorf("the small part has %s", strings.TrimSpace(name))
			}
		}
	}
}
