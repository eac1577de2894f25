package automaton

import (
	"fencepost/internal/diag"
	"fencepost/internal/ir"
)

// scope is what names mean inside one thread instance, or outside all threads
// if t is nil.
type scope struct {
	c        *compiler
	t        *thread
	instance int64
}

// node is an expression whose names are resolved. pure is its value if nothing
// happens while it is evaluated: no shared read, no RMW, no division that needs
// a check. Otherwise src.kind tells which other fields count.
type node struct {
	pure    *ir.Expr
	src     *expr
	op      ir.ExprOp
	x, y, z *node
	place   *place
	bad     bool // an error was reported: draw no conclusions
}

func pureNode(src *expr, e *ir.Expr) *node { return &node{src: src, pure: e} }

// badNode stands for an expression with an error; its value is not a constant.
func badNode(src *expr) *node { return &node{src: src, pure: ir.Int(1), bad: true} }

// isConst reports whether the node is a known number.
func (n *node) isConst() (int64, bool) {
	if n.bad || n.pure == nil {
		return 0, false
	}
	return n.pure.IsConst()
}

// reading reports whether the node is nothing but the read of a place.
func (n *node) reading() bool {
	switch n.src.kind {
	case eName, eIndex, ePart, eMem:
		return n.pure == nil
	}
	return false
}

// constant evaluates an expression that must be constant.
func (s *scope) constant(e *expr, what string) (int64, bool) {
	n := s.resolve(e)
	if v, ok := n.isConst(); ok {
		return v, true
	}
	if !n.bad {
		s.c.errorf(codeNotConstant, e.start, e.end, "%s must be constant", what)
	}
	return 1, false
}

// lookup is the value of a constant or of the index of the template.
func (s *scope) lookup(e *expr) (int64, bool) {
	if s.t != nil && e.name != "" && e.name == s.t.decl.index.text {
		if s.t.unbounded && !s.c.opt.Numbered {
			s.c.errorf(codeIndexOfMany, e.start, e.end, "'%s' has no value: the number of threads '%s' is not fixed", clip(e.name), clip(s.t.name)).
				Note("--threads k makes it k threads")
		}
		return s.instance, true
	}
	v, ok := s.c.consts[e.name]
	return v, ok
}

// number is the register that holds the index of an instance, where their number is
// not fixed: it comes after those that the thread declares.
func (s *scope) number(name string) (ir.Reg, bool) {
	if s.t == nil || !s.t.unbounded || !s.c.opt.Numbered || name == "" || name != s.t.decl.index.text {
		return ir.NoReg, false
	}
	return ir.Reg(len(s.t.decl.regs)), true
}

// register is the register a name stands for.
func (s *scope) register(name string) (ir.Reg, bool) {
	if s.t == nil {
		return ir.NoReg, false
	}
	r, ok := s.t.regs[name]
	return r, ok
}

// undeclared reports an unknown name.
func (s *scope) undeclared(e *expr) *diag.Diagnostic {
	d := s.c.errorf(codeUndeclared, e.start, e.end, "'%s' is not declared", clip(e.name))
	names := map[string]bool{}
	if len(d.Message) > 0 { // collecting names costs; only for messages that are shown
		for n := range s.c.declared {
			names[n] = true
		}
		if s.t != nil {
			for n := range s.t.regs {
				names[n] = true
			}
		}
	}
	suggest(d, e.name, names)
	return d
}

func (s *scope) resolve(e *expr) *node {
	switch e.kind {
	case eInt:
		return pureNode(e, ir.Int(e.val))
	case eName:
		if r, ok := s.number(e.name); ok {
			return pureNode(e, ir.R(r))
		}
		if v, ok := s.lookup(e); ok {
			return pureNode(e, ir.Int(v))
		}
		if r, ok := s.register(e.name); ok {
			return pureNode(e, ir.R(r))
		}
		return s.read(e)
	case eIndex, ePart, eMem:
		return s.read(e)
	case eAddr:
		return s.address(e)
	case eUnary:
		x := s.resolve(e.x)
		n := &node{src: e, op: e.op, x: x, bad: x.bad}
		if x.pure != nil {
			n.pure = ir.Unary(e.op, ir.S64, x.pure)
		}
		return n
	case eBinary:
		return s.binary(e)
	case eCond:
		n := &node{src: e, x: s.resolve(e.x), y: s.resolve(e.y), z: s.resolve(e.z)}
		n.bad = n.x.bad || n.y.bad || n.z.bad
		if n.x.pure != nil && n.y.pure != nil && n.z.pure != nil {
			n.pure = ir.Conditional(n.x.pure, n.y.pure, n.z.pure)
		}
		return n
	case eRMW:
		n := &node{src: e, y: s.resolve(e.y)}
		if e.z != nil {
			n.z = s.resolve(e.z)
		}
		if n.place = s.place(e.x); n.place == nil {
			return badNode(e)
		}
		return n
	case eThread, eOwn:
		panic("BUG: not a value")
	default:
		panic("BUG: unknown expression")
	}
}

func (s *scope) binary(e *expr) *node {
	x, y := s.resolve(e.x), s.resolve(e.y)
	n := &node{src: e, op: e.op, x: x, y: y, bad: x.bad || y.bad}
	if e.op == ir.Div || e.op == ir.Rem {
		v, ok := y.isConst()
		if !ok && !y.bad {
			return n // needs a check
		}
		if ok && v == 0 {
			s.c.errorf(codeDivZero, e.y.start, e.y.end, "division by zero")
			return badNode(e)
		}
	}
	if x.pure != nil && y.pure != nil {
		n.pure = ir.Binary(e.op, ir.S64, x.pure, y.pure)
	}
	return n
}

// checksDivisor reports whether the node is a division by something that might
// be zero.
func (n *node) checksDivisor() bool {
	if n.src.kind != eBinary || n.op != ir.Div && n.op != ir.Rem {
		return false
	}
	_, ok := n.y.isConst()
	return !ok
}

func (s *scope) read(e *expr) *node {
	p := s.place(e)
	if p == nil {
		return badNode(e)
	}
	return &node{src: e, place: p}
}
