package fencepost_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/cli"
)

// calls returns the packages of the main module whose files, but for tests, use one of the names of a package of the
// standard library, such as exec.Command. Programs for developers are left out.
func calls(t *testing.T, imported string, names ...string) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "cluster" || name == "bench" || d.Name() == "testdata" || d.Name() == "dist"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(name))
		if pkg == "internal/testkit" || pkg == "internal/browsertest" || strings.HasPrefix(pkg, "internal/tool/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		local := ""
		for _, i := range file.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil && path == imported {
				local = path[strings.LastIndex(path, "/")+1:]
				if i.Name != nil {
					local = i.Name.Name
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && local != "" && x.Name == local && slices.Contains(names, s.Sel.Name) {
				found[pkg] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// TestSecurityProcesses: only the packages that SECURITY.md speaks of start processes.
func TestSecurityProcesses(t *testing.T) {
	got := calls(t, "os/exec", "Command", "CommandContext")
	got = append(got, calls(t, "os", "StartProcess")...)
	got = append(got, calls(t, "syscall", "Exec", "ForkExec", "StartProcess")...)
	if want := []string{"internal/cli", "internal/native", "internal/solver/sat", "internal/solver/smt"}; !slices.Equal(got, want) {
		t.Errorf("%v start processes, want %v: say in SECURITY.md what they start", got, want)
	}
}

// TestSecurityNetwork: only serve listens, and nothing opens a connection.
func TestSecurityNetwork(t *testing.T) {
	if got, want := calls(t, "net", "Listen", "ListenTCP", "ListenUnix", "ListenPacket", "ListenUDP"), []string{"internal/cli"}; !slices.Equal(got, want) {
		t.Errorf("%v listen, want %v", got, want)
	}
	got := calls(t, "net", "Dial", "DialTCP", "DialTimeout", "Dialer", "DialUnix", "DialUDP")
	got = append(got, calls(t, "net/http", "Get", "Post", "Head", "PostForm", "DefaultClient", "Client", "DefaultTransport", "Transport")...)
	if len(got) > 0 {
		t.Errorf("%v open connections", got)
	}
}

// TestSecurityIncludes: the command line reads headers in other folders and through links, as SECURITY.md says.
func TestSecurityIncludes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("above.h", "#define A 1\n")
	write("folder/main.c", "#include \"../above.h\"\n#include \"link.h\"\nint main(void) { return A - B; }\n")
	write("linked.h", "#define B 1\n")
	if err := os.Symlink(filepath.Join(dir, "linked.h"), filepath.Join(dir, "folder", "link.h")); err != nil {
		t.Fatal(err)
	}
	var out, complaints strings.Builder
	if code := cli.Run([]string{"check", filepath.Join(dir, "folder", "main.c"), "--timeout", "0"}, strings.NewReader(""), &out, &complaints); code != 0 {
		t.Errorf("%d: %s%s", code, out.String(), complaints.String())
	}
}

// TestSecurityTests: every test that SECURITY.md names is there.
func TestSecurityTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, "_test.go") {
			content, err := os.ReadFile(name)
			all.Write(content)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 25 {
		t.Errorf("SECURITY.md names %d tests", len(names))
	}
	for _, m := range names {
		if !strings.Contains(all.String(), "\nfunc "+m[1]+"(") {
			t.Errorf("there is no test %s", m[1])
		}
	}
}
