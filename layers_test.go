// The import policy as a test: which package may know which. docs/architecture.md
// says why; a new package is entered here before it can be used.

package fencepost_test

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

// rule lists what the code of a package may import besides the standard library.
type rule struct {
	ours     []string // packages of this module, relative to its root
	external []string // prefixes of import paths outside
}

// Shared parts of the table below.
var (
	frontEndMay = []string{"internal/source", "internal/diag", "internal/analysis", "internal/ir", "internal/property"}
	// translation is the translation of C, without main.
	translation = []string{"internal/frontend/c/translate", "internal/frontend/c/translate/read", "internal/frontend/c/translate/library"}
	passMay     = []string{"internal/analysis", "internal/ir", "internal/property"}
	engineMay   = []string{
		"internal/engine", "internal/analysis", "internal/budget", "internal/ir", "internal/transform", "internal/machine", "internal/memory", "internal/memory/reduce", "internal/memory/endless", "internal/property",
		"internal/search", "internal/solver/sat", "internal/source", "internal/trace", "verdict",
	}
	questionMay = []string{
		"internal/pipeline", "internal/engine", "internal/ir", "internal/memory", "internal/property", "internal/replay",
		"internal/source", "internal/trace", "verdict",
	}
	renderMay = []string{"verdict", "internal/render/relation", "internal/render/rows"}

	// frontEnds are the entry packages, one per input language. What two of them share
	// lies in a package below that is no entry: frontend/statement is the common part of
	// the languages of labelled instructions, and frontend/c/translate is C without main,
	// which litmus tests in C have too.
	frontEnds = []string{
		"internal/frontend/fp", "internal/frontend/trencher", "internal/frontend/memorax", "internal/frontend/litmus", "internal/frontend/c",
	}

	// testLibraries are for tests, and for testkit, which only tests import.
	testLibraries = []string{
		"pgregory.net/rapid", "github.com/rogpeppe/go-internal", "github.com/google/go-cmp",
		"github.com/chromedp", "github.com/owenrumney/go-sarif/v3", "github.com/xeipuuv/gojsonschema",
	}
)

// policy has a row per package. "." is the root.
var policy = map[string]rule{
	".": {ours: []string{
		"internal/pipeline", "internal/engine/bmc", "internal/engine/lazy", "internal/engine/param",
		"internal/question/check", "internal/question/export", "internal/question/fences", "internal/question/harness", "internal/question/litmus", "internal/question/param",
		"internal/question/prove", "internal/question/robust", "internal/question/traces", "internal/question/verify",
		"internal/inputfile", "internal/native", "internal/suite", "internal/family", "internal/papers", "internal/codes", "verdict",
	}},
	// The public renderers see results, as those below internal/render do.
	"render": {ours: []string{
		"internal/render/dot", "internal/render/html", "internal/render/json", "internal/render/junit", "internal/render/sarif",
		"internal/render/relation", "internal/render/svg", "internal/render/text", "verdict",
	}},
	"fenceposttest":       {ours: []string{".", "render", "verdict"}},
	"internal/modulepath": {}, "cmd/fencepost": {ours: []string{"internal/cli"}},
	"verdict": {},
	"bench":   {ours: []string{".", "verdict"}},

	"internal/source": {},
	"internal/diag":   {ours: []string{"internal/source"}},
	// Expected diagnostics in comments, for tests.
	"internal/diag/diagtest": {ours: []string{"internal/source", "internal/diag"}},
	"internal/ir":            {ours: []string{"internal/source", "internal/diag"}},
	"internal/property":      {ours: []string{"internal/source", "internal/ir"}},
	"internal/analysis":      {ours: []string{"internal/ir"}},

	// read makes checked syntax trees, translate lowers them, library lowers the functions
	// that programs call without defining them; the front ends hand it to translate.
	"internal/frontend/c/translate/read":    {ours: []string{"internal/source", "internal/diag", "internal/gcc"}, external: []string{"modernc.org/cc"}},
	"internal/frontend/c/translate":         {ours: append([]string{"internal/frontend/c/translate/read"}, frontEndMay...), external: []string{"modernc.org/cc"}},
	"internal/frontend/c/translate/library": {ours: append(slices.Clone(translation[:2]), frontEndMay...), external: []string{"modernc.org/cc"}},
	// Three languages of labelled instructions share trees, lowering and fence sites.
	"internal/frontend/statement":               {ours: append([]string{"internal/editdistance"}, frontEndMay...)},
	"internal/frontend/statement/statementtest": {ours: append([]string{"internal/frontend/statement", "internal/diag/diagtest"}, frontEndMay...)},
	"internal/frontend/fp":                      {ours: append([]string{"internal/frontend/statement"}, frontEndMay...)},
	"internal/frontend/trencher":                {ours: append([]string{"internal/frontend/statement"}, frontEndMay...)},
	"internal/frontend/memorax":                 {ours: append([]string{"internal/frontend/statement"}, frontEndMay...)},
	"internal/frontend/litmus":                  {ours: append(append([]string{"internal/stress"}, translation...), frontEndMay...)},
	"internal/frontend/c":                       {ours: append(slices.Clone(translation), frontEndMay...)},

	"internal/transform": {ours: append([]string{"internal/source"}, passMay...)},
	"internal/memory":    {ours: passMay},
	// Reductions see what memory exports, so that the rules stay the rules.
	"internal/memory/reduce":  {ours: append([]string{"internal/memory"}, passMay...)},
	"internal/memory/endless": {ours: append([]string{"internal/memory"}, passMay...)},
	"internal/machine":        {ours: append([]string{"internal/memory", "internal/transform"}, passMay...)},
	"internal/trace":          {ours: append([]string{"verdict"}, passMay...)},
	"internal/budget":         {},
	"internal/search":         {ours: []string{"internal/budget"}},

	"internal/solver/sat": {ours: []string{"internal/budget"}},

	"internal/export": {ours: []string{"internal/analysis", "internal/source", "internal/ir", "internal/property"}},

	"internal/engine":            {ours: []string{"internal/analysis", "internal/ir", "internal/property", "internal/memory", "internal/memory/reduce", "internal/search", "verdict"}},
	"internal/engine/bmc":        {ours: engineMay},
	"internal/engine/explicit":   {ours: append([]string{"internal/fairness"}, engineMay...)},
	"internal/fairness":          {ours: engineMay},
	"internal/engine/robust":     {ours: engineMay},
	"internal/engine/instrument": {ours: engineMay},
	"internal/engine/lazy":       {ours: engineMay},
	"internal/engine/fences":     {ours: append([]string{"internal/solver/pb"}, engineMay...)},
	"internal/solver/pb":         {},
	"internal/engine/param":      {ours: append([]string{"internal/solver/smt"}, engineMay...)},
	"internal/engine/smc":        {ours: engineMay},
	"internal/engine/rf":         {ours: engineMay},
	"internal/engine/mover":      {ours: []string{"internal/engine", "internal/analysis", "internal/ir", "internal/property", "internal/solver/smt", "internal/source", "verdict"}},

	"internal/solver/smt": {},
	"internal/shorten":    {ours: []string{"internal/engine", "internal/ir", "internal/memory", "internal/memory/endless", "internal/memory/reduce", "verdict"}},
	"internal/replay":     {ours: []string{"internal/source", "internal/ir", "internal/property", "verdict"}},

	// pipeline has the stages. It knows the front ends and the engines that answer tasks; the
	// questions know it.
	"internal/pipeline": {ours: []string{
		"internal/source", "internal/diag", "internal/gcc", "internal/ir", "internal/property", "internal/transform", "internal/memory",
		"internal/frontend/c", "internal/frontend/c/translate", "internal/frontend/fp", "internal/frontend/litmus",
		"internal/frontend/memorax", "internal/frontend/statement", "internal/frontend/trencher",
		"internal/engine", "internal/engine/bmc", "internal/engine/explicit", "internal/engine/instrument",
		"internal/engine/lazy", "internal/engine/rf", "internal/engine/robust", "internal/engine/smc",
		"internal/shorten", "internal/render/relation", "internal/trace", "internal/replay", "verdict",
	}},

	// A question knows the stages, the procedures it needs, and the questions it asks in turn: fences
	// checks the program with fences, param asks about instances, verify asks again.
	"internal/question/check":   {ours: append([]string{"internal/budget", "internal/engine/bmc", "internal/engine/explicit", "internal/engine/lazy", "internal/engine/smc", "internal/transform"}, questionMay...)},
	"internal/question/robust":  {ours: questionMay},
	"internal/question/harness": {ours: []string{"internal/pipeline", "internal/frontend/c", "verdict"}},
	"internal/question/fences": {ours: append([]string{
		"internal/engine/bmc", "internal/engine/fences", "internal/transform", "internal/question/check", "internal/question/robust",
	}, questionMay...)},
	"internal/question/prove":  {ours: append([]string{"internal/engine/mover", "internal/transform"}, questionMay...)},
	"internal/question/param":  {ours: append([]string{"internal/engine/param", "internal/transform", "internal/question/check", "internal/question/robust"}, questionMay...)},
	"internal/question/litmus": {ours: append([]string{"internal/frontend/litmus", "internal/stress", "internal/transform"}, questionMay...)},
	"internal/question/traces": {ours: append([]string{"internal/engine/rf", "internal/engine/smc", "internal/question/check"}, questionMay...)},
	"internal/question/export": {ours: append([]string{"internal/engine/instrument", "internal/engine/param", "internal/export", "internal/transform"}, questionMay...)},
	"internal/question/verify": {ours: append([]string{
		"internal/engine/fences", "internal/shorten", "internal/transform", "internal/question/check", "internal/question/fences", "internal/question/litmus",
		"internal/question/param", "internal/question/prove", "internal/question/robust", "internal/question/traces",
	}, questionMay...)},

	// stress writes the text of a program; native starts the compiler and the program.
	"internal/stress": {},
	"internal/native": {ours: []string{"internal/stress"}},

	"internal/inputfile": {},
	// What gcc predefines and what its flags mean.
	"internal/gcc": {},
	// Misspelt names, in programs and on the command line.
	"internal/editdistance": {},
	"internal/suite":        {ours: []string{"internal/inputfile", "verdict"}},
	"internal/family":       {}, "internal/papers": {},
	"internal/codes": {},

	// What the steps of a witness imply, for renderings and for the words of a cause.
	"internal/render/relation": {ours: []string{"verdict"}},
	// Executions as rows for people: what is folded, and the words.
	"internal/render/rows":  {ours: []string{"verdict", "internal/render/relation"}},
	"internal/render/text":  {ours: renderMay},
	"internal/render/json":  {ours: renderMay},
	"internal/render/dot":   {ours: renderMay},
	"internal/render/junit": {ours: append([]string{"internal/render/text"}, renderMay...)},
	"internal/render/svg":   {ours: renderMay},
	"internal/render/html":  {ours: append([]string{"internal/render/text", "internal/render/svg"}, renderMay...)},
	"internal/render/sarif": {ours: append([]string{"internal/render/text"}, renderMay...)},
	"internal/cli": {
		ours:     []string{".", "render", "verdict", "internal/gcc", "internal/inputfile", "internal/editdistance", "internal/render/text", "internal/render/json", "internal/render/dot", "internal/render/svg", "internal/render/html", "internal/render/sarif", "internal/render/junit"},
		external: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
	},

	// A program that writes the man pages from the commands.
	"internal/manual": {ours: []string{".", "internal/cli"}, external: []string{"github.com/spf13/cobra"}},

	"internal/testkit": {ours: []string{everything}, external: testLibraries},
}

const (
	everything = "*"
	testkit    = "internal/testkit"

	// statementtest and diagtest are apart from testkit, which imports the front ends: their
	// inner tests cannot import testkit.
	statementtest = "internal/frontend/statement/statementtest"
	diagtest      = "internal/diag/diagtest"
)

// A ban holds whatever the table says, and through any number of packages in
// between, so that a careless row cannot undo it.
type ban struct {
	from func(pkg string) bool
	to   func(from, pkg string) bool
	why  string
}

var bans = []ban{
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
		from: under("internal/render/"),
		to:   func(_, pkg string) bool { return pkg != "verdict" && !under("internal/render/")(pkg) },
		why:  "render sees the verdict and other renderings only, so that a stored result can be rendered again",
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
}

func under(prefix string) func(string) bool {
	return func(pkg string) bool { return strings.HasPrefix(pkg, prefix) }
}

// ioPackages are the only packages that use files, the network or processes.
// The others take bytes and return values. The solvers are processes; engines see
// their interfaces.
var ioPackages = []string{"cmd/fencepost", "internal/cli", "fenceposttest", "internal/manual", "internal/modulepath", testkit, statementtest, diagtest, "internal/inputfile", "internal/suite", "internal/solver/sat", "internal/solver/smt", "internal/native"}

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
			ours:     append(slices.Clone(r.ours), pkg, testkit, statementtest, diagtest),
			external: append(slices.Clone(r.external), testLibraries...),
		}
		for _, v := range tableViolations(pkg, tests, p.tests) {
			found = append(found, v+" (tests may also import testkit and the test libraries)")
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
		{"in the table", "internal/ir/x.go", "fencepost/internal/diag", ""},
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
