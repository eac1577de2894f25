package ir

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func factsOf(t *testing.T, text string, keep func(FuncID, Reg) bool) (*Program, *Facts) {
	t.Helper()
	p := parseText(t, text)
	if errs := Verify(p); len(errs) > 0 {
		t.Fatal(errs)
	}
	return p, NewFacts(p, keep)
}

// liveNames is the live registers at every location.
func liveNames(p *Program, fs *Facts, f FuncID) string {
	var b strings.Builder
	for l, loc := range p.Funcs[f].Locs {
		fmt.Fprintf(&b, "%s:", loc.Name)
		for _, r := range fs.Live(f, Loc(l)) {
			fmt.Fprintf(&b, "%s", p.Funcs[f].Regs[r].Name)
			if !fs.IsLive(f, Loc(l), r) {
				b.WriteString("?")
			}
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestLive(t *testing.T) {
	const regs = "object x\nfunc f(p) {\n reg a, b, c\n"
	tests := []struct{ body, want string }{
		{"0 -> 1: a = load [&x]\n 1 -> 2: b = a + 1\n 2 -> 3: store [&x] = b", "0: 1:a 2:b 3:"},
		{"0 -> 1: a = b\n 0 -> 2: a = c\n 1 -> 3: nop\n 2 -> 3: nop\n 3 -> 4: return a", "0:bc 1:a 2:a 3:a 4:"},
		{"0 -> 1: assume p\n 1 -> 0: a = a + 1\n 0 -> 2: return b", "0:pab 1:pab 2:"},
		{"0 -> 1: a = havoc when a < b\n 1 -> 2: assume a", "0:b 1:a 2:"},
		{"0 -> 1: a = aload [&x] when a < seen + b\n 1 -> 2: assume a", "0:b 1:a 2:"},
		{"0 -> 1: a, b = rmw.cas [&x], a, c\n 1 -> 2: threadexit b", "0:ac 1:b 2:"},
		{"0 -> 1: a = join b\n 1 -> 2: return a", "0:b 1:a 2:"},
		{"0 -> 1: bound \"k\"\n 1 -> 2: return a", "0: 1:a 2:"},
		{"0 -> 1: exit\n 1 -> 2: return a", "0: 1:a 2:"},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, regs+tt.body+"\n}\nthread f\n", nil)
		if got := liveNames(p, fs, 0); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.body, got, tt.want)
		}
	}
	p, fs := factsOf(t, regs+tests[0].body+"\n}\nthread f\n", func(f FuncID, r Reg) bool { return f == 0 && r == 1 })
	if got, want := liveNames(p, fs, 0), "0:a 1:a 2:ab 3:a"; got != want {
		t.Errorf("with a kept: got %s, want %s", got, want)
	}
}

// TestLiveManyRegisters holds bit sets of several words against a search for a
// use per register.
func TestLiveManyRegisters(t *testing.T) {
	for seed := range int64(50) {
		rnd := rand.New(rand.NewSource(seed))
		f := &Func{Name: "f"}
		for i := range 150 {
			f.Regs = append(f.Regs, Register{Name: fmt.Sprint("r", i)})
		}
		for i := range 12 {
			f.Locs = append(f.Locs, Location{Name: fmt.Sprint("l", i)})
		}
		for i := range 30 {
			op := NewOp(Assign)
			op.Dst, op.Val = Reg(rnd.Intn(150)), R(Reg(rnd.Intn(150)))
			f.Edges = append(f.Edges, Edge{ID: EdgeID(i), From: Loc(rnd.Intn(12)), To: Loc(rnd.Intn(12)), Op: op})
		}
		p := &Program{Name: "p", Form: Flat, Main: NoThread, Funcs: []*Func{f}, NextEdge: 30}
		p.Seal()
		fs := NewFacts(p, nil)
		for l := range f.Locs {
			for r := range f.Regs {
				if got, want := fs.IsLive(0, Loc(l), Reg(r)), usedLater(f, Loc(l), Reg(r)); got != want {
					t.Fatalf("seed %d: register %d at %d: live %v, want %v", seed, r, l, got, want)
				}
			}
		}
	}
}

func usedLater(f *Func, l Loc, r Reg) bool {
	seen := map[Loc]bool{l: true}
	for work := []Loc{l}; len(work) > 0; {
		l := work[0]
		work = work[1:]
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.From != l {
				continue
			}
			if e.Op.Val.Reg == r {
				return true
			}
			if e.Op.Dst != r && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return false
}

func TestLocalLocs(t *testing.T) {
	p, fs := factsOf(t, `
object x
func f {
  reg a
  l0 -> l1: a = 1
  l1 -> l1: assume a
  l1 -> l2: assume !a
  l2 -> l3: a = 2
  l2 -> l3: a = load [&x]
  l3 -> l4: nop
  l4 -> l3: assume a
  l4 -> l2: assume a
  l4 -> end: return
}
thread f
`, nil)
	var local, heads []string
	for l, loc := range p.Funcs[0].Locs {
		if fs.LocalLoc(0, Loc(l)) {
			local = append(local, loc.Name)
		}
		if fs.LocalCycleHead(0, Loc(l)) {
			heads = append(heads, loc.Name)
		}
	}
	if got := strings.Join(local, " "); got != "l0 l1 l3 l4" {
		t.Errorf("local locations %s", got)
	}
	if got := strings.Join(heads, " "); got != "l1 l3" {
		t.Errorf("cycle heads %s", got)
	}
}

// TestLocalCycleHeadsCut takes the heads out of random automata and looks for
// cycles that are left.
func TestLocalCycleHeadsCut(t *testing.T) {
	for seed := range int64(300) {
		rnd := rand.New(rand.NewSource(seed))
		f := &Func{Name: "f"}
		for i := range 8 {
			f.Locs = append(f.Locs, Location{Name: fmt.Sprint("l", i)})
		}
		for i := range 14 {
			kinds := []OpKind{Nop, Nop, Nop, Nop, Fence}
			f.Edges = append(f.Edges, Edge{ID: EdgeID(i), From: Loc(rnd.Intn(8)), To: Loc(rnd.Intn(8)), Op: NewOp(kinds[rnd.Intn(5)])})
		}
		p := &Program{Name: "p", Form: Flat, Main: NoThread, Funcs: []*Func{f}, NextEdge: 14}
		p.Seal()
		fs := NewFacts(p, nil)
		// reach[a][b]: a way of at least one edge through locations that are local and no heads
		var reach [8][8]bool
		for i := range f.Edges {
			e := &f.Edges[i]
			if fs.LocalLoc(0, e.From) && !fs.LocalCycleHead(0, e.From) {
				reach[e.From][e.To] = true
			}
		}
		for k := range 8 {
			for a := range 8 {
				for b := range 8 {
					reach[a][b] = reach[a][b] || reach[a][k] && reach[k][b]
				}
			}
		}
		for a := range 8 {
			if reach[a][a] {
				t.Fatalf("seed %d: a cycle through l%d has no head\n%s", seed, a, Print(p))
			}
		}
	}
}

func TestCyclic(t *testing.T) {
	tests := []struct {
		body           string
		cyclic, stores bool
	}{
		{"a -> b: nop\n b -> c: store [&x] = 1", false, false},
		{"a -> a: nop\n a -> b: store [&x] = 1", true, false},
		{"a -> b: store [&x] = 1\n b -> c: nop\n c -> a: nop", true, true},
		{"a -> b: free [&x]\n b -> a: nop", true, true},
		{"a -> b: nop\n u -> u: store [&x] = 1", false, false},
		{"a -> b: nop\n b -> a: bound \"k\"", false, false},
		{"a -> b: nop\n b -> a: nop\n b -> c: store [&x] = 1\n c -> d: nop\n d -> c: nop", true, false},
	}
	for _, tt := range tests {
		_, fs := factsOf(t, "object x\nfunc f {\n "+tt.body+"\n}\nthread f\n", nil)
		if fs.Cyclic(0) != tt.cyclic || fs.CyclicStores(0) != tt.stores {
			t.Errorf("%s: cyclic %v, stores %v", tt.body, fs.Cyclic(0), fs.CyclicStores(0))
		}
	}
}

func TestFootprint(t *testing.T) {
	const x, y, null = dataBase, dataBase + 32, 0
	tests := []struct{ op, want string }{
		{"store.u32 [&x+4] = 1", fmt.Sprint(Bytes{x + 4, x + 8})},
		{"r = load [&y]", fmt.Sprint(Bytes{y, y + 8})},
		{"r = load [&y + 8]", fmt.Sprint(Bytes{y + 8, y + 16})},
		{"r = load [&y + 8 * (r & 1)]", fmt.Sprint(Bytes{y, y + 16})},
		{"r = load [&y + (r % u64 2 << 3)]", fmt.Sprint(Bytes{y, y + 16})},
		{"r = load [&y + (u8)r]", fmt.Sprint(Bytes{y, y + 255 + 8})},
		{"r = load [r == 1 ? &x : &y]", fmt.Sprint(Bytes{x, y + 8})},
		{"r = load [&y + (u8)r] in y", fmt.Sprint(Bytes{y, y + 24})},
		{"r = load [&y + 8 * r] in y", fmt.Sprint(Bytes{y, y + 24})},
		{"r = load [&y + 8 * r]", "anything"},
		{"r = load [r]", "anything"},
		{"r = load [16]", fmt.Sprint(Bytes{null + 16, null + 24})},
		{"r = load [-8]", fmt.Sprint(Bytes{-8, 0})},
		{"r = load [&y + 9223372036854775807 * 2]", "anything"},
		{"lock [&y+8]", fmt.Sprint(Bytes{y, y + 24})},
		{"lock [r]", "anything"},
		{"condwait [&x] mutex [&y]", fmt.Sprint(Bytes{x, x + 8}, Bytes{y, y + 24})},
		{"r = alloc 8", "anything"},
		{"free [r]", "anything"},
		{"fence", "nothing"},
		{"r = 1", "nothing"},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, "object x\nobject y size 24\nfunc f {\n reg r\n a -> b: "+tt.op+"\n}\nthread f\n", nil)
		fp := fs.Footprint(&p.Funcs[0].Edges[0])
		got := strings.Trim(fmt.Sprint(fp.Ranges), "[]")
		switch {
		case fp.Anything:
			got = "anything"
		case len(fp.Ranges) == 0:
			got = "nothing"
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.op, got, tt.want)
		}
	}
}

// TestRangeOf evaluates random expressions and looks whether the value is in
// the range.
func TestRangeOf(t *testing.T) {
	known := 0
	g := &generator{Rand: rand.New(rand.NewSource(1))}
	for i := range 60_000 {
		g.p = &Program{Objects: []Object{{Addr: dataBase, Size: 8}}, Funcs: []*Func{{}}}
		g.f = &Func{Regs: make([]Register, 2)}
		e := g.expr(3)
		iv, ok := rangeOf(g.p, e)
		if !ok || iv.lo == iv.hi && e.Op == Const {
			continue
		}
		known++
		for range 5 {
			v := e.Eval(Env{Regs: []int64{g.word(), g.word()}, Seen: g.word(), Prog: g.p})
			if v < iv.lo || v > iv.hi {
				t.Fatalf("expression %d: %s is %d, not in %v", i, g.p.FormatExpr(nil, e), v, iv)
			}
		}
	}
	if known < 3000 {
		t.Errorf("only %d ranges were found", known)
	}
}

func TestMayOverlap(t *testing.T) {
	p, fs := factsOf(t, `
object x
object y size 16
func f {
  reg r
  a -> b: store [&x] = 1
  a -> b: store.u32 [&x+4] = 1
  a -> b: store.u32 [&x] = 1
  a -> b: r = load [&y]
  a -> b: r = load [&y + r] in y
  a -> b: r = load [r]
  a -> b: fence
}
thread f
`, nil)
	want := []string{"1110010", "1100010", "1010010", "0001110", "0001110", "1111110", "0000000"}
	for i := range want {
		row := ""
		for j := range want {
			bit := "0"
			if fs.MayOverlap(&p.Funcs[0].Edges[i], &p.Funcs[0].Edges[j]) {
				bit = "1"
			}
			row += bit
		}
		if row != want[i] {
			t.Errorf("edge %d: got %s, want %s", i, row, want[i])
		}
	}
}

func TestPrivateObject(t *testing.T) {
	tests := []struct{ name, f, g, threads, want string }{
		{"one each", "store [&x] = 1", "store [&y] = 1", "thread f\nthread g", "x=f y=g z=-"},
		{"shared", "store [&x] = 1", "r = load [&x]", "thread f\nthread g", "x=- y=- z=-"},
		{"neighbours", "store [&y] = 1", "r = load [&y+8]", "thread f\nthread g", "x=- y=- z=-"},
		{"one function twice", "store [&x] = 1", "nop", "thread f\nthread f2 = f", "x=- y=- z=-"},
		{"unbounded", "store [&x] = 1", "store [&y] = 1", "thread f unbounded\nthread g", "x=- y=g z=-"},
		{"escapes", "store [&x] = &y", "r = load [&y]", "thread f\nthread g", "x=f y=- z=-"},
		{"escapes into an assignment", "r = &x", "store [&x] = 1", "thread f\nthread g", "x=- y=- z=-"},
		{"unknown", "store [&x] = 1", "r = load [r]", "thread f\nthread g", "x=- y=- z=-"},
		{"held to an object", "store [&x] = 1", "r = load [&y + r] in y", "thread f\nthread g", "x=f y=g z=-"},
		{"heap blocks", "store [&x] = 1", "free [r]", "thread f\nthread g", "x=f y=- z=-"},
		{"idle function", "store [&x] = 1", "r = load [r]", "thread f", "x=f y=- z=-"},
		{"waiting", "condwait [&x] mutex [&y]", "nop", "thread f\nthread g", "x=f y=f z=-"},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, fmt.Sprintf("object x\nobject y size 16\nobject z\nfunc f {\n reg r\n a -> b: %s\n}\nfunc g {\n reg r\n a -> b: %s\n}\n%s\n", tt.f, tt.g, tt.threads), nil)
		var all []string
		for o := range p.Objects {
			owner := "-"
			if id, ok := fs.PrivateObject(ObjectID(o)); ok {
				owner = p.Threads[id].Name
			}
			all = append(all, p.Objects[o].Name+"="+owner)
		}
		if got := strings.Join(all, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestUnfencedLoads(t *testing.T) {
	tests := []struct {
		name, body string
		want       []EdgeID
	}{
		{"plain", "b -> c: r = load [&y]\n c -> d: r = load [&y]", []EdgeID{1, 2}},
		{"fence", "b -> c: fence\n c -> d: r = load [&y]", nil},
		{"store-store fence", "b -> c: fence.ss\n c -> d: r = load [&y]", []EdgeID{2}},
		{"one way is fenced", "b -> c: fence\n b -> c: nop\n c -> d: await [&y] when seen", []EdgeID{3}},
		{"rmw", "b -> c: r = rmw.add [&y], 1\n c -> d: r = load [&y]", nil},
		{"mutex", "b -> c: lock [&y]\n c -> d: r = load [&y]", nil},
		{"owned recursive mutex", "b -> c: lock.recursive [&y]\n c -> d: r = load [&y]", []EdgeID{2}},
		{"loop", "b -> a: r = aload [&y]", []EdgeID{1}},
		{"before", "z -> a: r = load [&y]", nil},
	}
	for _, tt := range tests {
		_, fs := factsOf(t, "object x\nobject y\nfunc f {\n reg r\n a -> b: store [&x] = 1\n "+tt.body+"\n}\nthread f\n", nil)
		if got := fs.UnfencedLoads(0, 0); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestSpinLoops(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"spin", "h -> b: r = load [&x]\n b -> h: assume r == 0\n b -> e: assume r != 0", "h[0 1]"},
		{"result used after", "h -> b: r = load [&x]\n b -> h: assume r == 0\n b -> e: assume r != 0\n e -> f: return r", "h[0 1]"},
		{"counter", "h -> b: r = load [&x]\n b -> c: s = s + 1\n c -> h: assume r == 0\n c -> e: assume r", ""},
		{"counter used after", "h -> b: s = s + 1\n b -> h: nop\n h -> e: return s", ""},
		{"store", "h -> b: r = load [&x]\n b -> c: store [&x] = 1\n c -> h: assume r == 0\n c -> e: assume r", ""},
		{"rmw", "h -> b: r = rmw.xchg [&x], 1\n b -> h: assume r\n b -> e: assume !r", ""},
		{"two variables", "h -> b: r = load [&x]\n b -> c: s = load [&x]\n c -> h: assume r && s\n c -> e: assume !r", "h[0 1 2]"},
		{"idle round of a busy loop", "h -> b: r = load [&x]\n b -> h: assume r\n b -> c: assume !r\n c -> h: store [&x] = 1", "h[0 1]"},
		{"two idle rounds", "h -> b: r = load [&x]\n b -> h: assume r == 1\n b -> h: assume r == 2\n b -> e: assume !r", "h[0 1 2]"},
		{"self loop", "h -> h: nop\n h -> e: nop", "h[0]"},
		{"nested", "h -> b: r = load [&x]\n b -> c: s = load [&x]\n c -> b: assume s\n c -> h: assume r\n c -> e: nop", "h[0 1 2 3] b[1 2]"},
		{"two entries", "h -> a: nop\n h -> b: nop\n a -> b: nop\n b -> a: nop", ""},
		{"dead code into the loop", "h -> b: r = load [&x]\n b -> h: assume r\n u -> b: store [&x] = 1", "h[0 1]"},
		{"live at the head", "h -> b: r = load [&x]\n b -> h: assume r\n h -> e: return r", ""},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, "object x\nfunc f {\n reg r, s\n "+tt.body+"\n}\nthread f\n", nil)
		var all []string
		for _, loop := range fs.SpinLoops(0) {
			all = append(all, fmt.Sprint(p.Funcs[0].Locs[loop.Head].Name, loop.Edges))
		}
		if got := strings.Join(all, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	_, fs := factsOf(t, "object x\nfunc f {\n reg r, s\n "+tests[0].body+"\n}\nthread f\n", func(FuncID, Reg) bool { return true })
	if loops := fs.SpinLoops(0); len(loops) != 0 {
		t.Errorf("observed registers: %v", loops)
	}
}

// TestDominators takes a location out and looks what can still be reached, and
// holds components against mutual reachability.
func TestDominators(t *testing.T) {
	const n = 7
	for seed := range int64(300) {
		rnd := rand.New(rand.NewSource(seed))
		f := &Func{Name: "f", Locs: make([]Location, n), Entry: Loc(rnd.Intn(n))}
		incoming := make([][]int32, n)
		for i := range 11 {
			e := Edge{ID: EdgeID(i), From: Loc(rnd.Intn(n)), To: Loc(rnd.Intn(n)), Op: NewOp(Nop)}
			f.Edges = append(f.Edges, e)
			incoming[e.To] = append(incoming[e.To], int32(i))
		}
		reach := func(from, without Loc) [n]bool {
			var seen [n]bool
			for work := []Loc{from}; len(work) > 0; work = work[1:] {
				if l := work[0]; l != without && !seen[l] {
					seen[l] = true
					for _, i := range f.Out(l) {
						work = append(work, f.Edges[i].To)
					}
				}
			}
			return seen
		}
		dom, comp := dominators(f, incoming), f.Components(nil)
		live := reach(f.Entry, -1)
		for a := range Loc(n) {
			with, from := reach(f.Entry, a), reach(a, -1)
			for b := range Loc(n) {
				if got, want := dom.dominates(a, b), live[b] && !with[b]; got != want {
					t.Fatalf("seed %d: %d dominates %d: %v, want %v", seed, a, b, got, want)
				}
				if got, want := comp[a] >= 0 && comp[a] == comp[b], live[a] && from[b] && reach(b, -1)[a]; got != want {
					t.Fatalf("seed %d: %d and %d in one component: %v, want %v", seed, a, b, got, want)
				}
			}
		}
	}
}
