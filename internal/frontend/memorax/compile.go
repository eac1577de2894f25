package memorax

import (
	"fmt"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Processes are threads P0, P1, ... in the order of the file. A variable owned by
// process p is an object named x[p].
//
// Initial values '*': a register gets one by a havoc before the first statement,
// unless it is written before it is read. Memory is initialised by a thread of
// its own, which then opens a gate that all processes wait at. That adds no
// forbidden state: before the gate opens no process has moved, and none can reach
// the gate's cell.

// compiler adds what only Memorax's programs have.
type compiler struct {
	*statement.Compiler
	p       *parser
	globals []sharedVar
	byName  map[string]int // index in globals
	private map[processVar]sharedVar
	all     []sharedVar
	threads []*statement.Thread // by number
	count   int64               // of processes

	gate    ir.ObjectID // NoObject: nothing to wait for
	gatePos datum       // the first variable that needs it
}

type sharedVar struct {
	name string
	obj  ir.ObjectID
	datum
}

// processVar names a variable of a process.
type processVar struct {
	process int
	name    string
}

func (c *compiler) compile() (*ir.Program, *property.Set) {
	c.Other = func(l *statement.Lowerer, s *statement.Stmt, from, next ir.Loc) {
		(&domainLowerer{l, c}).inDomains(s, from, next)
	}
	c.Builder = ir.NewBuilder(statement.BaseName(c.File), false)
	c.declareData()
	n := 0
	for _, pr := range c.p.processes {
		for range pr.count {
			c.process(pr, n)
			n++
		}
	}
	if n == 0 {
		c.Errorf(statement.CodeNoThread, 0, 0, "the program has no process")
	}
	c.initialiser()
	props := &property.Set{}
	for _, list := range c.p.forbidden {
		c.forbid(props, list)
	}
	if c.Diags.HasErrors() {
		return nil, nil
	}
	props.Checks = c.Checks
	props.Observe = c.Observe()
	for _, v := range c.all {
		props.Observe = append(props.Observe, property.Var{
			Name: v.name, Thread: ir.NoThread, Reg: ir.NoReg, Addr: c.Builder.Addr(v.obj), Type: ir.S64,
		})
	}
	return c.Builder.Finish(), props
}

// declareData makes the objects: global variables, those of each process, and
// the gate if some initial value is open.
func (c *compiler) declareData() {
	c.byName, c.private = map[string]int{}, map[processVar]sharedVar{}
	c.gate = ir.NoObject
	for _, d := range c.p.globals {
		c.byName[d.name.Text] = len(c.globals)
		c.globals = append(c.globals, c.object(d.name.Text, d))
	}
	n := 0
	for _, pr := range c.p.processes {
		c.count += pr.count
		for range pr.count {
			for _, d := range pr.data {
				c.private[processVar{n, d.name.Text}] = c.object(fmt.Sprintf("%s[%d]", d.name.Text, n), d)
			}
			n++
		}
	}
	for _, v := range c.all {
		if v.open() {
			c.gate = c.Builder.Object("initialised", 8, 8, ir.S64, nil, c.Span(v.start, v.end))
			c.gatePos = v.datum
			return
		}
	}
}

// open reports whether the initial value is a choice.
func (d *datum) open() bool { return d.any && (d.dom == nil || d.dom.Lo < d.dom.Hi) }

func (c *compiler) object(name string, d datum) sharedVar {
	v := sharedVar{name: name, datum: d}
	if c.Used += 8; c.Used > statement.MaxMemory {
		c.Errorf(statement.CodeMemory, d.start, d.end, "the variables need more than %d bytes", statement.MaxMemory)
		c.Used = 0
	}
	if d.open() && d.dom == nil {
		c.Errorf(codeMAnything, d.start, d.end, "'%s' can initially be any integer, and not all of them can be tried", statement.Clip(d.name.Text)).
			Note("give it a domain such as [0:1]")
	}
	init := make([]byte, 8)
	for i := range init {
		init[i] = byte(d.first() >> (8 * i))
	}
	v.obj = c.Builder.Object(name, 8, 8, ir.S64, init, c.Span(d.start, d.end))
	c.all = append(c.all, v)
	return v
}

// first is the initial value, or one of them.
func (d *datum) first() int64 {
	if d.any && d.dom != nil {
		return d.dom.Lo
	}
	return d.init
}

// process makes the thread of process number n.
func (c *compiler) process(pr *process, n int) {
	name := fmt.Sprintf("P%d", n)
	d := &statement.ThreadDecl{Name: statement.Ident{Text: name, Start: pr.start, End: pr.head}, Body: pr.body, Start: pr.start, Head: pr.head, End: pr.body.End}
	t := &statement.Thread{Compiler: c.Compiler, Decl: d, Name: name, Count: 1}
	for _, r := range pr.regs {
		reg := statement.RegDecl{Name: r.name, Init: &statement.Expr{Kind: statement.ExprInt, Val: r.first(), Start: r.start, End: r.end}}
		if r.dom != nil {
			reg.Lo = &statement.Expr{Kind: statement.ExprInt, Val: r.dom.Lo, Start: r.start, End: r.end}
			reg.Hi = &statement.Expr{Kind: statement.ExprInt, Val: r.dom.Hi, Start: r.start, End: r.end}
		}
		d.Regs = append(d.Regs, reg)
	}
	t.Prologue = func(l *statement.Lowerer, entry ir.Loc) ir.Loc { return c.prologue(l, pr, entry) }
	c.Order = append(c.Order, t)
	c.threads = append(c.threads, t)
	t.Analyse()
	fb := c.Builder.Func(name, c.Span(pr.start, pr.head))
	(&statement.Lowerer{Scope: statement.Scope{Compiler: c.Compiler, Thread: t, Instance: int64(n)}, Func: fb}).Lower()
	t.First = c.Builder.Thread(ir.Thread{Name: name, Func: fb.ID, Start: true, Pos: c.Span(pr.start, pr.head)})
}

// prologue makes the wait for memory and the choices of registers.
func (c *compiler) prologue(l *statement.Lowerer, pr *process, entry ir.Loc) ir.Loc {
	read := readFirst(l.Func.F, entry)
	for i := len(pr.regs) - 1; i >= 0; i-- {
		d := &pr.regs[i]
		if !d.open() || !read(ir.Reg(i)) {
			continue
		}
		if d.dom == nil {
			c.Errorf(codeMAnything, d.start, d.end, "'%s' can initially be any integer, and not all of them can be tried", statement.Clip(d.name.Text)).
				Note("give it a domain such as [0:1], or write it before it is read")
			continue
		}
		op := ir.NewOp(ir.Havoc)
		op.Dst, op.Range = ir.Reg(i), ir.Range{Bounded: true, Lo: d.dom.Lo, Hi: d.dom.Hi}
		at := l.Loc(d.start)
		l.Edge(at, op, entry, d.start, d.end)
		entry = at
	}
	if c.gate == ir.NoObject {
		return entry
	}
	op := cellOp(ir.Await, c.gate)
	op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(1))
	at := l.Loc(c.gatePos.start)
	l.Edge(at, op, entry, c.gatePos.start, c.gatePos.end)
	return at
}

// readFirst tells of registers whether they may be read before they are written.
func readFirst(f *ir.Func, entry ir.Loc) func(ir.Reg) bool {
	const most = 1 << 24 // edges visited at; then every register counts as read
	out := make([][]int, len(f.Locs))
	for i := range f.Edges {
		out[f.Edges[i].From] = append(out[f.Edges[i].From], i)
	}
	visited := 0
	return func(r ir.Reg) bool {
		seen := make([]bool, len(f.Locs))
		seen[entry] = true
		for work := []ir.Loc{entry}; len(work) > 0; {
			l := work[len(work)-1]
			work = work[:len(work)-1]
			for _, i := range out[l] {
				e := &f.Edges[i]
				used := false
				e.Op.Uses(func(u ir.Reg) { used = used || u == r })
				if visited++; used || visited > most {
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
}

// cellOp is an access to a variable.
func cellOp(kind ir.OpKind, obj ir.ObjectID) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Addr, op.Obj = ir.S64, ir.Plain, ir.Addr(obj, 0), obj
	if kind == ir.RMW {
		op.Sync.Order = ir.SeqCst
	}
	return op
}

// initialiser makes the thread that chooses initial values of memory.
func (c *compiler) initialiser() {
	if c.gate == ir.NoObject {
		return
	}
	at := c.Span(c.gatePos.start, c.gatePos.end)
	fb := c.Builder.Func("init", at)
	r := fb.Reg("value", 0, at)
	loc := fb.Loc("", at)
	step := func(op ir.Op, d *datum) {
		pos := c.Span(d.start, d.end)
		to := fb.Loc("", pos)
		fb.Edge(loc, op, to, pos)
		loc = to
	}
	for i := range c.all {
		v := &c.all[i]
		if !v.open() || v.dom == nil {
			continue
		}
		op := ir.NewOp(ir.Havoc)
		op.Dst, op.Range = r, ir.Range{Bounded: true, Lo: v.dom.Lo, Hi: v.dom.Hi}
		step(op, &v.datum)
		op = cellOp(ir.RMW, v.obj)
		op.RMW, op.Val = ir.Xchg, ir.R(r)
		step(op, &v.datum)
	}
	op := cellOp(ir.RMW, c.gate)
	op.RMW, op.Val = ir.Xchg, ir.Int(1)
	step(op, &c.gatePos)
	c.Builder.Thread(ir.Thread{Name: "init", Func: fb.ID, Start: true, Pos: at})
}

// forbid adds the goal of a list of labels, one per process.
func (c *compiler) forbid(props *property.Set, list []statement.Ident) {
	first, last := list[0], list[len(list)-1]
	end := max(first.End, last.End)
	if len(list) != len(c.threads) {
		c.Errorf(codeMForbidden, first.Start, end, "%d labels for %d processes", len(list), len(c.threads)).
			Note("'*' stands for any location")
		return
	}
	g := property.Goal{Name: c.Text(first.Start, end), Pos: c.Span(first.Start, end)}
	stars := 0
	for i, id := range list {
		if id.Text == "*" {
			stars++
			continue
		}
		t := c.threads[i]
		l := t.Labels[id.Text]
		if l == nil {
			statement.Suggest(c.Errorf(statement.CodeLabel, id.Start, id.End, "process %d has no label '%s'", i, statement.Clip(id.Text)), id.Text, t.Labels)
			continue
		}
		g.At = append(g.At, property.At{Thread: t.First, Locs: []ir.Loc{l.Find().Loc}})
	}
	if stars == len(list) {
		c.Errorf(codeMForbidden, first.Start, end, "a forbidden list without a label")
	}
	props.Goals = append(props.Goals, g)
}
