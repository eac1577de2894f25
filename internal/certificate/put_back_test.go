package certificate_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var putBack = flag.String("fp.putback", "robust-inside-section", "the old bugs that are put back, with commas between them; all: every one; none: see only whether they can be")

// oldBug is a bug that an engine, a pass or the rules of package memory once had, as a patch of today's source. The patch
// has the bug only where putBack returns true, so that one build has all bugs and every run has one.
type oldBug struct {
	name    string
	why     string
	patch   []byte
	program txtar.File
	args    []string
}

// oldBugs reads testdata/bugs.
func oldBugs(t *testing.T) []oldBug {
	t.Helper()
	paths, err := filepath.Glob("testdata/bugs/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []oldBug
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b := oldBug{name: strings.TrimSuffix(filepath.Base(path), ".txtar")}
		for line := range strings.Lines(string(a.Comment)) {
			if args, ok := strings.CutPrefix(line, "Ask: "); ok {
				b.args = strings.Fields(args)
			} else {
				b.why += line
			}
		}
		if len(a.Files) != 2 || a.Files[0].Name != "bug.patch" || len(b.args) == 0 || !strings.Contains(string(a.Files[0].Data), `putBack("`+b.name+`")`) {
			t.Fatalf("%s: want a line Ask:, bug.patch with putBack(%q), and a program", path, b.name)
		}
		b.patch, b.program = a.Files[0].Data, a.Files[1]
		out = append(out, b)
	}
	return out
}

// TestOldBugs puts bugs back that engines once had. With each of them check says safe about a program that is not, and
// with --certified it does not: the checker refuses, without knowing the bug.
func TestOldBugs(t *testing.T) {
	all := oldBugs(t)
	if len(all) < 20 {
		t.Errorf("only %d bugs", len(all))
	}
	for _, tool := range []string{"patch", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	dir := t.TempDir()
	patched(t, all, filepath.Join(dir, "all"))
	var some []oldBug
	for _, b := range all {
		if *putBack == "all" || slices.Contains(strings.Split(*putBack, ","), b.name) {
			some = append(some, b)
		}
	}
	if len(some) == 0 {
		return
	}
	command := filepath.Join(dir, "fencepost")
	build := exec.Command("go", "build", "-overlay", patched(t, some, filepath.Join(dir, "some")), "-o", command, "./cmd/fencepost")
	build.Dir = "../.."
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, b := range some {
		t.Run(b.name, func(t *testing.T) { b.run(t, command) })
	}
}

// run asks about the program without the bug, with it, and with it for a certificate.
func (b *oldBug) run(t *testing.T, command string) {
	program := filepath.Join(t.TempDir(), b.program.Name)
	if err := os.WriteFile(program, b.program.Data, 0o666); err != nil {
		t.Fatal(err)
	}
	proof := program + ".cert"
	ask := func(bug string, more ...string) (safe bool, text string) {
		cmd := exec.Command(command, slices.Concat(b.args, []string{"--json"}, more, []string{program})...)
		cmd.Env = append(os.Environ(), "FENCEPOST_PUT_BACK="+bug)
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return says(out, "safe"), string(out)
	}
	if safe, text := ask(""); safe {
		t.Errorf("without the bug the program is safe: %s", text)
	}
	if safe, text := ask(b.name); !safe {
		t.Errorf("with the bug the answer is not safe, so that it shows nothing: %s", text)
	}
	safe, text := ask(b.name, "--certified")
	if safe {
		t.Errorf("a wrong answer is certified: %s", text)
	}
	if safe, _ := ask(b.name, "--certificate", proof); safe {
		t.Error("a wrong answer has a certificate")
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("a certificate of a wrong answer was written")
	}
}

// says reports whether an answer in JSON has a verdict.
func says(answer []byte, verdict string) bool {
	var out struct {
		Results []struct{ Verdict string }
	}
	if json.Unmarshal(answer, &out) != nil {
		return false // an internal error
	}
	for _, r := range out.Results {
		if r.Verdict == verdict {
			return true
		}
	}
	return false
}

// patched applies the patches of bugs to copies of the files that they change, and returns an overlay for go build with
// these files and a function putBack in each package.
func patched(t *testing.T, bugs []oldBug, dir string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	put := func(name string, text []byte) {
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, name)] = to
	}
	for _, b := range bugs {
		for line := range strings.Lines(string(b.patch)) {
			name, ok := strings.CutPrefix(strings.TrimSpace(line), "+++ b/")
			if !ok || replace[filepath.Join(root, name)] != "" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
			put(name, text)
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			put(filepath.Join(filepath.Dir(name), "put_back.go"), fmt.Appendf(nil,
				"package %s\n\nimport \"os\"\n\nvar puttingBack = os.Getenv(\"FENCEPOST_PUT_BACK\")\n\nfunc putBack(name string) bool { return puttingBack == name }\n", f.Name.Name))
		}
		cmd := exec.Command("patch", "-p1", "--quiet", "--no-backup-if-mismatch", "-d", dir)
		cmd.Stdin = strings.NewReader(string(b.patch))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: the patch does not apply to today's source any more; write it anew: %v\n%s", b.name, err, text)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}
