package testkit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/memorax"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// placed is a program, where fences can be written into it, and how.
type placed struct {
	p      *ir.Program
	places []ir.FenceSite
	write  func([]ir.FenceAt) []source.Edit
}

// parsePlaces reads a program; nil for a language without places.
func parsePlaces(t *testing.T, name string, text []byte, places bool, style translate.FenceStyle) *placed {
	t.Helper()
	f := source.NewFile(name, text)
	var diags *diag.List
	out := &placed{}
	switch filepath.Ext(name) {
	case ".c":
		var u *c.Unit
		u, diags = c.Parse([]*source.File{f}, c.Options{Sites: places})
		out.p, out.places = u.Program, u.Sites
		out.write = func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, style) }
	case ".fp", ".rmm", ".txt":
		parse := map[string]func(*source.File, statement.Options) (*statement.Unit, *diag.List){
			".fp": fp.Parse, ".rmm": memorax.Parse, ".txt": trencher.Parse,
		}[filepath.Ext(name)]
		var u *statement.Unit
		u, diags = parse(f, statement.Options{Sites: places, Threads: 2})
		out.p, out.places, out.write = u.Program, u.Sites, u.Write
	default:
		return nil
	}
	if diags.HasErrors() {
		t.Fatalf("refused: %v\n%s", diags.All, text)
	}
	return out
}

// fenced is the program with fences instead of marks, and nothing else changed.
func (pl *placed) fenced(fences []ir.FenceAt) *ir.Program {
	kinds := map[ir.EdgeID]ir.FenceKind{}
	for _, at := range fences {
		for _, e := range pl.places[at.Site].Edges {
			kinds[e] = at.Kind
		}
	}
	q := *pl.p
	q.Funcs = nil
	for _, f := range pl.p.Funcs {
		g := *f
		g.Edges = slices.Clone(f.Edges)
		for i := range g.Edges {
			if k := kinds[g.Edges[i].ID]; k != ir.FenceUnset {
				g.Edges[i].Op = ir.NewOp(ir.Fence)
				g.Edges[i].Op.Fence = k
			}
		}
		pl.takeReadOnly(&g)
		q.Funcs = append(q.Funcs, &g)
	}
	q.Seal()
	return &q
}

// takeReadOnly takes out the marks of read-only places, which the text does not have.
func (pl *placed) takeReadOnly(f *ir.Func) {
	for _, p := range pl.places {
		for _, id := range p.Edges {
			at := slices.IndexFunc(f.Edges, func(e ir.Edge) bool { return e.ID == id })
			if !p.ReadOnly || at < 0 {
				continue
			}
			from, to := f.Edges[at].From, f.Edges[at].To
			f.Edges = slices.Delete(f.Edges, at, at+1)
			for i := range f.Edges {
				if f.Edges[i].To == from {
					f.Edges[i].To = to
				}
			}
			if f.Entry == from {
				f.Entry = to
			}
		}
	}
}

// program is a text to write fences into.
type program struct {
	name string
	text []byte
}

// allPrograms is the corpus, the examples and the texts made for this.
func allPrograms(t *testing.T) []program {
	t.Helper()
	var out []program
	for _, c := range corpus(t) {
		out = append(out, program{c.Input.Name, c.Input.Text})
	}
	for _, pattern := range []string{"examples/*.*", "internal/testkit/testdata/places/*.*"} {
		paths, err := filepath.Glob(filepath.Join(testkit.Root(t), pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("nothing matches %s (%v)", pattern, err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, program{filepath.Base(p), text})
		}
	}
	return out
}

// TestPlaces: the text with a fence at every place, and with one at every third,
// means the program whose marks are fences, step by step.
func TestPlaces(t *testing.T) {
	total := 0
	for _, pr := range allPrograms(t) {
		t.Run(pr.name, func(t *testing.T) {
			for _, style := range stylesFor(pr) {
				pl := parsePlaces(t, pr.name, pr.text, true, style)
				if pl == nil {
					return
				}
				total += len(pl.places)
				for third := range 4 {
					var fences []ir.FenceAt
					for p := range pl.places {
						if pl.places[p].ReadOnly {
							continue
						}
						kind := ir.FullFence
						if p%2 == 1 && filepath.Ext(pr.name) != ".txt" {
							kind = ir.StoreStoreFence
						}
						if third == 3 || p%3 == third {
							fences = append(fences, ir.FenceAt{Site: ir.SiteID(p), Kind: kind})
						}
					}
					checkPatched(t, pr, pl, fences, style, third == 3)
				}
			}
		})
	}
	if total < 1000 {
		t.Errorf("only %d places", total)
	}
}

// stylesFor is one style of fences, or all for texts made for this.
func stylesFor(pr program) []translate.FenceStyle {
	all := []translate.FenceStyle{translate.C11, translate.Sync, translate.Mfence, translate.SmpMb}
	if pr.name == "tricky.c" {
		return all
	}
	return all[len(pr.text)%4:][:1]
}

func checkPatched(t *testing.T, pr program, pl *placed, fences []ir.FenceAt, style translate.FenceStyle, all bool) {
	t.Helper()
	text := source.Apply(source.NewFile(pr.name, pr.text), pl.write(fences))
	again := parsePlaces(t, pr.name, text, false, style)
	if again == nil {
		t.Fatal("no program")
	}
	if !all {
		return // what has marks left has other steps than the text
	}
	if got, want := edgesOnly(again.p), edgesOnly(pl.fenced(fences)); got != want {
		t.Fatalf("style %s:\n%s\nmeans\n%s\nwant\n%s", style, text, got, want)
	}
}

// edgesOnly is a program up to the numbers of locations and edges: per function its
// steps in an order that the graph alone decides.
func edgesOnly(p *ir.Program) string {
	var out strings.Builder
	for i, f := range p.Funcs {
		number := map[ir.Loc]int{f.Entry: 0}
		queue := []ir.Loc{f.Entry}
		for n := 0; n < len(queue); n++ {
			for _, j := range f.Out(queue[n]) {
				e := f.Edges[j]
				if _, ok := number[e.To]; !ok {
					number[e.To] = len(queue)
					queue = append(queue, e.To)
				}
				fmt.Fprintf(&out, "%d: %d -> %d: %s\n", i, n, number[e.To], operation(&e.Op))
			}
		}
	}
	return out.String()
}

// operation is what can be told apart of an operation without knowing the program.
func operation(op *ir.Op) string {
	exprs := ""
	for _, x := range []*ir.Expr{op.Addr, op.Val, op.Val2, op.Cond} {
		if x != nil {
			exprs += pointer.ReplaceAllString(fmt.Sprintf(" %+v", *x), "*")
		}
	}
	order := op.Order
	if op.Kind == ir.Fence { // the races' business
		order = ir.OrderUnset
	}
	return fmt.Sprintf("%s %s %s %d %d %d %q%s", op.Kind, op.Fence, order, op.Dst, op.Dst2, op.Func, op.Msg, exprs)
}

var pointer = regexp.MustCompile(`0x[0-9a-f]+`)

// TestPlacesCompile: gcc has no more to say about the text with fences everywhere
// than about the text itself.
func TestPlacesCompile(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	dir := t.TempDir()
	warning := regexp.MustCompile(`\[-W[^\]]*\]|error:.*`)
	complaints := func(name string, text []byte) []string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(gcc, "-std=gnu11", "-Wall", "-Wextra", "-fsyntax-only", file).CombinedOutput()
		list := warning.FindAllString(string(out), -1)
		slices.Sort(list)
		return list
	}
	for _, pr := range allPrograms(t) {
		if filepath.Ext(pr.name) != ".c" {
			continue
		}
		t.Run(pr.name, func(t *testing.T) {
			before := complaints(pr.name, pr.text)
			for _, style := range stylesFor(pr) {
				pl := parsePlaces(t, pr.name, pr.text, true, style)
				var fences []ir.FenceAt
				for p := range pl.places {
					if !pl.places[p].ReadOnly {
						fences = append(fences, ir.FenceAt{Site: ir.SiteID(p), Kind: ir.FenceKind(1 + p%2)})
					}
				}
				text := source.Apply(source.NewFile(pr.name, pr.text), pl.write(fences))
				if after := complaints(pr.name, text); !slices.Equal(before, after) {
					t.Errorf("style %s: gcc says %v, before %v\n%s", style, after, before, text)
				}
			}
		})
	}
}
