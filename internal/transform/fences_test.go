package transform_test

import (
	"slices"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/transform"
)

// marked parses a program in which the nops are fence sites, and flattens it. Nops whose
// target locations have the same name are copies of one site.
func marked(t *testing.T, text string) (*ir.Program, []ir.FenceSite) {
	t.Helper()
	src, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	var sites []ir.FenceSite
	names := map[string]int{}
	for _, f := range src.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind != ir.Nop {
				continue
			}
			name := f.Locs[e.To].Name
			if _, ok := names[name]; !ok {
				names[name] = len(sites)
				sites = append(sites, ir.FenceSite{Before: name})
			}
			p := &sites[names[name]]
			p.Edges = append(p.Edges, e.ID)
		}
	}
	flat, err := transform.Run(src, transform.Options{Unroll: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat, sites
}

func countOps(p *ir.Program, kind ir.OpKind) int {
	n := 0
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == kind {
				n++
			}
		}
	}
	return n
}

func TestFencesInsert(t *testing.T) {
	const text = `
program p structured
object x
object y
func f() {
  reg r
  a -> b: store [&x] = 1
  b -> m1: nop
  m1 -> m2: nop
  m2 -> c: r = load [&y]
}
thread s = f()
thread t = f()
`
	p, sites := marked(t, text)
	before := irtext.Print(p)
	fs := transform.NewFences(p, &property.Set{}, sites)
	none, _ := fs.Insert(nil)
	if countOps(none, ir.Nop) > 0 || countOps(none, ir.Fence) > 0 || countOps(none, ir.Store) != 2 {
		t.Errorf("without fences:\n%s", irtext.Print(none))
	}
	one, _ := fs.Insert([]ir.FenceAt{{Site: 1, Kind: ir.StoreStoreFence}})
	if countOps(one, ir.Nop) > 0 || countOps(one, ir.Fence) != 2 {
		t.Errorf("with a fence:\n%s", irtext.Print(one))
	}
	both, _ := fs.Insert([]ir.FenceAt{{Site: 1, Kind: ir.FullFence}, {Site: 1, Kind: ir.StoreStoreFence}})
	for _, f := range both.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Kind == ir.Fence && e.Op.Fence != ir.FullFence {
				t.Error("the weaker of two fences won")
			}
		}
	}
	if irtext.Print(p) != before {
		t.Error("the argument changed")
	}
	f := p.Funcs[0]
	got := fs.Between(f.Edges[0].ID, f.Edges[3].ID, nil)
	slices.Sort(got)
	if !slices.Equal(got, []ir.SiteID{0, 1}) {
		t.Errorf("got sites %v between the store and the load, want 0 and 1", got)
	}
	for i, names := range fs.Threads() {
		if !slices.Equal(names, []string{"s", "t"}) {
			t.Errorf("site %d is passed by %v, want s and t", i, names)
		}
	}
}

// TestFencesAlternatives: a site at the beginning of one of several alternatives belongs
// to that alternative alone.
func TestFencesAlternatives(t *testing.T) {
	p, sites := marked(t, `
program p structured
object x
object y
func f() {
  reg r
  a -> b: store [&x] = 1
  b -> m1: nop
  b -> m2: nop
  m1 -> c: r = load [&y]
  m2 -> c: r = load [&x]
}
thread t = f()
`)
	fs := transform.NewFences(p, &property.Set{}, sites)
	none, _ := fs.Insert(nil)
	if f := none.Funcs[0]; countOps(none, ir.Nop) != 0 || len(f.Out(f.Edges[0].To)) != 2 {
		t.Errorf("the alternatives do not leave one location:\n%s", irtext.Print(none))
	}
	one, _ := fs.Insert([]ir.FenceAt{{Site: 0, Kind: ir.FullFence}})
	if countOps(one, ir.Fence) != 1 || countOps(one, ir.Nop) != 0 {
		t.Errorf("with a fence:\n%s", irtext.Print(one))
	}
	f := p.Funcs[0]
	if got := fs.Between(f.Edges[0].ID, f.Edges[3].ID, nil); !slices.Equal(got, []ir.SiteID{0}) {
		t.Errorf("got sites %v before the first alternative, want 0", got)
	}
}

// TestFencesGoals: a location that a goal names is not merged with a location at which the
// goal does not hold.
func TestFencesGoals(t *testing.T) {
	p, sites := marked(t, `
program p structured
object x
func f() {
  a -> b: store [&x] = 1
  b -> m: nop
  c -> m: nop
  m -> d: store [&x] = 2
  a -> c: store [&x] = 3
  d -> n: nop
  n -> e: store [&x] = 4
}
thread t = f()
`)
	at := func(name string) ir.Loc {
		return ir.Loc(slices.IndexFunc(p.Funcs[0].Locs, func(l ir.Location) bool { return l.Name == name }))
	}
	goal := func(name string) *property.Set {
		return &property.Set{Goals: []property.Goal{{At: []property.At{{Thread: 0, Locs: []ir.Loc{at(name)}}}}}}
	}
	// b and c both lead to m: a thread at m is not at b.
	asked := goal("b")
	out, props := transform.NewFences(p, asked, sites).Insert(nil)
	if got := props.Goals[0].At[0].Locs[0]; got != at("b") || countOps(out, ir.Nop) != 1 {
		t.Errorf("the goal went to %s:\n%s", p.Funcs[0].Locs[got].Name, irtext.Print(out))
	}
	// Only d leads to n: a thread at n was at d.
	out, props = transform.NewFences(p, goal("d"), sites).Insert(nil)
	if got := props.Goals[0].At[0].Locs[0]; got != at("n") || countOps(out, ir.Nop) != 0 {
		t.Errorf("the goal went to %s:\n%s", p.Funcs[0].Locs[got].Name, irtext.Print(out))
	}
	// With a fence after d, the goal stays before the fence.
	fs := transform.NewFences(p, goal("d"), sites)
	n := slices.IndexFunc(sites, func(x ir.FenceSite) bool { return x.Before == "n" })
	_, props = fs.Insert([]ir.FenceAt{{Site: ir.SiteID(n), Kind: ir.FullFence}})
	if got := props.Goals[0].At[0].Locs[0]; got != at("d") {
		t.Errorf("the goal went to %s", p.Funcs[0].Locs[got].Name)
	}
	if asked.Goals[0].At[0].Locs[0] != at("b") {
		t.Error("the properties given changed")
	}
}

func TestFencesDepths(t *testing.T) {
	p, sites := marked(t, `
program p structured
object x
func g() {
  a -> m0: nop
  m0 -> b: store [&x] = 5
}
func f() {
  a -> m1: nop
  m1 -> b: store [&x] = 1
  b -> m2: nop
  m2 -> c: store [&x] = 2
  c -> b: nop
  c -> d: call g()
  d -> c: store [&x] = 3
  c -> e: store [&x] = 4
}
thread t = f()
`)
	depths := transform.NewFences(p, &property.Set{}, sites).Depths()
	for i, want := range map[string]int{"m0": 2, "m1": 0, "m2": 1} {
		at := slices.IndexFunc(sites, func(x ir.FenceSite) bool { return x.Before == i })
		if depths[at] != want {
			t.Errorf("site %s lies in %d loops, want %d", i, depths[at], want)
		}
	}
}

// TestFencesEmptyLoop: a loop that consists of fence sites stays a loop.
func TestFencesEmptyLoop(t *testing.T) {
	p, sites := marked(t, `
program p structured
object x
func f() {
  a -> b: store [&x] = 1
  b -> m: nop
  m -> b: nop
}
thread t = f()
`)
	out, _ := transform.NewFences(p, &property.Set{}, sites).Insert(nil)
	if countOps(out, ir.Nop) != 1 {
		t.Errorf("the loop is gone:\n%s", irtext.Print(out))
	}
}
