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

// withSites is a program with its fence sites, and a function that writes fences there.
type withSites struct {
	p     *ir.Program
	sites []ir.FenceSite
	write func([]ir.FenceAt) []source.Edit
}

// parseSites parses a program, and marks the fence sites in its ir if mark is set. It
// returns nil for a language without fence sites.
func parseSites(t *testing.T, name string, text []byte, mark bool, style translate.FenceStyle) *withSites {
	t.Helper()
	f := source.NewFile(name, text)
	var diags *diag.List
	out := &withSites{}
	switch filepath.Ext(name) {
	case ".c":
		var u *c.Unit
		u, diags = c.Parse([]*source.File{f}, c.Options{Sites: mark})
		out.p, out.sites = u.Program, u.Sites
		out.write = func(fences []ir.FenceAt) []source.Edit { return u.Write(fences, style) }
	case ".fp", ".rmm", ".txt":
		parse := map[string]func(*source.File, statement.Options) (*statement.Unit, *diag.List){
			".fp": fp.Parse, ".rmm": memorax.Parse, ".txt": trencher.Parse,
		}[filepath.Ext(name)]
		var u *statement.Unit
		u, diags = parse(f, statement.Options{Sites: mark, Threads: 2})
		out.p, out.sites, out.write = u.Program, u.Sites, u.Write
	default:
		return nil
	}
	if diags.HasErrors() {
		t.Fatalf("refused: %v\n%s", diags.All, text)
	}
	return out
}

// fenced returns the program with fences at the given sites instead of marks.
func (ws *withSites) fenced(fences []ir.FenceAt) *ir.Program {
	kinds := map[ir.EdgeID]ir.FenceKind{}
	for _, at := range fences {
		for _, e := range ws.sites[at.Site].Edges {
			kinds[e] = at.Kind
		}
	}
	q := *ws.p
	q.Funcs = nil
	for _, f := range ws.p.Funcs {
		g := *f
		g.Edges = slices.Clone(f.Edges)
		for i := range g.Edges {
			if k := kinds[g.Edges[i].ID]; k != ir.FenceUnset {
				g.Edges[i].Op = ir.NewOp(ir.Fence)
				g.Edges[i].Op.Fence = k
			}
		}
		ws.removeReadOnly(&g)
		q.Funcs = append(q.Funcs, &g)
	}
	q.Seal()
	return &q
}

// removeReadOnly removes the marks of read-only sites: no fence can be written there.
func (ws *withSites) removeReadOnly(f *ir.Func) {
	for _, p := range ws.sites {
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

// program is a source text.
type program struct {
	name string
	text []byte
}

// allPrograms returns the examples, the texts in testdata/fence_sites, and a part of the corpus.
func allPrograms(t *testing.T, part int) []program {
	t.Helper()
	var out []program
	for _, c := range testkit.PartOf(t, corpus(t), part) {
		out = append(out, program{c.Input.Name, c.Input.Text})
	}
	for _, pattern := range []string{"examples/*.*", "internal/testkit/testdata/fence_sites/*.*"} {
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

// TestFenceSites: the text with a fence at every site parses to the program in which all
// marks are fences, edge by edge. The text with a fence at every third site is accepted.
func TestFenceSites(t *testing.T) {
	total, enough := 0, 200
	if testkit.Slow() {
		enough = 1000
	}
	for _, pr := range allPrograms(t, 20) {
		t.Run(pr.name, func(t *testing.T) {
			for _, style := range stylesFor(pr) {
				ws := parseSites(t, pr.name, pr.text, true, style)
				if ws == nil {
					return
				}
				total += len(ws.sites)
				for third := range 4 {
					var fences []ir.FenceAt
					for p := range ws.sites {
						if ws.sites[p].ReadOnly {
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
					checkPatched(t, pr, ws, fences, style, third == 3)
				}
			}
		})
	}
	if total < enough {
		t.Errorf("only %d fence sites", total)
	}
}

// stylesFor returns all styles of fences for tricky.c, and one style for other programs.
func stylesFor(pr program) []translate.FenceStyle {
	all := []translate.FenceStyle{translate.C11, translate.Sync, translate.Mfence, translate.SmpMb}
	if pr.name == "tricky.c" {
		return all
	}
	return all[len(pr.text)%4:][:1]
}

func checkPatched(t *testing.T, pr program, ws *withSites, fences []ir.FenceAt, style translate.FenceStyle, all bool) {
	t.Helper()
	text := source.Apply(source.NewFile(pr.name, pr.text), ws.write(fences))
	again := parseSites(t, pr.name, text, false, style)
	if again == nil {
		t.Fatal("no program")
	}
	if !all {
		return // the marks that are left are steps that the text does not have
	}
	if got, want := edgesOnly(again.p), edgesOnly(ws.fenced(fences)); got != want {
		t.Fatalf("style %s:\n%s\nmeans\n%s\nwant\n%s", style, text, got, want)
	}
}

// edgesOnly returns the edges of a program as text. Locations are numbered breadth first,
// so that the text does not depend on the ids of locations and edges. A location that only a Nop
// leaves counts as the one after it.
func edgesOnly(p *ir.Program) string {
	var out strings.Builder
	for i, f := range p.Funcs {
		after := func(l ir.Loc) ir.Loc {
			for range f.Locs {
				next := f.Out(l)
				if len(next) != 1 || f.Edges[next[0]].Op.Kind != ir.Nop {
					break
				}
				l = f.Edges[next[0]].To
			}
			return l
		}
		number := map[ir.Loc]int{after(f.Entry): 0}
		queue := []ir.Loc{after(f.Entry)}
		for n := 0; n < len(queue); n++ {
			for _, j := range f.Out(queue[n]) {
				e := f.Edges[j]
				to := after(e.To)
				if _, ok := number[to]; !ok {
					number[to] = len(queue)
					queue = append(queue, to)
				}
				fmt.Fprintf(&out, "%d: %d -> %d: %s\n", i, n, number[to], operation(&e.Op))
			}
		}
	}
	return out.String()
}

// operation returns an operation as text, without the memory order of fences.
func operation(op *ir.Op) string {
	exprs := ""
	for _, x := range []*ir.Expr{op.Addr, op.Val, op.Val2, op.Cond} {
		if x != nil {
			exprs += pointer.ReplaceAllString(fmt.Sprintf(" %+v", *x), "*")
		}
	}
	order := op.Sync.Order
	if op.Kind == ir.Fence { // only data races depend on it
		order = ir.OrderUnset
	}
	return fmt.Sprintf("%s %s %s %d %d %d %q%s", op.Kind, op.Fence, order, op.Dst, op.Dst2, op.Call.Func, op.Report.Msg, exprs)
}

var pointer = regexp.MustCompile(`0x[0-9a-f]+`)

// TestFenceSitesCompile: gcc has the same warnings and errors for the text with fences at
// all sites as for the original text.
func TestFenceSitesCompile(t *testing.T) {
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
	for _, pr := range allPrograms(t, 32) {
		if filepath.Ext(pr.name) != ".c" {
			continue
		}
		t.Run(pr.name, func(t *testing.T) {
			before := complaints(pr.name, pr.text)
			for _, style := range stylesFor(pr) {
				ws := parseSites(t, pr.name, pr.text, true, style)
				var fences []ir.FenceAt
				for p := range ws.sites {
					if !ws.sites[p].ReadOnly {
						fences = append(fences, ir.FenceAt{Site: ir.SiteID(p), Kind: ir.FenceKind(1 + p%2)})
					}
				}
				text := source.Apply(source.NewFile(pr.name, pr.text), ws.write(fences))
				if after := complaints(pr.name, text); !slices.Equal(before, after) {
					t.Errorf("style %s: gcc says %v, before %v\n%s", style, after, before, text)
				}
			}
		})
	}
}
