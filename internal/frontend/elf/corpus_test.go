package elf_test

import (
	"debug/dwarf"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/testkit"
	"fencepost/query"
)

var (
	update = flag.Bool("update", false, "rewrite the lists of differences between machine code and its source, with -fp.slow")
	limit  = flag.Duration("elf.limit", 4*time.Second, "the most time for one answer of a comparison; what takes longer is not compared")
	only   = flag.String("elf.only", "", "compare only the programs whose names match this expression")
)

// difference is an answer about machine code that is not the one about its source.
type difference struct {
	program, level, model string
	source, binary        string // the verdicts
}

func (d difference) String() string {
	return fmt.Sprintf("%s %s %s %s %s", d.program, d.level, d.model, d.source, d.binary)
}

// sameQuestion reports whether two differences are about the same question.
func (d difference) sameQuestion(o difference) bool {
	return o.program == d.program && o.level == d.level && o.model == d.model
}

// reason is why machine code differs from its source.
type reason struct {
	// kind is "plain" if a shared variable is neither atomic nor volatile, "memory" if the source has a memory error
	// that the machine code does not have, "unsupported" if the machine code is not supported, "compiler" if the
	// compiler is wrong, and "source" if what the source means to the front end for C is not in the machine code.
	kind  string
	words string // for a plain variable: its name and a colon first; if it is not supported: a part of the message
	list  []difference
}

// unexplained is the kind of the differences that -update finds.
const unexplained = "unexplained"

// readDifferences reads a list: a line with the kind and the words of each reason, and below it the differences.
func readDifferences(t *testing.T, path string) []reason {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []reason
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch f := strings.Fields(line); {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			kind, words, _ := strings.Cut(line, " ")
			out = append(out, reason{kind: kind, words: words})
		case len(f) == 5 && len(out) > 0:
			last := &out[len(out)-1]
			last.list = append(last.list, difference{f[0], f[1], f[2], f[3], f[4]})
		default:
			t.Fatalf("%s: %q is not: program level model source binary", path, line)
		}
	}
	return out
}

// writeDifferences writes a list anew: what was found, with the reasons that the old list has for the programs.
func writeDifferences(t *testing.T, path string, found []difference, old []reason) {
	t.Helper()
	for i := range old {
		had := map[string]bool{}
		for _, d := range old[i].list {
			had[d.program+" "+d.binary] = true
		}
		old[i].list = nil
		found = slices.DeleteFunc(found, func(d difference) bool {
			mine := had[d.program+" "+d.binary]
			if mine {
				old[i].list = append(old[i].list, d)
			}
			return mine
		})
	}
	old = append(old, reason{kind: unexplained, words: "why?", list: found})
	var b strings.Builder
	b.WriteString("# Where machine code differs from its source, and why: see corpus_test.go.\n")
	for _, r := range old {
		if len(r.list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s %s\n", r.kind, r.words)
		for _, d := range r.list {
			fmt.Fprintf(&b, "  %s\n", d)
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCorpus: the C programs of the corpus as gcc's machine code have the verdicts of the sources, but for exactly the
// differences in the list.
func TestCorpus(t *testing.T) { compareCorpus(t, "gcc") }

// TestCorpusClang: the same of clang's machine code, for make fuzz.
func TestCorpusClang(t *testing.T) {
	if !testkit.Slow() {
		t.Skip("clang is compared by make fuzz, with -fp.slow")
	}
	compareCorpus(t, "clang")
}

// version returns a compiler's name with its version, such as gcc-12. The test is skipped with a notice where there is
// no such compiler.
func version(t *testing.T, cc string) string {
	t.Helper()
	out, err := exec.Command(cc, "-dumpversion").Output()
	if err != nil {
		t.Skipf("there is no %s here, so that there is no machine code", cc)
	}
	major, _, _ := strings.Cut(strings.TrimSpace(string(out)), ".")
	return cc + "-" + major
}

// listOf reads the list of differences of a compiler. exact says that it is for this version of the compiler;
// otherwise it is another list.
func listOf(t *testing.T, cc, name string) (path string, reasons []reason, exact bool) {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join("testdata", name+"-*.txt"))
	if err != nil || len(lists) == 0 && !*update {
		t.Fatalf("no lists (%v)", err)
	}
	path = filepath.Join("testdata", name+"-"+version(t, cc)+".txt")
	switch {
	case slices.Contains(lists, path):
		return path, readDifferences(t, path), true
	case *update:
		return path, nil, true
	}
	t.Logf("there is no list for %s: the programs in %s are not compared", version(t, cc), lists[0])
	return lists[0], readDifferences(t, lists[0]), false
}

// byProgram returns the reasons by the programs that differ.
func byProgram(reasons []reason) map[string]*reason {
	out := map[string]*reason{}
	for i := range reasons {
		for _, d := range reasons[i].list {
			out[d.program] = &reasons[i]
		}
	}
	return out
}

// compareCorpus compares a compiler's machine code with the sources. A list is for one version of a compiler; with
// another version, or another compiler, only the programs that the list does not have are compared.
func compareCorpus(t *testing.T, cc string) {
	cases := testkit.LoadCorpus(t, filepath.Join("..", "..", "..", "testdata", "corpus"))
	if writesNothing() {
		return
	}
	path, reasons, exact := listOf(t, cc, "differs")
	listed := byProgram(reasons)
	same, late, wanted := 0, 0, regexp.MustCompile(*only)
	var found, expected, open []difference
	for _, c := range testkit.PartOf(t, cases, 8) {
		if !strings.HasSuffix(c.Input.Name, ".c") || !exact && listed[c.Name()] != nil || !wanted.MatchString(c.Name()) {
			continue
		}
		for _, level := range levels {
			binary, ok := compileWith(t, cc, c.Input.Name, c.Input.Text, "-c", level)
			if !ok {
				continue
			}
			in := query.Input{Name: strings.TrimSuffix(c.Input.Name, ".c") + ".o", Text: binary}
			for _, model := range []string{"sc", "tso"} {
				d := difference{c.Name(), level, model, c.Verdict(model), ""}
				var why string
				d.binary, why = ask(t, in, model, *limit)
				switch {
				case d.source == "":
				case d.binary == d.source:
					same++
				case d.binary == "unknown" && !strings.Contains(why, "not supported"):
					late++
					open = append(open, d)
				default:
					found = append(found, d)
					if r := listed[d.program]; r != nil && exact {
						checkReason(t, r, c, d, binary, why)
					} else if !*update {
						t.Errorf("%s: the source is %s, the machine code is %s (%s)", d, d.source, d.binary, why)
					}
				}
			}
		}
		expected = append(expected, listedFor(reasons, c.Name())...)
	}
	if judge(t, path, reasons, found, expected, open) {
		return
	}
	for _, d := range open {
		t.Logf("took longer: %s", d)
	}
	t.Logf("%s: %d verdicts are the same, %d differ as in the list, %d took longer than %s", version(t, cc), same, len(found), late, *limit)
	if same < 20 && *only == "" {
		t.Errorf("only %d verdicts are the same", same)
	}
}

// listedFor returns the differences of a program in the list.
func listedFor(reasons []reason, program string) []difference {
	var out []difference
	for _, r := range reasons {
		for _, d := range r.list {
			if d.program == program {
				out = append(out, d)
			}
		}
	}
	return out
}

// writesNothing tells a run that would only write lists, without all programs that they are made from.
func writesNothing() bool { return *update && !testkit.Slow() }

// judge compares the differences that were found with the list, or writes the list anew; then it returns
// true. About open questions, to which no answer came in time, it says nothing.
func judge(t *testing.T, path string, reasons []reason, found, expected, open []difference) (written bool) {
	t.Helper()
	wanted := regexp.MustCompile(*only)
	if *update {
		for _, r := range reasons { // what was not compared stays
			for _, d := range r.list {
				if !wanted.MatchString(d.program) || slices.ContainsFunc(open, d.sameQuestion) {
					found = append(found, d)
				}
			}
		}
		writeDifferences(t, path, found, reasons)
		return true
	}
	for _, d := range expected {
		if !slices.Contains(found, d) && !slices.ContainsFunc(open, d.sameQuestion) {
			t.Errorf("the list has a difference that is none any more: %s", d)
		}
	}
	for _, d := range found {
		if slices.ContainsFunc(expected, func(o difference) bool { return o.program == d.program }) && !slices.Contains(expected, d) {
			t.Errorf("the list does not have the difference %s", d)
		}
	}
	return false
}

// checkReason demands that a reason of the list holds for a difference.
func checkReason(t *testing.T, r *reason, c *testkit.Case, d difference, binary []byte, why string) {
	t.Helper()
	switch r.kind {
	case "plain":
		name, _, ok := strings.Cut(r.words, ":")
		if !ok || d.binary == "unknown" || d.binary == "error" {
			t.Errorf("%s: the list says %q", d, r.words)
			return
		}
		o0, _ := compile(t, c.Input.Name, c.Input.Text, "-c", "-O0")
		for _, variable := range strings.Fields(name) {
			if problem := notPlain(o0, variable); problem != "" {
				t.Errorf("%s: %s", d, problem)
			}
		}
	case "memory":
		_, source := ask(t, c.Input, d.model, 0)
		if d.source != "unsafe" || d.binary != "safe" || strings.Contains(source, "assert") || strings.Contains(source, "error reached") {
			t.Errorf("%s: the source has no memory error: %s", d, source)
		}
	case "unsupported":
		if d.binary != "unknown" && d.binary != "error" || !strings.Contains(why, r.words) {
			t.Errorf("%s: the list says %q: %s", d, r.words, why)
		}
	case "source", "compiler":
	default:
		t.Errorf("%s: the list does not say why: %s", d, why)
	}
}

// notPlain returns what is wrong if a variable is not plain: it is volatile or atomic, or there is none.
func notPlain(data []byte, name string) string {
	image, err := object.Load([]object.Input{{Name: "a.o", Data: data}})
	if err != nil {
		return err.Error()
	}
	s := image.Linked[name]
	for _, l := range image.Symbols {
		if s == nil && l.Name == name {
			s = l
		}
	}
	if s == nil || s.Sec == nil {
		return "there is no variable " + name
	}
	t := image.Lines.TypeOf(name, s.Addr())
	if t == nil {
		return "the type of " + name + " is not known"
	}
	for {
		switch u := t.(type) {
		case *dwarf.ArrayType:
			t = u.Type
		case *dwarf.TypedefType:
			t = u.Type
		case *dwarf.QualType:
			if u.Qual == "volatile" {
				return name + " is volatile"
			}
			t = u.Type
		case *dwarf.IntType, *dwarf.UintType, *dwarf.CharType, *dwarf.UcharType, *dwarf.PtrType, *dwarf.StructType, *dwarf.BoolType, *dwarf.EnumType:
			return ""
		default:
			return fmt.Sprintf("the type of %s is %s", name, t)
		}
	}
}
