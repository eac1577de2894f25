package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRename(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module old\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "a.go"), "package a\n\nimport (\n\t\"fmt\"\n\n\t\"old\"\n\tb \"old/b\"\n\t\"older/c\"\n)\n\nconst modulePath = \"old\"\n\nvar schema = \"old/1\" // old\n")
	write(t, filepath.Join(dir, "second", "go.mod"), "module old/second\n\nreplace old => ../\n\nrequire old v0.0.0\n\nrequire older v1.0.0\n")
	if err := rename(dir, "example.org/new"); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module example.org/new\n") {
		t.Errorf("%v %s", err, mod)
	}
	second, err := os.ReadFile(filepath.Join(dir, "second", "go.mod"))
	if err != nil || string(second) != "module example.org/new/second\n\nreplace example.org/new => ../\n\nrequire example.org/new v0.0.0\n\nrequire older v1.0.0\n" {
		t.Errorf("%v %s", err, second)
	}
	got, err := os.ReadFile(filepath.Join(dir, "a.go"))
	want := "package a\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/new\"\n\tb \"example.org/new/b\"\n\t\"older/c\"\n)\n\nconst modulePath = \"example.org/new\"\n\nvar schema = \"old/1\" // old\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, bad := range []string{"", "with space", "-o/x y", "noext/x"} {
		if err := rename(dir, bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// The program of a user, who imports the module under its new path.
const user = `package main

import (
	"context"
	"fmt"
	"os"

	"example.org/tools/posts"
	"example.org/tools/posts/query"
	"example.org/tools/posts/render"
)

func main() {
	in := query.Input{Name: "sb.fp", Text: []byte("var x;\nthread t { x = 1; assert x == 1; }\n")}
	answer, err := fencepost.Check(context.Background(), in, query.CheckOptions{Models: query.Models{query.TSO}})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Results[0].Verdict)
	if err := render.JSON(os.Stderr, answer.Results, answer.Diagnostics); err != nil {
		panic(err)
	}
}
`

// TestImport renames the module in a copy, with make. All imports of the copy and of a program of another module
// lead to packages; with -fp.slow everything is compiled and the program runs. What make runs is compiled with
// -fp.slow only: otherwise a script stands for Go, which shows that make asks for the renaming.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	copied := filepath.Join(dir, "copy")
	copySources(t, "../../..", copied)
	run := func(in, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), "GOFLAGS=", "GOWORK="+filepath.Join(dir, "go.work"))
		if name == "make" {
			cmd.Env = append(os.Environ(), "GOFLAGS=")
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errText(err))
		}
		return string(out)
	}
	mod, err := os.ReadFile("../../../go.mod")
	m := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	if err != nil || m == nil {
		t.Fatalf("no version of Go: %v", err)
	}
	version := string(m[1])
	const path = "example.org/tools/posts"
	if testkit.Slow() {
		run(copied, "make", "module", "PATH="+path)
	} else {
		script := filepath.Join(dir, "go.sh")
		write(t, script, "echo \"$@\"\n")
		got := run(copied, "make", "--silent", "module", "PATH="+path, "GO=sh "+script)
		if got != "run ./internal/tool/modulepath "+path+"\n" {
			t.Errorf("make module runs go %s", got)
		}
		if err := rename(copied, path); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "go.work"), "go "+version+"\n\nuse (\n\t./copy\n\t./user\n)\n")
	write(t, filepath.Join(dir, "user", "go.mod"), "module user\n\ngo "+version+"\n")
	write(t, filepath.Join(dir, "user", "main.go"), user)
	if got := run(filepath.Join(dir, "user"), "go", "list", "-deps", "./..."); !strings.Contains(got, "\n"+path+"/verdict\n") {
		t.Errorf("the program needs %s", got)
	}
	run(copied, "go", "list", "-test", "./...")
	if !testkit.Slow() {
		return
	}
	if got := run(filepath.Join(dir, "user"), "go", "run", "."); got != "safe\n" {
		t.Errorf("got %q", got)
	}
	run(copied, "go", "build", "./...")
}

func errText(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

// copySources copies the module without what building it does not need.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() {
			if rel != "." && (base == "bin" || base[0] == '.') {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		write(t, filepath.Join(to, rel), string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
