package fences_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/fences"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

var orderPrograms = flag.Int("fp.orders", 60, "random programs whose memory orders are searched for")

// orderVar is an access or a fence site of a random program.
type orderVar struct {
	thread, op int
	fail       bool
	kind       ir.AccessKind
}

// c11Modes are the names of orders in random programs.
var c11Modes = map[ir.Order]string{ir.Relaxed: "rlx", ir.Acquire: "acq", ir.Release: "rel", ir.AcqRel: "ar", ir.SeqCst: "sc"}

// orderSubject is a random program with relaxed accesses whose orders are open, fence sites, and classes that must not be.
type orderSubject struct {
	t     *testing.T
	p     *testkit.C11Program
	vars  []orderVar
	costs map[ir.FenceAt]int64
	bad   map[string]bool
	task  *fences.Task
}

// with returns the program with orders, which are by variable.
func (s *orderSubject) with(orders []ir.Order) *testkit.C11Program {
	out := &testkit.C11Program{Locs: s.p.Locs}
	for _, list := range s.p.Threads {
		out.Threads = append(out.Threads, slices.Clone(list))
	}
	for i, v := range s.vars {
		if op := &out.Threads[v.thread][v.op]; v.fail {
			op.Fail = c11Modes[orders[i]]
		} else {
			op.Mode = c11Modes[orders[i]]
		}
	}
	return out
}

// isBad reports by brute force whether the program with orders has a data race or a class that must not be.
func (s *orderSubject) isBad(orders []ir.Order) (bad, ok bool) {
	classes, dataRace, ok := s.with(orders).Classes(4000)
	for key := range classes {
		bad = bad || s.bad[key]
	}
	return bad || dataRace, ok
}

// newOrderSubject makes a random program. It returns nil if there is too much to try.
func newOrderSubject(t *testing.T, seed uint64) *orderSubject {
	g := rand.New(rand.NewPCG(seed, 48))
	p := testkit.RandomC11(seed, 2, 3)
	switch k := seed % 8; {
	case k == 0:
		p = guarded(g)
	case k > 1:
		p = crossing(g)
	}
	if p.Mutex {
		return nil
	}
	s := &orderSubject{t: t, p: p, costs: map[ir.FenceAt]int64{}, bad: map[string]bool{}}
	total := 1
	for i, list := range p.Threads {
		for k := range list {
			kind, known := map[byte]ir.AccessKind{'W': ir.StoreAccess, 'R': ir.LoadAccess, 'U': ir.UpdateAccess, 'C': ir.UpdateAccess, 'F': ir.FenceAccess}[list[k].Kind]
			if !known || list[k].Mode == "na" {
				continue
			}
			s.vars = append(s.vars, orderVar{thread: i, op: k, kind: kind})
			total *= len(kind.Orders())
			if list[k].Kind == 'C' {
				s.vars = append(s.vars, orderVar{thread: i, op: k, kind: ir.FailureAccess, fail: true})
				total *= 3
			}
		}
	}
	relaxed, strongest := make([]ir.Order, len(s.vars)), make([]ir.Order, len(s.vars))
	for i := range s.vars {
		relaxed[i], strongest[i] = ir.Relaxed, ir.SeqCst
	}
	all, _, ok := s.with(relaxed).Classes(1000)
	if !ok || total > 700 {
		return nil
	}
	most, _, _ := s.with(strongest).Classes(1000)
	for key := range all {
		s.bad[key] = most[key] == nil || g.IntN(40) == 0
	}
	s.addTask(g)
	return s
}

// crossing returns a program whose threads access two variables in different ways, so that the order of the accesses
// matters.
func crossing(g *rand.Rand) *testkit.C11Program {
	p := &testkit.C11Program{Locs: 2}
	for t := range 2 + g.IntN(5)/3 {
		var list []testkit.C11Op
		for i, l := range g.Perm(2) {
			if i > 0 && g.IntN(5) == 0 {
				list = append(list, testkit.C11Op{Kind: 'F', Mode: "rlx"})
			}
			op := testkit.C11Op{Kind: "WWWRRRUC"[g.IntN(8)], Loc: l, V: 1 + t, V2: 3, Mode: "rlx", Fail: "rlx"}
			if op.Kind == 'C' {
				op.V = g.IntN(2)
			}
			list = append(list, op)
			if t == 2 {
				break
			}
		}
		p.Threads = append(p.Threads, list)
	}
	return p
}

// guarded returns a program in which a thread reads plain data after it has seen that another has written it.
func guarded(g *rand.Rand) *testkit.C11Program {
	plain := func(kind byte) testkit.C11Op { return testkit.C11Op{Kind: kind, V: 2, Mode: "na"} }
	flag := func(kind byte) testkit.C11Op {
		return testkit.C11Op{Kind: kind, Loc: 1, V: 1, V2: 2, Mode: "rlx", Fail: "rlx"}
	}
	fence := func(list ...testkit.C11Op) []testkit.C11Op {
		if g.IntN(2) == 0 {
			return list
		}
		return append([]testkit.C11Op{{Kind: 'F', Mode: "rlx"}}, list...)
	}
	write := append([]testkit.C11Op{plain('W')}, fence(flag("WU"[g.IntN(2)]))...)
	read := fence(plain("RW"[g.IntN(2)]))
	read = append([]testkit.C11Op{flag("RUC"[g.IntN(3)]), {Kind: 'B', V: 1, Skip: len(read)}}, read...)
	p := &testkit.C11Program{Locs: 2, Threads: [][]testkit.C11Op{write, read}}
	if g.IntN(2) == 0 { // the flag goes through the hands of a third thread
		p.Threads = append(p.Threads, []testkit.C11Op{flag('U')})
	}
	return p
}

// addTask makes the task: the program in ir, its sites, and random costs.
func (s *orderSubject) addTask(g *rand.Rand) {
	relaxed := make([]ir.Order, len(s.vars))
	for i, v := range s.vars {
		if relaxed[i] = ir.Relaxed; v.kind == ir.FenceAccess {
			relaxed[i] = ir.SeqCst // in the text
		}
	}
	p, diags := irtext.Parse("random", []byte(s.with(relaxed).Text()))
	if diags.HasErrors() {
		s.t.Fatal(diags)
	}
	var sites []ir.FenceSite
	for i, v := range s.vars {
		site := ir.FenceSite{}
		if v.kind != ir.FenceAccess {
			site.Access = &ir.OrderedAccess{Kind: v.kind, Written: ir.Relaxed}
		}
		f := p.Funcs[v.thread]
		for k := range f.Edges {
			e := &f.Edges[k]
			e.Origin = e.ID
			if int(e.From) == v.op {
				site.Edges = append(site.Edges, e.ID)
				if v.kind == ir.FenceAccess {
					e.Op = ir.NewOp(ir.Nop)
				}
			}
		}
		sites = append(sites, site)
		a, b := int64(g.IntN(4)), int64(g.IntN(4))
		both := max(a, b) + int64(g.IntN(int(min(a, b))+1))
		sc := both + int64(g.IntN(5))
		for _, o := range v.kind.Orders()[1:] {
			cost := map[ir.Order]int64{ir.Acquire: a, ir.Release: b, ir.AcqRel: both, ir.SeqCst: sc}[o]
			s.costs[s.choice(i, o)] = cost
		}
	}
	p.Seal()
	s.task = &fences.Task{
		Subjects: []fences.Subject{{Fences: transform.NewFences(p, &property.Set{}, sites), Program: p}}, Check: s.check,
		Cost: func(at ir.FenceAt) int64 { return s.costs[at] },
		Rank: func(at ir.FenceAt) int64 {
			return map[ir.Order]int64{ir.Acquire: 2, ir.Release: 2, ir.AcqRel: 3, ir.SeqCst: 4}[at.Order]
		},
		Strength: func(ir.FenceAt) int64 { return 1 },
		Choices: func(site ir.SiteID) (out []ir.FenceAt) {
			for _, o := range s.vars[site].kind.Orders()[1:] {
				out = append(out, s.choice(int(site), o))
			}
			return out
		},
	}
}

func (s *orderSubject) choice(v int, o ir.Order) ir.FenceAt {
	at := ir.FenceAt{Site: ir.SiteID(v), Order: o}
	if s.vars[v].kind == ir.FenceAccess {
		at.Kind = ir.FullFence
	}
	return at
}

// check searches the program with choices for a class that must not be, and for data races.
func (s *orderSubject) check(ctx context.Context, at []ir.FenceAt, _ int64) (*fences.Finding, error) {
	flat, props := s.task.Subjects[0].Fences.Insert(at)
	var bad *verdict.Witness
	e := rf.New(rf.Options{Visit: func(w *verdict.Witness) {
		if bad == nil && s.bad[witnessKey(w)] {
			bad = w
		}
	}})
	out, err := e.Run(ctx, &engine.Task{Program: flat, Props: props, Model: memory.C11, KeepGoing: true, Finals: true, Limits: engine.Limits{Workers: 1}})
	if err != nil {
		return nil, err
	}
	found := &fences.Finding{Status: fences.Good, Coverage: verdict.Coverage{Exhaustive: true}}
	question := verdict.Question("classes")
	for i := range out.Violations {
		if v := &out.Violations[i]; v.Kind == engine.DataRace {
			bad, question = v.Witness, verdict.DataRaces
		}
	}
	if bad != nil {
		found.Status = fences.Bad
		found.Breaks = []fences.Break{{Witness: bad, Violation: &verdict.Violation{Question: question, Witness: bad}}}
	}
	return found, nil
}

// witnessKey names the class of an execution as the enumerator does.
func witnessKey(w *verdict.Witness) string {
	var g testkit.C11Graph
	at := map[int]int{}
	for t := range w.Threads {
		for i := range w.Steps {
			if st := &w.Steps[i]; st.Thread == t && st.IsAccess() {
				at[i] = len(g)
				e := testkit.C11Event{Thread: t, Kind: 'W', From: -1}
				if st.Kind != verdict.StepStore {
					e.Kind = 'R'
				}
				g = append(g, e)
			}
		}
	}
	for _, r := range w.Graph.Reads {
		if r.From >= 0 {
			g[at[r.Step]].From = at[r.From]
		}
	}
	return g.Key()
}

// brute returns the lowest cost of orders that are enough, -1 if there are none.
func (s *orderSubject) brute() (best int64, ok bool) {
	best, ok = -1, true
	orders := make([]ir.Order, len(s.vars))
	var try func(i int, cost int64)
	try = func(i int, cost int64) {
		if best >= 0 && cost >= best || !ok {
			return
		}
		if i == len(s.vars) {
			bad, decided := s.isBad(orders)
			if ok = ok && decided; !bad {
				best = cost
			}
			return
		}
		for _, o := range s.vars[i].kind.Orders() {
			orders[i] = o
			try(i+1, cost+s.costs[s.choice(i, o)])
		}
	}
	try(0, 0)
	return best, ok
}

// TestOrders compares the cost of the cheapest orders and fences under c11 with brute force on the definition of the model.
func TestOrders(t *testing.T) {
	programs, raised, hopeless, most := 0, 0, 0, 0
	for seed := uint64(0); programs < *orderPrograms; seed++ {
		s := newOrderSubject(t, seed)
		if s == nil {
			continue
		}
		want, ok := s.brute()
		if !ok {
			continue
		}
		programs++
		out, err := fences.Run(context.Background(), s.task)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s.p.Text())
		}
		switch {
		case want < 0 && out.Status != fences.Bad, want >= 0 && (out.Status != fences.Good || out.Cost != want || out.Bound != want):
			t.Fatalf("seed %d: %s, cost %d, bound %d, want %d: %v\n%s", seed, out.Status, out.Cost, out.Bound, want, out.Fences, s.p.Text())
		case want < 0:
			hopeless++
		case len(out.Fences) > 0:
			raised++
		}
		most = max(most, out.Rounds)
		if want >= 0 && len(out.Without) != len(out.Fences) {
			t.Fatalf("seed %d: %d of %d choices have a reason\n%s", seed, len(out.Without), len(out.Fences), s.p.Text())
		}
	}
	t.Logf("%d programs, %d need orders, %d hopeless, at most %d rounds", programs, raised, hopeless, most)
}
