package statement

import (
	"fmt"
	"sort"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Id is the thread of an instance. All instances of an unbounded template are
// the one thread that stands for them.
func (t *Thread) Id(i int64) ir.ThreadID {
	if t.Unbounded {
		return t.First
	}
	return t.First + ir.ThreadID(i)
}

// FindThread is the thread a property names, and which instance; nil after an
// error.
func (c *Compiler) FindThread(name string, index *Expr, start, end int) (*Thread, int64) {
	t := c.Threads[name]
	if t == nil {
		d := c.Errorf(codeThread, start, end, "there is no thread '%s'", Clip(name))
		Suggest(d, name, c.Threads)
		return nil, 0
	}
	if !t.Template {
		if index != nil {
			c.Errorf(codeThread, index.Start, index.End, "thread '%s' is not a template and has no instances", Clip(name))
			return nil, 0
		}
		return t, 0
	}
	if index == nil {
		c.Errorf(codeThread, start, end, "'%s' is a template; its instances are '%s[0]' and so on", Clip(name), Clip(name))
		return nil, 0
	}
	i, ok := c.Constant(index, "the number of an instance")
	if ok && (i < 0 || !t.Unbounded && i >= int64(t.Count)) {
		c.Errorf(codeThread, index.Start, index.End, "template '%s' has no instance %d", Clip(name), i).
			Note("it has %d instances, from 0", t.Count)
		ok = false
	}
	if !ok {
		return nil, 0
	}
	return t, i
}

// conditionBuilder collects the variables of a condition.
type conditionBuilder struct {
	c      *Compiler
	vars   []property.Var
	index  map[string]ir.Reg
	thread *Scope // of the thread whose registers may be named without it; nil: none
	bound  map[string]ir.Reg
}

// Condition translates the condition of a goal or of final states.
func (c *Compiler) Condition(e *Expr) *property.Cond {
	b := &conditionBuilder{c: c, index: map[string]ir.Reg{}}
	x := b.expr(e)
	return &property.Cond{Vars: b.vars, Expr: x, Text: c.Text(e.Start, e.End)}
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

func (b *conditionBuilder) expr(e *Expr) *ir.Expr {
	s := &Scope{Compiler: b.c}
	if b.thread != nil {
		s = b.thread
	}
	if x, ok := b.threadName(e); ok {
		return x
	}
	if x, ok := b.indexed(e); ok {
		return x
	}
	switch e.Kind {
	case ExprInt:
		return ir.Int(e.Val)
	case ExprName, ExprIndex, ExprPart, ExprMem:
		if v, ok := b.c.Consts[e.Name]; ok && e.Kind == ExprName {
			return ir.Int(v)
		}
		if p := b.cellRef(s, e); p != nil {
			return b.memory(p)
		}
	case ExprAddr:
		if p := s.cellOf(e); p != nil && b.isFixed(p, e.X) {
			return ir.Int(int64(b.address(p)) / ir.CellUnit)
		}
	case ExprThread:
		return b.register(e)
	case ExprUnary:
		return ir.Unary(e.Op, ir.S64, b.expr(e.X))
	case ExprBinary:
		return b.binary(e)
	case ExprCond:
		return ir.Conditional(b.expr(e.X), b.expr(e.Y), b.expr(e.Z))
	case ExprRMW:
		b.c.Errorf(codeCondition, e.Start, e.End, "'%s' is not allowed in a condition", e.Name)
	default:
		panic("BUG: unknown expression")
	}
	return ir.Int(1)
}

// cellRef resolves a cell with a constant index; nil after an error.
func (b *conditionBuilder) cellRef(s *Scope, e *Expr) *cellRef {
	if _, known := b.c.Declared[e.Name]; !known && e.Kind == ExprName {
		d := s.undeclared(e)
		for _, t := range b.c.Order {
			if _, ok := t.Regs[e.Name]; ok {
				d.Note("the register of thread '%s' is written %s:%s", Clip(t.Name), Clip(t.InstanceName(0)), Clip(e.Name))
				break
			}
		}
		return nil
	}
	p := s.cellRef(e)
	if p == nil || !b.isFixed(p, e) {
		return nil
	}
	return p
}

func (b *conditionBuilder) isFixed(p *cellRef, e *Expr) bool {
	if p.fixed == nil && !p.index.Bad {
		b.c.Errorf(codeNotConstant, e.Start, e.End, "an index in a condition must be constant")
	}
	return p.fixed != nil
}

func (b *conditionBuilder) address(p *cellRef) uint64 {
	if p.obj == ir.NoObject {
		return uint64(p.fixed.Value)
	}
	return b.c.Builder.Addr(p.obj) + uint64(p.fixed.Value)
}

func (b *conditionBuilder) memory(p *cellRef) *ir.Expr {
	name := fmt.Sprintf("mem[%d]", p.cell)
	if p.obj != ir.NoObject {
		v := b.c.VarList[p.obj]
		name = v.element(p.fixed.Value, p.typ.Size())
	}
	return b.variable(property.Var{Name: name, Thread: ir.NoThread, Reg: ir.NoReg, Addr: b.address(p), Type: p.typ})
}

// element is the name of some bytes of the variable, as Program.LocationName
// makes it, without looking for the object.
func (v *Variable) element(offset int64, size int) string {
	name, unit := v.Name, int64(v.Typ.Size())
	if v.Count > 1 {
		name = fmt.Sprintf("%s[%d]", name, offset/unit)
	}
	if rest := offset % unit; rest != 0 || int64(size) != unit {
		return name + ir.BytesName(rest, int64(size))
	}
	return name
}

func (b *conditionBuilder) register(e *Expr) *ir.Expr {
	t, i := b.c.FindThread(e.Typ, e.X, e.Start, e.Start+len(e.Typ))
	if t == nil {
		return ir.Int(1)
	}
	if t.Unbounded {
		b.c.Errorf(codeCondition, e.Start, e.End, "registers of '%s' is not allowed in a condition: its number of threads is not fixed", Clip(t.Name))
		return ir.Int(1)
	}
	r, ok := t.Regs[e.Name]
	if !ok {
		d := b.c.Errorf(codeCondRegister, e.Start, e.End, "thread '%s' has no register '%s'", Clip(t.Name), Clip(e.Name))
		Suggest(d, e.Name, t.Regs)
		return ir.Int(1)
	}
	name := t.InstanceName(int(i)) + ":" + e.Name
	return b.variable(property.Var{Name: name, Thread: t.Id(i), Reg: r, Type: ir.S64})
}

func (b *conditionBuilder) binary(e *Expr) *ir.Expr {
	x, y := b.expr(e.X), b.expr(e.Y)
	if e.Op == ir.Div || e.Op == ir.Rem {
		v, ok := y.IsConst()
		switch {
		case !ok:
			b.c.Errorf(codeNotConstant, e.Y.Start, e.Y.End, "a divisor in a condition must be constant")
			return ir.Int(1)
		case v == 0:
			b.c.Errorf(codeDivZero, e.Y.Start, e.Y.End, "division by zero")
			return ir.Int(1)
		}
	}
	return ir.Binary(e.Op, ir.S64, x, y)
}

// Observe lists registers, variables and cells with a constant number.
func (c *Compiler) Observe() []property.Var {
	var vars []property.Var
	for _, t := range c.Order {
		for i := range t.Count {
			if t.Unbounded {
				break
			}
			for r, d := range t.Decl.Regs {
				name := t.InstanceName(i) + ":" + d.Name.Text
				vars = append(vars, property.Var{Name: name, Thread: t.Id(int64(i)), Reg: ir.Reg(r), Type: ir.S64})
			}
		}
	}
	for _, v := range c.VarList {
		unit := v.Typ.Size()
		for off := int64(0); off < v.Size(); off += int64(unit) {
			addr := c.Builder.Addr(v.Obj) + uint64(off)
			vars = append(vars, property.Var{Name: v.element(off, unit), Thread: ir.NoThread, Reg: ir.NoReg, Addr: addr, Type: v.Typ})
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
