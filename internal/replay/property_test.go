package replay

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

func TestParseModel(t *testing.T) {
	for _, m := range models {
		if got, err := ParseModel(m.String()); got != m || err != nil {
			t.Errorf("%s: %v, %v", m, got, err)
		}
	}
	if _, err := ParseModel("arm"); err == nil || !strings.Contains(err.Error(), `"arm"`) {
		t.Errorf("arm: %v", err)
	}
}

func TestGoal(t *testing.T) { // [BCDM15 Fig. 1]
	p := newProg("x", "y")
	var at []property.At
	for _, v := range [][]string{{"x", "y"}, {"y", "x"}} {
		c := p.thread("t" + v[0])
		c.store(v[0], 1)
		c.load("r", v[1])
		c.assume(ir.Unary(ir.Not, ir.S64, c.r("r")))
		at = append(at, property.At{Thread: c.thread, Locs: []ir.Loc{c.at}})
	}
	never := p.newThread("never", false)
	p.set.Goals = []property.Goal{{At: at}, {At: []property.At{{Thread: never.thread, Locs: []ir.Loc{never.at}}}}}
	q, set := p.build()
	for m, want := range map[Model][]bool{SC: {false, false}, TSO: {true, false}, PSO: {true, false}} {
		if out := enumerate(t, q, set, m); !slices.Equal(out.Goals, want) {
			t.Errorf("%s: %v, want %v", m, out.Goals, want)
		}
	}
}

// A goal that mentions memory counts only in states with empty buffers, a goal about
// registers in all. Under TSO the first thread can have executed its load while its store
// is still in the buffer, and the goal that mentions memory is not reached then.
func TestGoalOverMemory(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	a.store("x", 1)
	after := []property.At{{Thread: a.thread, Locs: []ir.Loc{a.at}}}
	zero := func(v property.Var) *property.Cond {
		return &property.Cond{Vars: []property.Var{v}, Expr: ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(0))}
	}
	a.load("r", "x")
	p.set.Goals = []property.Goal{
		{At: after, With: zero(p.see("x"))},
		{At: after, With: zero(p.see("a.r"))},
	}
	q, set := p.build()
	for _, m := range models {
		if out := enumerate(t, q, set, m); !slices.Equal(out.Goals, []bool{false, true}) {
			t.Errorf("%s: %v", m, out.Goals)
		}
	}
}

func TestFinalCondition(t *testing.T) {
	for q, want := range map[property.Quantifier]map[int64]bool{
		property.Exists: {1: true, 3: false},
		property.Never:  {1: true, 3: false},
		property.Forall: {1: true, 3: true}, // 2 is a counterexample to both
	} {
		for v, hit := range want {
			p := newProg("x")
			p.thread("a").store("x", 1)
			p.thread("b").store("x", 2)
			p.set.Final = &property.Final{Quantifier: q, Cond: &property.Cond{
				Vars: []property.Var{p.see("x")},
				Expr: ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(v)),
			}}
			prog, set := p.build()
			if out := enumerate(t, prog, set, TSO); out.Final != hit {
				t.Errorf("%s x == %d: %t, want %t", q, v, out.Final, hit)
			}
		}
	}
}

func TestExit(t *testing.T) { // no final state, and nothing after
	p := newProg("x")
	a := p.thread("a")
	a.simple(ir.Exit)
	a.assert(ir.Int(0))
	p.thread("b").await("r", "x", 1)
	q, set := p.build()
	outcome(t, q, set, "", nil, false)
}

func TestHavoc(t *testing.T) {
	cmp := func(op ir.ExprOp, x, y *ir.Expr) *ir.Expr { return ir.Binary(op, ir.S64, x, y) }
	and := func(x, y *ir.Expr) *ir.Expr { return cmp(ir.LAnd, x, y) }
	or := func(x, y *ir.Expr) *ir.Expr { return cmp(ir.LOr, x, y) }
	i := ir.Int
	for _, tc := range []struct {
		name string
		cond func(h, k *ir.Expr) *ir.Expr
		rng  []int64
		want string // or "unbounded"
	}{
		{"range", nil, []int64{-1, 1}, "-1; 0; 1"},
		{"conjunction", func(h, _ *ir.Expr) *ir.Expr { return and(cmp(ir.Ge, h, i(1)), cmp(ir.Lt, h, i(3))) }, nil, "1; 2"},
		{"either side", func(h, k *ir.Expr) *ir.Expr { return and(cmp(ir.Lt, k, h), cmp(ir.Ge, i(6), h)) }, nil, "5; 6"},
		{"filtered", func(h, _ *ir.Expr) *ir.Expr { return cmp(ir.Ne, h, i(1)) }, []int64{0, 2}, "0; 2"},
		{"union", func(h, k *ir.Expr) *ir.Expr { return or(cmp(ir.Eq, h, i(1_000_000)), cmp(ir.Eq, k, h)) }, nil, "1000000; 4"},
		{"ite", func(h, k *ir.Expr) *ir.Expr {
			return ir.Conditional(cmp(ir.Gt, k, i(3)), cmp(ir.Eq, h, i(7)), cmp(ir.Eq, h, i(8)))
		}, nil, "7"},
		{"empty", func(h, _ *ir.Expr) *ir.Expr { return and(cmp(ir.Gt, h, i(3)), cmp(ir.Lt, h, i(3))) }, nil, ""},
		{"half", func(h, _ *ir.Expr) *ir.Expr { return cmp(ir.Gt, h, i(3)) }, nil, "unbounded"},
		{"unsigned", func(h, _ *ir.Expr) *ir.Expr { return ir.Binary(ir.Le, ir.U64, h, i(3)) }, nil, "unbounded"},
		{"itself", func(h, _ *ir.Expr) *ir.Expr { return cmp(ir.Eq, h, cmp(ir.Add, h, i(0))) }, nil, "unbounded"},
		{"nothing", nil, nil, "unbounded"},
		{"large", nil, []int64{0, maxChoices}, "unbounded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProg()
			a := p.thread("a")
			set4 := valueOp(ir.Assign, ir.Int(4))
			set4.Dst = a.reg("k")
			a.op(set4)
			op := ir.NewOp(ir.Havoc)
			op.Dst = a.reg("h")
			if tc.cond != nil {
				op.Cond = tc.cond(a.r("h"), a.r("k"))
			}
			if tc.rng != nil {
				op.Range = ir.Range{Bounded: true, Lo: tc.rng[0], Hi: tc.rng[1]}
			}
			a.op(op)
			q, set := p.build("a.h")
			if tc.want == "unbounded" {
				if _, err := Enumerate(q, set, SC, Limits{}); !errors.Is(err, ErrUnbounded) {
					t.Errorf("error %v, want %v", err, ErrUnbounded)
				}
				return
			}
			finals(t, q, set, tc.want, "", "")
		})
	}
}

func TestAbstractLoad(t *testing.T) { // any number from 0 to the value in memory
	p := newProg()
	p.variable("x", 2)
	a := p.thread("a")
	op := access(ir.AbstractLoad, ir.S64, p.addr("x"))
	op.Dst = a.reg("h")
	op.Cond = ir.Binary(ir.LAnd, ir.S64,
		ir.Binary(ir.Ge, ir.S64, a.r("h"), ir.Int(0)),
		ir.Binary(ir.Le, ir.S64, a.r("h"), ir.SeenValue()))
	a.op(op)
	q, set := p.build("a.h")
	finals(t, q, set, "0; 1; 2", "", "")
}

func TestLimits(t *testing.T) {
	p := newProg("x", "y")
	a := p.thread("a")
	head := a.at
	to := a.loc()
	a.edge(ir.NewOp(ir.Nop), to)
	store := access(ir.Store, ir.S64, p.addr("x"))
	store.Val = ir.Int(1)
	a.edge(store, head) // any number of stores
	q, set := p.build("x")
	out, err := Enumerate(q, set, TSO, Limits{Buffer: 3})
	// 0 to 3 entries, before and after the nop, while memory is 0 (no store has been
	// flushed) or 1.
	if err != nil || !out.Truncated || out.States != 16 || strings.Join(short(out.Finals), ";") != "0;1" {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = Enumerate(q, set, SC, Limits{Buffer: 3})
	if err != nil || out.Truncated || out.States != 4 {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = Enumerate(q, set, PSO, Limits{States: 10})
	if err != nil || !out.Truncated || out.States != 10 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestRefusedPrograms(t *testing.T) {
	p := newProg("x")
	p.thread("a")
	q, set := p.build()
	q.Form = ir.Structured
	if _, err := Enumerate(q, set, SC, Limits{}); err == nil || !strings.Contains(err.Error(), "structured") {
		t.Errorf("structured: %v", err)
	}
	q.Form = ir.Flat
	q.Threads[0].Unbounded = true
	if _, err := Enumerate(q, set, SC, Limits{}); err == nil || !strings.Contains(err.Error(), "fixed number") {
		t.Errorf("unbounded: %v", err)
	}
	q.Threads[0].Unbounded = false
	if _, err := Enumerate(q, set, 0, Limits{}); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("no model: %v", err)
	}
}

// randomProgram returns two or three threads of loads, stores, fences and RMWs.
func randomProgram(rng *rand.Rand, fenced bool) (*ir.Program, *property.Set) {
	vars := []string{"x", "y"}
	p := newProg(vars...)
	observed := slices.Clone(vars)
	for i := range 2 + rng.IntN(2) {
		name := fmt.Sprintf("t%d", i)
		c := p.thread(name)
		for k := range 2 + rng.IntN(2) {
			v, r := vars[rng.IntN(2)], fmt.Sprintf("%s.r%d", name, k)
			offset := int64(rng.IntN(2))
			typ := []ir.Type{ir.S64, ir.U16}[rng.IntN(2)]
			if typ == ir.S64 {
				offset = 0
			}
			switch rng.IntN(8) {
			case 0, 1, 2:
				c.storeAt(typ, ir.Addr(p.objs[v], offset), ir.Int(int64(1+rng.IntN(2))))
			case 3, 4, 5:
				c.loadAt(typ, r[len(name)+1:], ir.Addr(p.objs[v], offset))
				observed = append(observed, r)
			case 6:
				c.fence([]ir.FenceKind{ir.FullFence, ir.StoreStoreFence}[rng.IntN(2)])
			case 7:
				c.cas(r[len(name)+1:], v, ir.Int(int64(rng.IntN(2))), ir.Int(2))
				observed = append(observed, r)
			}
			if fenced {
				c.mfence()
			}
		}
	}
	return p.build(observed...)
}

// Each model allows the final states of the stronger one. With a fence after every
// instruction all three have the same final states.
func TestModelsAreOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weaker := 0
	for i := range 300 {
		fenced := i%3 == 0
		p, set := randomProgram(rng, fenced)
		sc, tso, pso := enumerate(t, p, set, SC), enumerate(t, p, set, TSO), enumerate(t, p, set, PSO)
		for _, pair := range [][2]Outcome{{sc, tso}, {tso, pso}} {
			for _, f := range pair[0].Finals {
				if !slices.Contains(pair[1].Finals, f) {
					t.Fatalf("program %d: a weaker model lacks %s", i, f)
				}
			}
		}
		if fenced && len(sc.Finals) != len(pso.Finals) {
			t.Fatalf("program %d: fenced, yet PSO adds to %v: %v", i, sc.Finals, pso.Finals)
		}
		if len(tso.Finals) > len(sc.Finals) {
			weaker++
		}
	}
	if weaker == 0 {
		t.Error("no program tells the models apart")
	}
}

func BenchmarkEnumerate(b *testing.B) {
	for _, m := range models {
		b.Run(m.String(), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			states := 0
			for b.Loop() {
				p, set := randomProgram(rng, false)
				out, err := Enumerate(p, set, m, Limits{})
				if err != nil {
					b.Fatal(err)
				}
				states += out.States
			}
			b.ReportMetric(float64(states)/float64(b.N), "states/op")
		})
	}
}
