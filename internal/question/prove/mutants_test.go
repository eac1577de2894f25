package prove_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/prove"
	"fencepost/internal/solver/smt"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	mutantCount = flag.Int("fp.mutants", 4, "how many mutants of proved programs to try")
	mutantSeed  = flag.Uint64("fp.seed", 1, "the first mutant")
)

// Programs in .fp that are proved.
var provedFP = map[string]string{
	"messages.fp":  messages,
	"spinlock.fp":  "var l, x;\nthread w * n { reg r; while (cas(l, 0, 1) == 0) { } x = 1; r = x; assert r == 1; x = 0; l = 0; }",
	"ticket.fp":    "var n, s, x;\nthread w * n { reg t, r; t = fetch_add(n, 1); await s == t; r = x; assert r == 0; x = 1; x = 0; s = t + 1; }",
	"dekker.fp":    "var f, g, x;\nthread a * n { reg r; while (cas(f, 0, 1) == 0) { } g = 1; fence; r = x; x = r + 1; r = x; assert r > 0; x = 0; g = 0; fence; f = 0; }",
	"once.fp":      "var l, ready, data;\nthread w * n { reg r; r = ready; if (r == 0) { while (cas(l, 0, 1) == 0) { } r = ready; if (r == 0) { data = 7; ready = 1; } fence; l = 0; } r = data; assert r == 7; }",
	"section.fp":   "var a, b;\nthread w * n { reg r, s; atomic { r = a; a = r + 1; s = b; b = s + 1; } atomic { r = a; s = b; } assert r == s; }",
	"buffering.fp": "var x, y, p, q;\nthread v { reg r; x = 1; fence; r = y; if (r == 0) { p = 1; r = q; assert r == 0; p = 0; } x = 0; }\nthread w { reg r; y = 1; fence; r = x; if (r == 0) { q = 1; r = p; assert r == 0; q = 0; } y = 0; }",
	"array.fp":     "var a[4], i;\nthread w * n { reg r; r = i; if (0 <= r && r < 3) { a[r] = 1; i = r + 1; } }",
}

// provedPrograms returns the texts of programs that other tests prove, by name.
func provedPrograms(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, text := range provedFP {
		out[name] = text
	}
	for _, a := range algorithms {
		if !a.slow {
			out[a.file] = source(t, a.file)
		}
	}
	for _, c := range constructs {
		out[strings.ReplaceAll(c.name, " ", "-")+".c"] = strings.Replace(c.text(), "void *w(", "//@ replicate\nvoid *w(", 1)
	}
	examples, err := filepath.Glob("../../../examples/*.c")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range examples {
		switch name := filepath.Base(file); name {
		case "peterson.c", "spinlock.c", "ticket.c", "seqlock.c":
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out["example-"+name] = string(text)
		}
	}
	return out
}

// mutant is a program with one small mistake.
type mutant struct{ file, what, text string }

// mutations replace one operator by another one.
var mutations = [][2]string{
	{"==", "!="}, {"!=", "=="}, {" < ", " <= "}, {" <= ", " < "}, {" > ", " >= "}, {"&&", "||"}, {"while (", "if ("}, {"++", "--"}, {" + ", " - "},
	{"fetch_add", "fetch_sub"}, {"memory_order_seq_cst", "memory_order_release"}, {"memory_order_release", "memory_order_relaxed"},
}

// number is a constant of the program, with what comes before it.
var number = regexp.MustCompile(`(^|[^\w.#])(\d+)\b`)

// statement reports whether a line is a statement of a function.
func statement(line string) bool {
	s := strings.TrimSpace(line)
	for _, word := range []string{"//", "#", "reg ", "return", "struct ", "unsigned ", "int ", "long ", "pthread_t", "pthread_mutexattr_t"} {
		if strings.HasPrefix(s, word) {
			return false
		}
	}
	return strings.HasSuffix(s, ";") && strings.Count(s, "(") == strings.Count(s, ")")
}

// lines returns a text with one statement per line, and whether each line is inside of a function.
func lines(text string) (list []string, inside []bool) {
	parens, depth := 0, 0
	for _, line := range strings.Split(text, "\n") {
		start, begin := 0, depth
		cut := func(i int) {
			if strings.TrimSpace(line[start:i]) != "" {
				list, inside = append(list, line[start:i]), append(inside, begin > 0)
			}
			start, begin = i, depth
		}
		if s := strings.TrimSpace(line); !strings.HasPrefix(s, "//") && !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "expect") {
			for i, c := range line {
				switch c {
				case '(':
					parens++
				case ')':
					parens--
				case '{':
					depth++
				case '}':
					depth--
				}
				if parens == 0 && (c == ';' || c == '{') && depth > 0 {
					cut(i + 1)
				}
			}
		}
		cut(len(line))
	}
	return list, inside
}

// mutants returns the programs that differ from a program by one line that is left out, doubled or swapped with the
// next one, by one operator, or by one number.
func mutants(file, text string) []mutant {
	var out []mutant
	list, inside := lines(text)
	replace := func(i, n int, what string, with ...string) {
		changed := slices.Concat(list[:i], with, list[i+n:])
		out = append(out, mutant{file, fmt.Sprintf("line %d %s: %s", i+1, what, list[i]), strings.Join(changed, "\n")})
	}
	for i, line := range list {
		if !inside[i] || strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		if statement(line) {
			replace(i, 1, "left out", ";")
			replace(i, 1, "doubled", line, line)
			if i+1 < len(list) && inside[i+1] && statement(list[i+1]) {
				replace(i, 2, "swapped", list[i+1], line)
			}
		}
		for _, m := range mutations {
			if at := strings.Index(line, m[0]); at >= 0 {
				replace(i, 1, "changed", line[:at]+m[1]+line[at+len(m[0]):])
			}
		}
		for _, at := range number.FindAllStringSubmatchIndex(line, -1) {
			if n, err := strconv.Atoi(line[at[4]:at[5]]); err == nil {
				replace(i, 1, "changed", line[:at[4]]+strconv.Itoa(n+1)+line[at[5]:])
			}
		}
	}
	return out
}

// TestProvedFP: the programs that are changed are proved.
func TestProvedFP(t *testing.T) {
	for name, text := range provedFP {
		if r := proof(t, name, text, nil); r.Verdict == verdict.Unknown || r.Proof.Open() > 0 {
			t.Errorf("%s: %s, %s", name, r.Verdict, r.Reason)
		}
	}
}

// TestMutants: a proved program with one small mistake that an execution of an instance of one to four threads shows is
// not proved, under TSO and under PSO.
func TestMutants(t *testing.T) {
	if !smt.Available() {
		t.Skipf("notice: %v", smt.ErrMissing)
	}
	var all []mutant
	for name, text := range provedPrograms(t) {
		all = append(all, mutants(name, text)...)
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return strings.Compare(a.file, b.file) })
	rand.New(rand.NewPCG(1, 0x307a)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	wrong, refused, kept := 0, 0, 0
	for i := range *mutantCount {
		s := *mutantSeed + uint64(i)
		m := all[(s-1)%uint64(len(all))]
		opt := query.ProveOptions{Options: query.Defaults()}
		opt.Workers, opt.Timeout, opt.Model = 1, time.Minute, query.Models{query.TSO, query.TSO, query.PSO}[s%3]
		res, no, err := prove.Contradict(t.Context(), query.Input{Name: m.file, Text: []byte(m.text)}, opt, 4, 8<<20)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %s, %s: %v\n%s", s, m.file, m.what, err, m.text)
		case no:
			refused++
		case res == nil:
			kept++
		case res.Verdict != verdict.Unknown && res.Proof.Open() == 0:
			t.Errorf("seed %d: %s is proved under %s with a mistake, %s:\n%s", s, m.file, opt.Model, m.what, m.text)
		default:
			wrong++
		}
		if i%10 == 9 {
			t.Logf("after %d: %d violate a check and are not proved, %d violate none, %d are no programs or refused", i+1, wrong, kept, refused)
		}
	}
	t.Logf("%d violate a check and are not proved, %d violate none, %d are no programs or refused", wrong, kept, refused)
	if wrong == 0 {
		t.Error("the test tests nothing")
	}
}
