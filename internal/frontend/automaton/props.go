package automaton

import (
	"fmt"
	"sort"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// properties translates goals and the final condition, and lists what can be
// observed.
func (c *compiler) properties() *property.Set {
	set := &property.Set{}
	var final *finalDecl
	for _, it := range c.tree.items {
		switch {
		case it.goal != nil:
			set.Goals = append(set.Goals, c.goal(it.goal))
		case it.always != nil:
			c.always(it.always)
		case it.final != nil && final != nil:
			c.errorf(codeTwoFinals, it.final.start, it.final.end, "a second final condition").
				Note("the first is at %s", c.file.Pos(final.start))
		case it.final != nil:
			final = it.final
			quantifier := map[string]property.Quantifier{"exists": property.Exists, "never": property.Never, "forall": property.Forall}
			set.Final = &property.Final{
				Quantifier: quantifier[final.word],
				Cond:       c.condition(final.cond),
				Pos:        c.span(final.start, final.end),
			}
		}
	}
	set.Checks, set.Invariants, set.Instances = c.checks, c.said, c.instances
	if len(c.numbered) > 0 {
		set.Numbers = c.numbered
	}
	if !c.diags.HasErrors() {
		set.Observe = c.observe()
	}
	return set
}

func (c *compiler) goal(d *goalDecl) property.Goal {
	g := property.Goal{Name: d.name, Pos: c.span(d.start, d.end)}
	if g.Name == "" {
		g.Name = c.text(d.start+len("goal"), d.end)
	}
	taken := map[string]bool{}
	for _, a := range d.at {
		t, i := c.findThread(a.thread.text, a.index, a.thread.start, a.thread.end)
		if t == nil {
			continue
		}
		name := t.instanceName(int(i))
		if taken[name] {
			c.errorf(codeGoalTwice, a.start, a.end, "thread '%s' stands twice in the goal", clip(name))
		}
		taken[name] = true
		l := t.labels[a.label.text]
		if l == nil {
			d := c.errorf(codeLabel, a.label.start, a.label.end, "thread '%s' has no label '%s'", clip(t.name), clip(a.label.text))
			suggest(d, a.label.text, t.labels)
			continue
		}
		g.At = append(g.At, property.At{Thread: t.id(i), Locs: []ir.Loc{l.find().loc}})
	}
	if d.with != nil {
		g.With = c.condition(d.with)
	}
	return g
}

// id is the thread of an instance. All instances of an unbounded template are
// the one thread that stands for them.
func (t *thread) id(i int64) ir.ThreadID {
	if t.unbounded {
		return t.first
	}
	return t.first + ir.ThreadID(i)
}

// findThread is the thread a property names, and which instance; nil after an
// error.
func (c *compiler) findThread(name string, index *expr, start, end int) (*thread, int64) {
	t := c.threads[name]
	if t == nil {
		d := c.errorf(codeThread, start, end, "there is no thread '%s'", clip(name))
		suggest(d, name, c.threads)
		return nil, 0
	}
	if !t.template {
		if index != nil {
			c.errorf(codeThread, index.start, index.end, "thread '%s' is no template and has no instances", clip(name))
			return nil, 0
		}
		return t, 0
	}
	if index == nil {
		c.errorf(codeThread, start, end, "'%s' is a template; its instances are '%s[0]' and so on", clip(name), clip(name))
		return nil, 0
	}
	i, ok := c.constant(index, "the number of an instance")
	if ok && (i < 0 || !t.unbounded && i >= int64(t.count)) {
		c.errorf(codeThread, index.start, index.end, "template '%s' has no instance %d", clip(name), i).
			Note("it has %d instances, from 0", t.count)
		ok = false
	}
	if !ok {
		return nil, 0
	}
	return t, i
}

// conditionBuilder collects the variables of a condition.
type conditionBuilder struct {
	c     *compiler
	vars  []property.Var
	index map[string]ir.Reg
	own   *scope // of the thread whose registers may be named without it; nil: none
	bound map[string]ir.Reg
}

func (c *compiler) condition(e *expr) *property.Cond {
	b := &conditionBuilder{c: c, index: map[string]ir.Reg{}}
	x := b.expr(e)
	return &property.Cond{Vars: b.vars, Expr: x, Text: c.text(e.start, e.end)}
}

// variable is the register that stands for v in the condition.
func (b *conditionBuilder) variable(v property.Var) *ir.Expr {
	key := fmt.Sprintf("%d.%d.%d.%d", v.Thread, v.Reg, v.Addr, v.Type.Bits)
	r, ok := b.index[key]
	if !ok {
		r = ir.Reg(len(b.vars))
		b.index[key] = r
		b.vars = append(b.vars, v)
	}
	return ir.R(r)
}

func (b *conditionBuilder) expr(e *expr) *ir.Expr {
	s := &scope{c: b.c}
	if b.own != nil {
		s = b.own
	}
	if x, ok := b.ownName(e); ok {
		return x
	}
	if x, ok := b.indexed(e); ok {
		return x
	}
	switch e.kind {
	case eInt:
		return ir.Int(e.val)
	case eName, eIndex, ePart, eMem:
		if v, ok := b.c.consts[e.name]; ok && e.kind == eName {
			return ir.Int(v)
		}
		if p := b.place(s, e); p != nil {
			return b.memory(p)
		}
	case eAddr:
		if p := s.cellOf(e); p != nil && b.isFixed(p, e.x) {
			return ir.Int(int64(b.address(p)) / ir.CellUnit)
		}
	case eThread:
		return b.register(e)
	case eUnary:
		return ir.Unary(e.op, ir.S64, b.expr(e.x))
	case eBinary:
		return b.binary(e)
	case eCond:
		return ir.Conditional(b.expr(e.x), b.expr(e.y), b.expr(e.z))
	case eRMW:
		b.c.errorf(codeCondition, e.start, e.end, "'%s' cannot stand in a condition", e.name)
	default:
		panic("BUG: unknown expression")
	}
	return ir.Int(1)
}

// place resolves a place with a constant index; nil after an error.
func (b *conditionBuilder) place(s *scope, e *expr) *place {
	if _, known := b.c.declared[e.name]; !known && e.kind == eName {
		d := s.undeclared(e)
		for _, t := range b.c.order {
			if _, ok := t.regs[e.name]; ok {
				d.Note("the register of thread '%s' is written %s:%s", clip(t.name), clip(t.instanceName(0)), clip(e.name))
				break
			}
		}
		return nil
	}
	p := s.place(e)
	if p == nil || !b.isFixed(p, e) {
		return nil
	}
	return p
}

func (b *conditionBuilder) isFixed(p *place, e *expr) bool {
	if p.fixed == nil && !p.index.bad {
		b.c.errorf(codeNotConstant, e.start, e.end, "which place a condition reads must be constant")
	}
	return p.fixed != nil
}

func (b *conditionBuilder) address(p *place) uint64 {
	if p.obj == ir.NoObject {
		return uint64(p.fixed.Value)
	}
	return b.c.b.Addr(p.obj) + uint64(p.fixed.Value)
}

func (b *conditionBuilder) memory(p *place) *ir.Expr {
	name := fmt.Sprintf("mem[%d]", p.cell)
	if p.obj != ir.NoObject {
		v := b.c.varList[p.obj]
		name = v.element(p.fixed.Value, p.typ.Size())
	}
	return b.variable(property.Var{Name: name, Thread: ir.NoThread, Reg: ir.NoReg, Addr: b.address(p), Type: p.typ})
}

// element is the name of some bytes of the variable, as Program.LocationName
// makes it, without looking for the object.
func (v *variable) element(offset int64, size int) string {
	name, unit := v.name, int64(v.typ.Size())
	if v.count > 1 {
		name = fmt.Sprintf("%s[%d]", name, offset/unit)
	}
	if rest := offset % unit; rest != 0 || int64(size) != unit {
		return name + ir.BytesName(rest, int64(size))
	}
	return name
}

func (b *conditionBuilder) register(e *expr) *ir.Expr {
	t, i := b.c.findThread(e.typ, e.x, e.start, e.start+len(e.typ))
	if t == nil {
		return ir.Int(1)
	}
	if t.unbounded {
		b.c.errorf(codeCondition, e.start, e.end, "registers of '%s' cannot stand in a condition: its number of threads is not fixed", clip(t.name))
		return ir.Int(1)
	}
	r, ok := t.regs[e.name]
	if !ok {
		d := b.c.errorf(codeCondRegister, e.start, e.end, "thread '%s' has no register '%s'", clip(t.name), clip(e.name))
		suggest(d, e.name, t.regs)
		return ir.Int(1)
	}
	name := t.instanceName(int(i)) + ":" + e.name
	return b.variable(property.Var{Name: name, Thread: t.id(i), Reg: r, Type: ir.S64})
}

func (b *conditionBuilder) binary(e *expr) *ir.Expr {
	x, y := b.expr(e.x), b.expr(e.y)
	if e.op == ir.Div || e.op == ir.Rem {
		v, ok := y.IsConst()
		switch {
		case !ok:
			b.c.errorf(codeNotConstant, e.y.start, e.y.end, "a divisor in a condition must be constant")
			return ir.Int(1)
		case v == 0:
			b.c.errorf(codeDivZero, e.y.start, e.y.end, "division by zero")
			return ir.Int(1)
		}
	}
	return ir.Binary(e.op, ir.S64, x, y)
}

// observe lists registers, variables and cells with a constant number.
func (c *compiler) observe() []property.Var {
	var vars []property.Var
	for _, t := range c.order {
		for i := range t.count {
			if t.unbounded {
				break
			}
			for r, d := range t.decl.regs {
				name := t.instanceName(i) + ":" + d.name.text
				vars = append(vars, property.Var{Name: name, Thread: t.id(int64(i)), Reg: ir.Reg(r), Type: ir.S64})
			}
		}
	}
	for _, v := range c.varList {
		unit := v.typ.Size()
		for off := int64(0); off < v.size(); off += int64(unit) {
			addr := c.b.Addr(v.obj) + uint64(off)
			vars = append(vars, property.Var{Name: v.element(off, unit), Thread: ir.NoThread, Reg: ir.NoReg, Addr: addr, Type: v.typ})
		}
	}
	cells := make([]int64, 0, len(c.numbers))
	for e := range c.numbers {
		cells = append(cells, e)
	}
	sort.Slice(cells, func(i, j int) bool { return cells[i] < cells[j] })
	for _, e := range cells {
		name := fmt.Sprintf("mem[%d]", e)
		vars = append(vars, property.Var{Name: name, Thread: ir.NoThread, Reg: ir.NoReg, Addr: uint64(e * ir.CellUnit), Type: ir.S64})
	}
	return vars
}
