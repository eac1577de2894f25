package read_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// headersForPrograms lists our headers for programs, such as sys/mman.h.
func headersForPrograms(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir("include", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "include/")
		if err == nil && !d.IsDir() && name != "predefined.h" && !strings.HasPrefix(name, "fencepost/linux") {
			out = append(out, name)
		}
		return err
	})
	if err != nil || len(out) < 80 {
		t.Fatalf("%d headers, %v", len(out), err)
	}
	return out
}

// TestHeadersAlone: each header can be the first and only one of a program. All headers
// together are a program too, with the functions of GNU and with those of ISO C only.
func TestHeadersAlone(t *testing.T) {
	headers := headersForPrograms(t)
	all := ""
	for _, header := range headers {
		include := "#include <" + header + ">\n"
		all += include
		readText(t, header, include, read.Options{})
	}
	readText(t, "all", all, read.Options{Defines: []string{"_GNU_SOURCE"}})
	readText(t, "all", all, read.Options{Std: "c11"})
}

func readText(t *testing.T, name, text string, opt read.Options) {
	t.Helper()
	opt.WholeHeaders = true
	f := source.NewFile("main.c", []byte(text+"int main(void) { return 0; }\n"))
	diags := &diag.List{}
	if ast := read.NewInput([]*source.File{f}, opt, diags).Parse(f, "", ""); ast == nil {
		t.Errorf("%s: %s", name, testkit.Messages(diags))
	}
}

// differs are constants that depend on the system, on flags or on the processor.
var differs = []string{"LINUX_VERSION_CODE", "PTHREAD_STACK_MIN", "MINSIGSTKSZ", "SIGSTKSZ", "CHAR_MIN", "CHAR_MAX"}

// TestConstants: the headers of this system have the same numbers as ours, if a gcc can be
// asked.
func TestConstants(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("notice: no gcc here, so the constants are not compared with the headers of the system")
	}
	constant := regexp.MustCompile(`(?m)^[ \t]*#define ([A-Za-z]\w*) (\(?-?[0-9][0-9A-Za-z]*\)?)$`)
	var text strings.Builder
	text.WriteString("#define _GNU_SOURCE\n")
	n := 0
	for _, header := range headersForPrograms(t) {
		fmt.Fprintf(&text, "#if __has_include(<%s>)\n#include <%s>\n#endif\n", header, header)
	}
	for _, header := range headersForPrograms(t) {
		ours, err := os.ReadFile(filepath.Join("include", header))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllStringSubmatch(string(ours), -1) {
			if slices.Contains(differs, m[1]) {
				continue
			}
			n++
			fmt.Fprintf(&text, "#ifdef %s\n_Static_assert((%s) == (%s), \"%s %s\");\n#endif\n", m[1], m[1], m[2], header, m[1])
		}
	}
	if n < 1500 {
		t.Errorf("only %d constants", n)
	}
	cmd := exec.Command(gcc, "-w", "-mavx512f", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}
}
