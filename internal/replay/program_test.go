package replay

import (
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// prog builds small flat programs for tests: straight-line threads over 8-byte
// variables. Tests that need branches use locations directly.
type prog struct {
	b     *ir.Builder
	set   property.Set
	objs  map[string]ir.ObjectID
	codes map[string]*code
}

func newProg(vars ...string) *prog {
	p := &prog{b: ir.NewBuilder("test", false), objs: map[string]ir.ObjectID{}, codes: map[string]*code{}}
	for _, v := range vars {
		p.variable(v, 0)
	}
	return p
}

func (p *prog) variable(name string, init byte) {
	p.objs[name] = p.b.Object(name, 8, 8, ir.S64, []byte{init}, source.Span{})
}

func (p *prog) addr(name string) *ir.Expr {
	if o, ok := p.objs[name]; ok {
		return ir.Addr(o, 0)
	}
	panic("no variable " + name)
}

// build returns the program. observed has names "thread.register" or of variables.
func (p *prog) build(observed ...string) (*ir.Program, *property.Set) {
	for _, o := range observed {
		p.set.Observe = append(p.set.Observe, p.see(o))
	}
	q := p.b.Finish()
	q.Form = ir.Flat
	return q, &p.set
}

func (p *prog) see(name string) property.Var {
	if who, reg, ok := strings.Cut(name, "."); ok {
		c := p.codes[who]
		return property.Var{Name: reg, Thread: c.thread, Reg: c.reg(reg)}
	}
	return property.Var{Name: name, Thread: ir.NoThread, Addr: p.b.Addr(p.objs[name]), Type: ir.S64}
}

// code is a thread under construction.
type code struct {
	p      *prog
	fb     *ir.FuncBuilder
	thread ir.ThreadID
	at     ir.Loc
	regs   map[string]ir.Reg
}

func (p *prog) thread(name string, params ...string) *code {
	return p.newThread(name, true, params...)
}

func (p *prog) newThread(name string, start bool, params ...string) *code {
	c := &code{p: p, fb: p.b.Func(name, source.Span{}), regs: map[string]ir.Reg{}}
	for _, r := range params {
		c.regs[r] = c.fb.Param(r, source.Span{})
	}
	c.at = c.loc()
	c.thread = p.b.Thread(ir.Thread{Name: name, Func: c.fb.ID, Start: start})
	p.codes[name] = c
	return c
}

func (c *code) loc() ir.Loc { return c.fb.Loc("", source.Span{}) }

func (c *code) reg(name string) ir.Reg {
	if r, ok := c.regs[name]; ok {
		return r
	}
	c.regs[name] = c.fb.Reg(name, 0, source.Span{})
	return c.regs[name]
}

// r returns a register as an expression.
func (c *code) r(name string) *ir.Expr { return ir.R(c.reg(name)) }

// edge adds an edge from the current location to another one.
func (c *code) edge(op ir.Op, to ir.Loc) ir.EdgeID { return c.fb.Edge(c.at, op, to, source.Span{}) }

// op adds an edge to a new location, which becomes the current one.
func (c *code) op(op ir.Op) ir.EdgeID {
	to := c.loc()
	id := c.edge(op, to)
	c.at = to
	return id
}

func access(kind ir.OpKind, t ir.Type, addr *ir.Expr) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Addr = t, ir.Plain, addr
	return op
}

func (c *code) storeAt(t ir.Type, addr, val *ir.Expr) ir.EdgeID {
	op := access(ir.Store, t, addr)
	op.Val = val
	return c.op(op)
}

func (c *code) store(x string, v int64) ir.EdgeID {
	return c.storeAt(ir.S64, c.p.addr(x), ir.Int(v))
}

func (c *code) loadAt(t ir.Type, dst string, addr *ir.Expr) ir.EdgeID {
	op := access(ir.Load, t, addr)
	op.Dst = c.reg(dst)
	return c.op(op)
}

func (c *code) load(dst, x string) ir.EdgeID { return c.loadAt(ir.S64, dst, c.p.addr(x)) }

// await adds an await: it waits until x has the value v.
func (c *code) await(dst, x string, v int64) ir.EdgeID {
	op := access(ir.Await, ir.S64, c.p.addr(x))
	op.Dst = c.reg(dst)
	op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(v))
	return c.op(op)
}

func (c *code) fence(kind ir.FenceKind) ir.EdgeID {
	op := ir.NewOp(ir.Fence)
	op.Fence = kind
	return c.op(op)
}

func (c *code) mfence() ir.EdgeID { return c.fence(ir.FullFence) }

// cas adds a compare-exchange of x from old to new. Register wrote gets whether it wrote.
func (c *code) cas(wrote, x string, old, new *ir.Expr) ir.EdgeID {
	op := access(ir.RMW, ir.S64, c.p.addr(x))
	op.RMW, op.Val, op.Val2, op.Dst2 = ir.Cas, old, new, c.reg(wrote)
	return c.op(op)
}

// rmw adds a read-modify-write with one of the other functions.
func (c *code) rmw(kind ir.RMWKind, dst, x string, v int64) ir.EdgeID {
	op := access(ir.RMW, ir.S64, c.p.addr(x))
	op.RMW, op.Val, op.Dst = kind, ir.Int(v), c.reg(dst)
	return c.op(op)
}

// simple adds an operation that has no operands.
func (c *code) simple(kind ir.OpKind) ir.EdgeID { return c.op(ir.NewOp(kind)) }

func valueOp(kind ir.OpKind, val *ir.Expr) ir.Op {
	op := ir.NewOp(kind)
	op.Val = val
	return op
}

func (c *code) assume(e *ir.Expr) ir.EdgeID { return c.op(valueOp(ir.Assume, e)) }

func (c *code) assert(e *ir.Expr) ir.EdgeID {
	op := valueOp(ir.Assert, e)
	op.Report = ir.Report{Class: ir.Assertion, Msg: "asserted"}
	return c.op(op)
}

func (c *code) mutex(kind ir.OpKind, typ ir.MutexKind, dst, x string) ir.EdgeID {
	op := ir.NewOp(kind)
	op.Mutex.Kind, op.Addr, op.Dst = typ, c.p.addr(x), c.reg(dst)
	return c.op(op)
}

func (c *code) lock(x string) ir.EdgeID   { return c.mutex(ir.Lock, ir.NormalMutex, "_", x) }
func (c *code) unlock(x string) ir.EdgeID { return c.mutex(ir.Unlock, ir.NormalMutex, "_", x) }

func (c *code) condWaitOp(cond, mutex string) ir.Op {
	op := ir.NewOp(ir.CondWait)
	op.Addr, op.Val2 = c.p.addr(cond), c.p.addr(mutex)
	return op
}

func (c *code) at8(kind ir.OpKind, dst, x string) ir.EdgeID {
	op := ir.NewOp(kind)
	op.Addr = c.p.addr(x)
	if dst != "" {
		op.Dst = c.reg(dst)
	}
	return c.op(op)
}

func (c *code) alloc(dst string, size int64) ir.EdgeID {
	op := valueOp(ir.Alloc, ir.Int(size))
	op.Dst = c.reg(dst)
	return c.op(op)
}

func (c *code) free(addr *ir.Expr) ir.EdgeID {
	op := ir.NewOp(ir.Free)
	op.Addr = addr
	return c.op(op)
}

// enumerate returns the outcome without limits.
func enumerate(t *testing.T, p *ir.Program, set *property.Set, m Model) Outcome {
	t.Helper()
	out, err := Enumerate(p, set, m, Limits{})
	if err != nil {
		t.Fatalf("%s: %v", m, err)
	}
	if out.Truncated {
		t.Fatalf("%s: truncated without limits", m)
	}
	return out
}

// short returns final states without names: "r=1 s=0" becomes "1 0". A final state of
// which nothing is observed becomes "end".
func short(finals []string) []string {
	var out []string
	for _, f := range finals {
		if f == "" {
			f = "=end"
		}
		var values []string
		for _, part := range strings.Fields(f) {
			_, v, _ := strings.Cut(part, "=")
			values = append(values, v)
		}
		out = append(out, strings.Join(values, " "))
	}
	slices.Sort(out)
	return out
}

var models = []Model{SC, TSO, PSO}

// finals checks the exact sets of final states. They are lists "a; b; c": all of SC, the
// states that TSO adds to SC, and the states that PSO adds to TSO. It also checks that
// there is no violation and no deadlock.
func finals(t *testing.T, p *ir.Program, set *property.Set, sc, tso, pso string) {
	t.Helper()
	var want []string
	for i, m := range models {
		for _, w := range strings.Split([]string{sc, tso, pso}[i], ";") {
			if w = strings.TrimSpace(w); w != "" {
				want = append(want, w)
			}
		}
		slices.Sort(want)
		out := enumerate(t, p, set, m)
		if got := short(out.Finals); !slices.Equal(got, want) {
			t.Errorf("%s: final states %q, want %q", m, got, want)
		}
		if len(out.Violations) > 0 || out.Deadlock {
			t.Errorf("%s: violations %v, deadlock %t; want neither", m, out.Violations, out.Deadlock)
		}
	}
}
