package statement

import (
	"fencepost/internal/diag"
	"fencepost/internal/ir"
)

// Scope has the meaning of names inside one thread instance, or outside all threads
// if t is nil.
type Scope struct {
	Compiler *Compiler
	Thread   *Thread
	Instance int64
}

// node is an expression whose names are resolved. pure is its value if nothing
// happens while it is evaluated: no shared read, no RMW, no division that needs
// a check. Otherwise src.kind tells which other fields count.
type node struct {
	Pure    *ir.Expr
	src     *Expr
	op      ir.ExprOp
	x, y, z *node
	cellRef *cellRef
	Bad     bool // an error was reported: draw no conclusions
}

func pureNode(src *Expr, e *ir.Expr) *node { return &node{src: src, Pure: e} }

// badNode stands for an expression with an error; its value is not a constant.
func badNode(src *Expr) *node { return &node{src: src, Pure: ir.Int(1), Bad: true} }

// isConst reports whether the node is a known number.
func (n *node) isConst() (int64, bool) {
	if n.Bad || n.Pure == nil {
		return 0, false
	}
	return n.Pure.IsConst()
}

// reading reports whether the node is nothing but the read of a cell.
func (n *node) reading() bool {
	switch n.src.Kind {
	case ExprName, ExprIndex, ExprPart, ExprMem:
		return n.Pure == nil
	}
	return false
}

// constant evaluates an expression that must be constant.
func (s *Scope) constant(e *Expr, what string) (int64, bool) {
	n := s.Resolve(e)
	if v, ok := n.isConst(); ok {
		return v, true
	}
	if !n.Bad {
		s.Compiler.Errorf(codeNotConstant, e.Start, e.End, "%s must be constant", what)
	}
	return 1, false
}

// lookup is the value of a constant or of the index of the template.
func (s *Scope) lookup(e *Expr) (int64, bool) {
	if s.Thread != nil && e.Name != "" && e.Name == s.Thread.Decl.Index.Text {
		if s.Thread.Unbounded && !s.Compiler.Opt.Numbered {
			s.Compiler.Errorf(codeIndexOfMany, e.Start, e.End, "'%s' has no value: the number of threads '%s' is not fixed", Clip(e.Name), Clip(s.Thread.Name)).
				Note("--threads k gives it k threads")
		}
		return s.Instance, true
	}
	v, ok := s.Compiler.Consts[e.Name]
	return v, ok
}

// number is the register that holds the index of an instance, where their number is
// not fixed. It comes after the registers that the thread declares.
func (s *Scope) number(name string) (ir.Reg, bool) {
	if s.Thread == nil || !s.Thread.Unbounded || !s.Compiler.Opt.Numbered || name == "" || name != s.Thread.Decl.Index.Text {
		return ir.NoReg, false
	}
	return ir.Reg(len(s.Thread.Decl.Regs)), true
}

// Register is the register a name stands for.
func (s *Scope) Register(name string) (ir.Reg, bool) {
	if s.Thread == nil {
		return ir.NoReg, false
	}
	r, ok := s.Thread.Regs[name]
	return r, ok
}

// undeclared reports an unknown name.
func (s *Scope) undeclared(e *Expr) *diag.Diagnostic {
	d := s.Compiler.Errorf(CodeUndeclared, e.Start, e.End, "'%s' is not declared", Clip(e.Name))
	names := map[string]bool{}
	if len(d.Message) > 0 { // collecting names costs; only for messages that are shown
		for n := range s.Compiler.Declared {
			names[n] = true
		}
		if s.Thread != nil {
			for n := range s.Thread.Regs {
				names[n] = true
			}
		}
	}
	Suggest(d, e.Name, names)
	return d
}

// Resolve gives an expression its meaning in the scope.
func (s *Scope) Resolve(e *Expr) *node {
	switch e.Kind {
	case ExprInt:
		return pureNode(e, ir.Int(e.Val))
	case ExprName:
		if e.Order != ir.OrderUnset {
			return s.read(e)
		}
		if r, ok := s.number(e.Name); ok {
			return pureNode(e, ir.R(r))
		}
		if v, ok := s.lookup(e); ok {
			return pureNode(e, ir.Int(v))
		}
		if r, ok := s.Register(e.Name); ok {
			return pureNode(e, ir.R(r))
		}
		return s.read(e)
	case ExprIndex, ExprPart, ExprMem:
		return s.read(e)
	case ExprAddr:
		return s.address(e)
	case ExprUnary:
		x := s.Resolve(e.X)
		n := &node{src: e, op: e.Op, x: x, Bad: x.Bad}
		if x.Pure != nil {
			n.Pure = ir.Unary(e.Op, ir.S64, x.Pure)
		}
		return n
	case ExprBinary:
		return s.binary(e)
	case ExprCond:
		n := &node{src: e, x: s.Resolve(e.X), y: s.Resolve(e.Y), z: s.Resolve(e.Z)}
		n.Bad = n.x.Bad || n.y.Bad || n.z.Bad
		if n.x.Pure != nil && n.y.Pure != nil && n.z.Pure != nil {
			n.Pure = ir.Conditional(n.x.Pure, n.y.Pure, n.z.Pure)
		}
		return n
	case ExprRMW:
		n := &node{src: e, y: s.Resolve(e.Y)}
		if e.Z != nil {
			n.z = s.Resolve(e.Z)
		}
		if n.cellRef = s.cellRef(e.X); n.cellRef == nil {
			return badNode(e)
		}
		return n
	case ExprThread, ExprOfProcess:
		panic("BUG: not a value")
	default:
		panic("BUG: unknown expression")
	}
}

func (s *Scope) binary(e *Expr) *node {
	x, y := s.Resolve(e.X), s.Resolve(e.Y)
	n := &node{src: e, op: e.Op, x: x, y: y, Bad: x.Bad || y.Bad}
	if e.Op == ir.Div || e.Op == ir.Rem {
		v, ok := y.isConst()
		if !ok && !y.Bad {
			return n // needs a check
		}
		if ok && v == 0 {
			s.Compiler.Errorf(codeDivZero, e.Y.Start, e.Y.End, "division by zero")
			return badNode(e)
		}
	}
	if x.Pure != nil && y.Pure != nil {
		n.Pure = ir.Binary(e.Op, ir.S64, x.Pure, y.Pure)
	}
	return n
}

// checksDivisor reports whether the node is a division by something that might
// be zero.
func (n *node) checksDivisor() bool {
	if n.src.Kind != ExprBinary || n.op != ir.Div && n.op != ir.Rem {
		return false
	}
	_, ok := n.y.isConst()
	return !ok
}

func (s *Scope) read(e *Expr) *node {
	p := s.cellRef(e)
	if p == nil {
		return badNode(e)
	}
	return &node{src: e, cellRef: p}
}
