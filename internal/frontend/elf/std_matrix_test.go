package elf_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/question/check"
	"fencepost/query"
)

var (
	cellPart  = flag.Int("fp.cells", 500, "TestStdMatrix takes one cell in so many; 1: all")
	cellLimit = flag.Duration("fp.celltime", 5*time.Second, "the most time for one cell of TestStdMatrix")
	cellOnly  = flag.String("fp.cell", "", "with -fp.cells=1: only the cells whose names begin with this, such as arc.rs/1.95/")
)

// A cell of TestStdMatrix is a program, right or wrong, and how it is compiled.
type cell struct {
	program    string
	compiler   string // a key of stdCompilers
	level      string // of optimisation, without -O
	executable bool
	wrong      bool // with its mistake
}

// stdCompilers has the compilers with their libraries, and how to call them; Rust's are added when the test runs.
var stdCompilers = map[string][]string{
	"g++": {"g++"}, "clang++": {"clang++"}, "libc++": {"clang++", "-stdlib=libc++"},
}

func (c cell) String() string {
	kind, mistake := "object", "right"
	if c.executable {
		kind = "executable"
	}
	if c.wrong {
		mistake = "wrong"
	}
	return fmt.Sprintf("%s/%s/O%s/%s/%s", c.program, c.compiler, c.level, kind, mistake)
}

// stdCells returns all cells of the programs.
func stdCells(programs []txtar.File) []cell {
	var out []cell
	for _, f := range programs {
		compilers := []string{"g++", "clang++", "libc++"}
		if filepath.Ext(f.Name) == ".rs" {
			compilers = []string{"1.63", "1.95"}
		}
		for _, compiler := range compilers {
			for _, level := range []string{"0", "1", "2", "3"} {
				for kind := range 4 {
					out = append(out, cell{f.Name, compiler, level, kind&1 != 0, kind&2 != 0})
				}
			}
		}
	}
	return out
}

// taken reports whether the test takes a cell.
func (c cell) taken() bool {
	h := fnv.New32a()
	h.Write([]byte(c.String()))
	return strings.HasPrefix(c.String(), *cellOnly) && h.Sum32()>>8%uint32(max(1, *cellPart)) == 0
}

// TestStdMatrix: programs that use one thing each of the libraries of C++ and Rust have the right answer under SC and TSO,
// or none, at all levels of optimisation, as objects and as executables; so have those with a mistake. -fp.cells=1 takes
// all of them, logs each answer, and counts them.
func TestStdMatrix(t *testing.T) {
	var programs []txtar.File
	for _, name := range []string{"cpp.txtar", "rust.txtar"} {
		ar, err := txtar.ParseFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, ar.Files...)
	}
	if len(programs) < 100 {
		t.Errorf("only %d programs", len(programs))
	}
	dir, counts := t.TempDir(), map[string]map[string]int{}
	missing := stdMissing(t, dir)
	for _, f := range programs {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range stdCells(programs) {
		if !c.taken() {
			continue
		}
		i := slices.IndexFunc(programs, func(f txtar.File) bool { return f.Name == c.program })
		first, _, _ := strings.Cut(string(programs[i].Data), "\n")
		t.Run(c.String(), func(t *testing.T) {
			if why := missing[c.compiler]; why != "" {
				t.Skip(why)
			}
			for answer, n := range c.judge(t, dir, strings.Fields(first)) {
				column := fmt.Sprintf("%s O%s executable=%t", c.compiler, c.level, c.executable)
				if counts[column] == nil {
					counts[column] = map[string]int{}
				}
				counts[column][answer] += n
			}
		})
	}
	for column, n := range counts {
		t.Logf("%s: %v", column, n)
	}
}

// stdMissing returns the compilers that are not here, or whose library is not, with a message, and notes where Rust's are.
func stdMissing(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	stdCompilers["1.63"], stdCompilers["1.95"] = []string{debianRustc()}, []string{recentRustc()}
	empty := filepath.Join(dir, "empty.cc")
	if err := os.WriteFile(empty, []byte("#include <version>\nint main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, call := range stdCompilers {
		switch {
		case call[0] == "":
			out[name] = "there is no rustc " + name + " here"
		case strings.HasPrefix(name, "1."):
		case exec.Command(call[0], append(slices.Clone(call[1:]), "-std=c++20", "-o", filepath.Join(dir, "empty"), empty)...).Run() != nil:
			out[name] = "there is no " + name + " here"
		}
	}
	return out
}

// compile returns the object or executable of a cell, nil if its library does not have what the program uses.
func (c cell) compile(t *testing.T, dir string) []byte {
	t.Helper()
	call, out := stdCompilers[c.compiler], filepath.Join(t.TempDir(), "a.o")
	arguments := append(slices.Clone(call[1:]), "-g", "-o", out, filepath.Join(dir, c.program))
	if filepath.Ext(c.program) == ".rs" {
		arguments = append(arguments, "-A", "warnings", "--edition", "2021", "-C", "panic=abort", "-C", "opt-level="+c.level)
		if !c.executable {
			arguments = append(arguments, "--emit=obj")
		}
		if c.wrong {
			arguments = append(arguments, "--cfg", "bug")
		}
	} else {
		arguments = append(arguments, "-std=c++20", "-O"+c.level, hashOfText, "-pthread")
		if !c.executable {
			arguments = append(arguments, "-c")
		}
		if c.wrong {
			arguments = append(arguments, "-DBUG")
		}
	}
	if msg, err := exec.Command(call[0], arguments...).CombinedOutput(); err != nil {
		if c.compiler == "libc++" || c.compiler == "1.63" {
			return nil
		}
		t.Fatalf("%v: %s", err, msg)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// judge asks about a cell, and counts the answers that are right, unknown and wrong. The words of the first line of a
// program say whether it is wrong without its mistake, too ("never"), and whether its mistake is one under TSO only
// ("weak").
func (c cell) judge(t *testing.T, dir string, words []string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	object := c.compile(t, dir)
	if object == nil {
		counts["not in the library"]++
		return counts
	}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, *cellLimit
	if strings.HasPrefix(c.program, "hash_map") {
		opt.C.NondetRange = []int64{0, 0} // the keys, which are random
	}
	a, err := check.Run(context.Background(), query.Input{Name: "a.o", Text: object}, opt.Under(query.SC, query.TSO))
	if err != nil {
		t.Fatal(err)
	}
	if a.HasErrors() {
		t.Errorf("error: %s", a.Diagnostics[0].Message)
		counts["wrong"]++
		return counts
	}
	for _, r := range a.Results {
		want := "safe"
		if slices.Contains(words, "never") || c.wrong && (r.Model == string(query.TSO) || !slices.Contains(words, "weak")) {
			want = "unsafe"
		}
		switch got := r.Verdict.String(); got {
		case want:
			counts["right"]++
			t.Logf("%s: right: %s", r.Model, got)
		case "unknown":
			counts["unknown"]++
			t.Logf("%s: unknown: %s", r.Model, r.Reason)
		default:
			counts["wrong"]++
			t.Errorf("%s: %s (%s), want %s", r.Model, got, r.Reason, want)
		}
	}
	return counts
}
