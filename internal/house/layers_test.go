//go:build policy

// The import policy as a test: which package may know which. docs/architecture.md
// says why; a new package is entered in layers_table_test.go before it can be used.

package house_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "fencepost"

// A ban holds whatever the table says, and through any number of packages in
// between, so that a careless row cannot undo it.
type ban struct {
	from func(pkg string) bool
	to   func(from, pkg string) bool
	why  string
}

var bans = []ban{
	{
		from: func(pkg string) bool { return !under("cluster/")(pkg) },
		to:   func(_, pkg string) bool { return under("cluster/")(pkg) },
		why:  "the second module stands on the first, which needs none of its dependencies",
	},
	{
		from: under("internal/engine/"),
		to:   func(from, pkg string) bool { return under("internal/engine/")(pkg) && pkg != from },
		why:  "engines never import each other: what they share moves down, what composes them is passed in by pipeline",
	},
	{
		from: under("internal/engine"),
		to:   func(_, pkg string) bool { return under("internal/frontend/")(pkg) },
		why:  "engines start at ir: they must not know which language a program came from",
	},
	{
		from: under("internal/frontend/"),
		to:   func(from, pkg string) bool { return slices.Contains(frontEnds, pkg) && pkg != from },
		why:  "no package of the front ends imports the entry package of another: they meet at ir, and share the packages below",
	},
	{
		from: under("internal/replay"),
		to: func(_, pkg string) bool {
			return under("internal/memory")(pkg) || pkg == "internal/search" || under("internal/engine")(pkg)
		},
		why: "replay shares nothing with memory, search and engines, so that a bug there cannot hide itself",
	},
	{
		from: under("internal/certificate"),
		to: func(_, pkg string) bool {
			return !under("internal/certificate")(pkg) && !slices.Contains([]string{"internal/diag", "internal/ir", "internal/ir/irtext", "internal/property", "internal/replay", "internal/source", "verdict"}, pkg)
		},
		why: "the checker of certificates knows programs, properties and the rules of replay only, and nothing of those whose answers it checks",
	},
	{
		from: under("internal/render/"),
		to: func(_, pkg string) bool {
			return pkg != "verdict" && pkg != "internal/digraph" && !under("internal/render/")(pkg)
		},
		why: "render sees the verdict and other renderings only, and graphs of numbers, so that a stored result can be rendered again",
	},
	{
		from: func(pkg string) bool { return under("internal/engine")(pkg) || pkg == "internal/pipeline" },
		to:   func(_, pkg string) bool { return under("internal/question/")(pkg) },
		why:  "questions stand above the stages and the engines: adding one changes neither",
	},
	{
		from: func(pkg string) bool { return pkg != testkit },
		to:   func(_, pkg string) bool { return pkg == testkit },
		why:  "testkit is imported by tests only",
	},
	{
		from: func(pkg string) bool { return pkg != statementtest },
		to:   func(_, pkg string) bool { return pkg == statementtest },
		why:  "statementtest is imported by tests only",
	},
	{
		from: func(pkg string) bool { return pkg != diagtest && pkg != statementtest },
		to:   func(_, pkg string) bool { return pkg == diagtest },
		why:  "diagtest is imported by tests only",
	},
	{
		from: func(pkg string) bool { return pkg != looptest },
		to:   func(_, pkg string) bool { return pkg == looptest },
		why:  "looptest is imported by tests only",
	},
	{
		from: func(pkg string) bool { return pkg != browsertest },
		to:   func(_, pkg string) bool { return pkg == browsertest },
		why:  "browsertest is imported by tests only",
	},
}

func under(prefix string) func(string) bool {
	return func(pkg string) bool { return strings.HasPrefix(pkg, prefix) }
}

// ioPackages are the only packages that use files, the network or processes.
// The others take bytes and return values. The solvers are processes; engines see
// their interfaces.
var ioPackages = []string{"cmd/fencepost", "internal/cli", "fenceposttest", "internal/tool/manual", "internal/tool/measure", "internal/tool/modulepath", "internal/tool/testreport", "internal/tool/updates", "internal/tool/notices", "internal/scratch", testkit, statementtest, diagtest, browsertest, "internal/inputfile", "internal/suite", "internal/solver/sat", "internal/solver/smt", "internal/native", "internal/serve", "internal/lsp", "internal/tool/site", "cluster/internal/server", "cluster/internal/worker", "cluster/internal/command", "cluster/cmd/fencepost-cluster"}

func doesIO(std string) bool {
	for _, p := range []string{"os", "net", "syscall", "io/ioutil", "log"} {
		if std == p || strings.HasPrefix(std, p+"/") {
			return true
		}
	}
	return false
}

// imports maps an import path to one file that has it.
type imports map[string]string

// goPackage has its imports apart: of its code, of the tests inside it, and of the
// tests in a package of their own, which look at it from outside, with whatever
// else of ours that takes.
type goPackage struct{ code, tests, outside imports }

// scan reads the imports of every Go file below the root, whatever its build tags.
func scan(root fs.FS) (map[string]*goPackage, error) {
	pkgs := make(map[string]*goPackage)
	err := eachGoFile(root, func(name string, text []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return fmt.Errorf("reading the imports: %w", err)
		}
		dir := path.Dir(name)
		if pkgs[dir] == nil {
			pkgs[dir] = &goPackage{code: imports{}, tests: imports{}, outside: imports{}}
		}
		into := pkgs[dir].code
		if strings.HasSuffix(name, "_test.go") {
			into = pkgs[dir].tests
			if strings.HasSuffix(file.Name.Name, "_test") {
				into = pkgs[dir].outside
			}
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
			}
			into[imported] = name
		}
		return nil
	})
	return pkgs, err
}

// relative is the path inside the module, or false for a package of others.
func relative(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// violations lists everything that breaks the policy, with the rule it breaks.
func violations(pkgs map[string]*goPackage) []string {
	var found []string
	for pkg, p := range pkgs {
		r, ok := policy[pkg]
		if !ok {
			found = append(found, fmt.Sprintf("%s is not in the policy of layers_test.go: enter what it may import", pkg))
			continue
		}
		found = append(found, tableViolations(pkg, r, p.code)...)
		tests := rule{
			ours:     append(slices.Clone(r.ours), pkg, irtext, looptest, testkit, statementtest, diagtest, browsertest),
			external: append(slices.Clone(r.external), testLibraries...),
		}
		for _, v := range tableViolations(pkg, tests, p.tests) {
			found = append(found, v+" (tests may also import irtext, testkit and the test libraries)")
		}
		outside := rule{ours: []string{everything}, external: append(slices.Clone(r.external), testLibraries...)}
		found = append(found, tableViolations(pkg, outside, p.outside)...)
		if !slices.Contains(ioPackages, pkg) {
			for imported, file := range p.code {
				if doesIO(imported) {
					found = append(found, fmt.Sprintf("%s imports %s (%s): core packages do no I/O, they take bytes and return values; only %s may",
						pkg, imported, file, strings.Join(ioPackages, ", ")))
				}
			}
		}
	}
	found = append(found, banViolations(pkgs)...)
	sort.Strings(found)
	return found
}

func tableViolations(pkg string, r rule, list imports) []string {
	var found []string
	for imported, file := range list {
		rel, ours := relative(imported)
		switch {
		case ours:
			if !slices.Contains(r.ours, rel) && !slices.Contains(r.ours, everything) {
				found = append(found, fmt.Sprintf("%s imports %s (%s): the policy allows %s only [%s]",
					pkg, rel, file, pkg, strings.Join(r.ours, " ")))
			}
		case !isStandard(imported):
			allowed := func(prefix string) bool { return imported == prefix || strings.HasPrefix(imported, prefix+"/") }
			if !slices.ContainsFunc(r.external, allowed) {
				found = append(found, fmt.Sprintf("%s imports %s (%s): the policy allows %s no modules of others but [%s]",
					pkg, imported, file, pkg, strings.Join(r.external, " ")))
			}
		}
	}
	return found
}

// banViolations follows the imports of code, breadth first, and reports the way.
func banViolations(pkgs map[string]*goPackage) []string {
	var found []string
	for from := range pkgs {
		ways := map[string]string{from: from}
		queue := []string{from}
		for len(queue) > 0 {
			pkg := queue[0]
			queue = queue[1:]
			if pkgs[pkg] == nil {
				continue
			}
			for imported := range pkgs[pkg].code {
				rel, ours := relative(imported)
				if !ours || ways[rel] != "" {
					continue
				}
				ways[rel] = ways[pkg] + " -> " + rel
				queue = append(queue, rel)
				for _, b := range bans {
					if b.from(from) && b.to(from, rel) {
						found = append(found, ways[rel]+": "+b.why)
					}
				}
			}
		}
	}
	return found
}

func TestLayers(t *testing.T) {
	pkgs, err := scan(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations(pkgs) {
		t.Error(v)
	}
	for pkg := range policy {
		if pkgs[pkg] == nil {
			t.Errorf("the policy of layers_test.go has a row for %s, which does not exist", pkg)
		}
	}
}

// TestPolicyCatches holds the checker itself to account.
func TestPolicyCatches(t *testing.T) {
	cases := []struct {
		name, file, imported string
		want                 string // "" for allowed
	}{
		{"unknown package", "internal/helpers/h.go", "fmt", "internal/helpers is not in the policy"},
		{"not in the table", "internal/ir/x.go", "fencepost/internal/memory", "the policy allows internal/ir only"},
		{"in the table", "internal/ir/x.go", "fencepost/internal/source", ""},
		{"standard library", "internal/ir/x.go", "go/token", ""},
		{"another engine", "internal/engine/explicit/x.go", "fencepost/internal/engine/lazy", "engines never import each other"},
		{"front end in another", "internal/frontend/litmus/x.go", "fencepost/internal/frontend/c", "entry package of another"},
		{"entry package in what it is built on", "internal/frontend/c/translate/x.go", "fencepost/internal/frontend/c", "entry package of another"},
		{"translation of C in litmus", "internal/frontend/litmus/x.go", "fencepost/internal/frontend/c/translate", ""},
		{"front end in an engine", "internal/engine/explicit/x.go", "fencepost/internal/frontend/fp", "engines start at ir"},
		{"os in an engine", "internal/engine/explicit/x.go", "os", "core packages do no I/O"},
		{"net in an engine", "internal/engine/explicit/x.go", "net/http", "core packages do no I/O"},
		{"os in pipeline", "internal/pipeline/x.go", "os", "core packages do no I/O"},
		{"os in cli", "internal/cli/x.go", "os", ""},
		{"os in a test", "internal/pipeline/x_test.go", "os", ""},
		{"memory in replay", "internal/replay/x.go", "fencepost/internal/memory", "replay shares nothing"},
		{"engine in replay", "internal/replay/x.go", "fencepost/internal/engine", "replay shares nothing"},
		{"engine in the checker", "internal/certificate/x.go", "fencepost/internal/engine/explicit", "nothing of those whose answers it checks"},
		{"pass in the encoder of the checker", "internal/certificate/clauses/x.go", "fencepost/internal/transform", "nothing of those whose answers it checks"},
		{"pipeline in render", "internal/render/text/x.go", "fencepost/internal/pipeline", "render sees the verdict"},
		{"testkit in code", "internal/cli/x.go", "fencepost/internal/testkit", "testkit is imported by tests only"},
		{"diagtest in code", "internal/frontend/fp/x.go", "fencepost/internal/diag/diagtest", "diagtest is imported by tests only"},
		{"diagtest in a test", "internal/frontend/litmus/x_test.go", "fencepost/internal/diag/diagtest", ""},
		{"testkit in a test", "internal/cli/x_test.go", "fencepost/internal/testkit", ""},
		{"front end in an engine's test", "internal/engine/explicit/x_test.go", "fencepost/internal/frontend/fp", "tests may also import"},
		{"own package in a test", "internal/memory/x_test.go", "fencepost/internal/memory", ""},
		{"cobra in cli", "internal/cli/x.go", "github.com/spf13/cobra", ""},
		{"cobra elsewhere", "internal/pipeline/x.go", "github.com/spf13/cobra", "no modules of others"},
		{"test library in a test", "internal/ir/x_test.go", "pgregory.net/rapid", ""},
		{"test library in code", "internal/ir/x.go", "pgregory.net/rapid", "no modules of others"},
		{"name that only begins like an allowed one", "internal/cli/x.go", "github.com/spf13/cobra2", "no modules of others"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			imported := strings.Replace(c.imported, "fencepost/", module+"/", 1)
			text := fmt.Sprintf("package p\n\nimport _ %q\n", imported)
			pkgs, err := scan(fstest.MapFS{c.file: {Data: []byte(text)}})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(violations(pkgs), "\n")
			if c.want == "" && got != "" {
				t.Errorf("allowed import refused: %s", got)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want a message with %q", got, c.want)
			}
		})
	}
}

// TestPolicyIsTransitive: a ban holds through packages in between.
func TestPolicyIsTransitive(t *testing.T) {
	pkgs, err := scan(fstest.MapFS{
		"internal/replay/r.go": {Data: []byte("package replay\n\nimport _ \"" + module + "/internal/ir\"\n")},
		"internal/ir/i.go":     {Data: []byte("package ir\n\nimport _ \"" + module + "/internal/memory\"\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(violations(pkgs), "\n")
	if want := "internal/replay -> internal/ir -> internal/memory: replay shares nothing"; !strings.Contains(got, want) {
		t.Errorf("got %q, want a message with %q", got, want)
	}
}
