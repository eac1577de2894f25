package fences_test

import (
	"bytes"
	"context"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/robust"
	"fencepost/internal/question/verify"
	"fencepost/internal/render/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	programs  = flag.Int("fp.programs", 32, "random texts to repair, per language and question")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random text")
)

// node is a statement of a random program.
type node struct {
	text string  // of a simple statement, or the head
	tail string  // of a do loop
	body []*node // nil: a simple statement
	also []*node // else
}

// randomText is two threads over x, y and z with one register each, and their
// bodies as trees, so that one program can be written with and without braces.
type randomText struct {
	few     bool // brute force tries small sets only
	r       *rand.Rand
	c       bool
	loops   int
	threads [2][]*node
	goal    bool
	values  [2]int // of the goal
}

// variable is mostly x or y: the fewer there are, the more conflicts.
func (g *randomText) variable() string { return string("xyxyxyz"[g.r.IntN(7)]) }

func (g *randomText) simple() *node {
	v := g.variable()
	if g.r.IntN(5) < 3 {
		return &node{text: fmt.Sprintf("%s = %d;", v, 1+g.r.IntN(2))}
	}
	return &node{text: fmt.Sprintf("r = %s;", v)}
}

func (g *randomText) statement(depth int) *node {
	v := g.variable()
	if depth == 0 || g.loops > 1 || g.r.IntN(5) < 3 {
		return g.simple()
	}
	n := &node{body: []*node{g.statement(depth - 1)}}
	switch g.r.IntN(4) {
	case 0:
		n.text = fmt.Sprintf("if (%s == 1)", v)
	case 1:
		n.text = fmt.Sprintf("if (%s == 1)", v)
		n.also = []*node{g.statement(depth - 1)}
	case 2:
		g.loops++
		n.text = fmt.Sprintf("while (%s != %d)", v, g.r.IntN(3))
	default:
		g.loops++
		n.text, n.tail = "do", fmt.Sprintf("while (%s == 2);", v)
	}
	return n
}

// print writes statements. A body of one statement has braces or not.
func (g *randomText) print(out *strings.Builder, list []*node, braces bool) {
	body := func(list []*node) {
		if braces {
			out.WriteString("{ ")
		}
		g.print(out, list, braces)
		if braces {
			out.WriteString("} ")
		}
	}
	for _, n := range list {
		out.WriteString(n.text + " ")
		if n.body != nil {
			// A then without braces must not take the else of another.
			if n.also != nil && !braces && n.body[0].body != nil && n.body[0].tail == "" {
				out.WriteString("{ ")
				g.print(out, n.body, braces)
				out.WriteString("} ")
			} else {
				body(n.body)
			}
		}
		if n.also != nil {
			out.WriteString("else ")
			body(n.also)
		}
		out.WriteString(n.tail)
		out.WriteString(" ")
	}
}

// text is the program.
func (g *randomText) text(braces bool) string {
	var out strings.Builder
	if g.c {
		out.WriteString("#include <pthread.h>\nint x, y, z;\n")
		for i, list := range g.threads {
			fmt.Fprintf(&out, "void *t%d(void *p) { int r; ", i)
			g.print(&out, list, braces)
			out.WriteString("return 0; }\n")
		}
		out.WriteString("int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); return 0; }\n")
		return out.String()
	}
	out.WriteString("var x, y, z;\n")
	for i, list := range g.threads {
		fmt.Fprintf(&out, "thread t%d { reg r; ", i)
		g.print(&out, list, braces)
		out.WriteString("}\n")
	}
	if g.goal {
		fmt.Fprintf(&out, "goal t0:L0, t1:L1 with t0:r == %d && t1:r == %d;\n", g.values[0], g.values[1])
	}
	return out.String()
}

// wrap puts a statement into a loop or a branch, or leaves it.
func (g *randomText) wrap(n *node) *node {
	if g.loops > 1 {
		return n
	}
	out := g.statement(1)
	if out.body == nil {
		return n
	}
	if out.also != nil && g.r.IntN(2) == 0 {
		out.also[0] = n
	} else {
		out.body[0] = n
	}
	return out
}

// newText makes a program. Each thread stores, and later loads what the other one
// stores, as in store buffering; all of that may stand in loops and branches. With a goal each
// thread has a label somewhere, in thread t1 mostly inside an atomic section.
func newText(seed uint64, inC, goal bool) *randomText {
	g := &randomText{r: rand.New(rand.NewPCG(seed, 8)), c: inC, goal: goal}
	g.values = [2]int{g.r.IntN(2), g.r.IntN(2)}
	names := []string{"x", "y"}
	for i := range g.threads {
		g.loops = 0
		list := []*node{g.wrap(&node{text: names[i] + " = 1;"})}
		if g.r.IntN(3) == 0 {
			list = append(list, g.statement(2))
		}
		if !goal || g.r.IntN(2) == 0 {
			list = append(list, g.wrap(&node{text: "r = " + names[1-i] + ";"}))
		}
		g.threads[i] = list
		if !goal {
			continue
		}
		label := &node{text: fmt.Sprintf("L%d: skip;", i)}
		if i == 1 && g.r.IntN(4) > 0 {
			label = &node{text: fmt.Sprintf("atomic { r = %s; %s }", names[g.r.IntN(2)], label.text)}
		}
		g.threads[i] = slices.Insert(g.threads[i], 1+g.r.IntN(len(list)), g.wrap(label))
	}
	return g
}

// ask is whether a text is as it should be: robust, or its goal not reached.
func (g *randomText) ask(t *testing.T, text, model string) verdict.Verdict {
	t.Helper()
	opt := query.Defaults()
	opt.Workers, opt.Timeout, opt.Buffer = 1, 0, 8
	in := query.Input{Name: g.name(), Text: []byte(text)}
	var answer query.Answer
	var err error
	if g.goal {
		answer, err = check.Run(context.Background(), in, query.CheckOptions{Options: opt, Engines: query.Engines{"explicit"}}.Under(query.Model(model)))
	} else {
		answer, err = robust.Run(context.Background(), in, query.RobustOptions{Options: opt, Models: query.Models{query.Model(model)}})
	}
	if err != nil || answer.HasErrors() {
		t.Fatalf("%v %+v\n%s", err, answer.Diagnostics, text)
	}
	return answer.Results[0].Verdict
}

func (g *randomText) name() string {
	if g.c {
		return "p.c"
	}
	return "p.fp"
}

// sites returns the fence sites of a text, and how fences are written there.
func (g *randomText) sites(text string) ([]ir.FenceSite, func([]ir.FenceAt) string) {
	f := source.NewFile(g.name(), []byte(text))
	if g.c {
		u, _ := c.Parse([]*source.File{f}, c.Options{Sites: true})
		return u.Sites, func(at []ir.FenceAt) string { return string(source.Apply(f, u.Write(at, translate.C11))) }
	}
	u, _ := fp.Parse(f, statement.Options{Sites: true})
	return u.Sites, func(at []ir.FenceAt) string { return string(source.Apply(f, u.Write(at))) }
}

// patched applies the patch with patch(1), holds it against the text beside it, and verifies
// the answer as if it had been stored.
func (g *randomText) patched(t *testing.T, r *verdict.Result, text string) {
	t.Helper()
	for _, p := range r.Repair.Patches {
		if tool, err := exec.LookPath("patch"); err != nil {
			t.Log("no patch(1) here")
		} else {
			dir := t.TempDir()
			file := filepath.Join(dir, p.File)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(tool, "-p1", "--quiet", "--fuzz=0")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(p.Diff)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s\n%s", err, out, p.Diff)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != p.Text {
				t.Fatalf("patched (%v):\n%s\nwant:\n%s", err, after, p.Text)
			}
		}
	}
	in := query.Input{Name: g.name(), Text: []byte(text)}
	var stored bytes.Buffer
	if err := json.Report(&stored, []verdict.Result{*r}, nil); err != nil {
		t.Fatal(err)
	}
	results, err := json.Read(stored.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := verify.Results(context.Background(), in, results, query.Options{})
	if err != nil || len(answer.Checks) == 0 {
		t.Fatal(err, answer)
	}
	for _, c := range answer.Checks {
		if c.Err != nil {
			t.Errorf("%s: %v\n%s", c.Name, c.Err, text)
		}
	}
}

// most is the largest set that brute force tries.
func (g *randomText) most() int {
	if g.c || g.few { // the front end takes its time, or there are two kinds of fences
		return 2
	}
	return 3
}

// brute is the fewest full fences that repair a text, one more than most if more are needed; -1
// if fences everywhere are not enough.
func (g *randomText) brute(t *testing.T, text, model string) int {
	t.Helper()
	sites, write := g.sites(text)
	kinds := []ir.FenceKind{ir.FullFence}
	if model == "pso" {
		kinds = append(kinds, ir.StoreStoreFence)
	}
	var all []ir.FenceAt
	for p := range sites {
		all = append(all, ir.FenceAt{Site: ir.SiteID(p), Kind: ir.FullFence})
	}
	if g.ask(t, write(all), model) != verdict.Safe {
		return -1
	}
	var try func(from int, set []ir.FenceAt, left int) bool
	try = func(from int, set []ir.FenceAt, left int) bool {
		if left == 0 {
			return g.ask(t, write(set), model) == verdict.Safe
		}
		for p := from; p < len(sites); p++ {
			for _, k := range kinds {
				if try(p+1, append(slices.Clone(set), ir.FenceAt{Site: ir.SiteID(p), Kind: k}), left-1) {
					return true
				}
			}
		}
		return false
	}
	for n := 0; n <= g.most(); n++ {
		if try(0, nil, n) {
			return n
		}
	}
	return g.most() + 1
}

// TestFencesTexts: the number of fences is that of brute force over every fence site of the
// text, and the same for the program written with and without braces. Each patch is read
// again by the pipeline.
func TestFencesTexts(t *testing.T) {
	for _, how := range []struct {
		name, model string
		c, goal     bool
	}{{"fp", "tso", false, false}, {"c", "tso", true, false}, {"fp-pso", "pso", false, false}, {"c-pso", "pso", true, false}, {"sections", "tso", false, true}, {"sections-pso", "pso", false, true}} {
		t.Run(how.name, func(t *testing.T) {
			counts := map[int]int{}
			n, first := uint64(*programs), *firstSeed
			if how.c { // the front end takes its time, for every set; two of these need fences
				n, first = max(1, n/16), first+3
			}
			if how.model == "pso" && !how.goal { // twice as many kinds of fences
				n = max(1, n/4)
			}
			for seed := first; seed < first+n; seed++ {
				g := newText(seed, how.c, how.goal)
				g.few = how.model == "pso" && !how.goal
				opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
				opt.Workers, opt.Timeout, opt.Model, opt.Buffer = 1, 0, query.Model(how.model), 8
				if how.goal {
					opt.For = query.ForAssertions
				}
				fewest := func(text string) int {
					if how.goal && g.ask(t, text, "sc") == verdict.Unsafe {
						return -1
					}
					answer, err := fences.Run(context.Background(), query.Input{Name: g.name(), Text: []byte(text)}, opt)
					if err != nil || answer.HasErrors() {
						t.Fatalf("seed %d: %v %+v\n%s", seed, err, answer.Diagnostics, text)
					}
					switch r := &answer.Results[0]; r.Verdict {
					case verdict.Safe:
						g.patched(t, r, text)
						return len(r.Fences)
					case verdict.Unsafe:
						return -1
					default:
						t.Fatalf("seed %d: %s (%s)\n%s", seed, r.Verdict, r.Reason, text)
						return 0
					}
				}
				bare, braced := g.text(false), g.text(true)
				if how.goal && g.ask(t, bare, "sc") == verdict.Unsafe {
					counts[-1]++
					continue
				}
				got := fewest(bare)
				if other := fewest(braced); other != got {
					t.Errorf("seed %d: %d fences, with braces %d\n%s\n%s", seed, got, other, bare, braced)
				}
				if want := g.brute(t, bare, how.model); want != min(got, g.most()+1) {
					t.Errorf("seed %d: %d fences, by brute force %d\n%s", seed, got, want, bare)
				}
				counts[got]++
			}
			t.Log(counts)
			if counts[1]+counts[2] == 0 {
				t.Error("nothing was repaired")
			}
		})
	}
}
