package parse

import "fencepost/internal/lang/c/types"

func (p *parser) bad(at int32) *Expr { return &Expr{Op: Bad, Type: errorType, Tok: at} }

func isBad(es ...*Expr) bool {
	for _, e := range es {
		if e.Type.Kind == types.Error {
			return true
		}
	}
	return false
}

// rvalue returns the value of an expression: arrays and functions decay, objects are read.
func (p *parser) rvalue(e *Expr) *Expr {
	switch {
	case e.Type.Kind == types.Error:
		return e
	case e.Type.Kind == types.Array:
		return &Expr{Op: Decay, A: e, Type: types.PointerTo(e.Type.Elem), Tok: e.Tok, Implicit: true}
	case e.Type.Kind == types.Function:
		return &Expr{Op: Decay, A: e, Type: types.PointerTo(e.Type), Tok: e.Tok, Implicit: true}
	case e.LValue:
		if !e.Type.IsComplete() && e.Type.Kind != types.Void {
			p.errorf(e.Tok, "a value of the incomplete type %s is used", e.Type)
			return p.bad(e.Tok)
		}
		return &Expr{Op: Load, A: e, Type: e.Type.Unqualified(), Tok: e.Tok, Bits: e.Bits, Implicit: true}
	default:
		if e.Type.Qual != 0 {
			c := *e
			c.Type = e.Type.Unqualified()
			return &c
		}
		return e
	}
}

// convert converts a value to a type.
func (p *parser) convert(e *Expr, t *types.Type) *Expr {
	if e.Type == t || e.Type.Kind == types.Error || t.Kind == types.Error {
		return e
	}
	if e.Bits == 0 && e.Type.Kind == t.Kind && t.Kind <= types.Float128 && e.Type.Name == t.Name && e.Type.Width == t.Width {
		return e
	}
	if e.Op == Constant && e.Bits == 0 {
		if v, ok := convertValue(*e.Val, e.Type, t); ok {
			c := &Expr{Op: Constant, Val: &v, Type: t, Tok: e.Tok, Implicit: true, A: e.A, Obj: e.Obj, First: e.First, Last: e.Last}
			if t.IsInteger() {
				c.Of = e.Of
			}
			return c
		}
	}
	return &Expr{Op: Convert, A: e, Type: t, Tok: e.Tok, Implicit: true}
}

// promote makes the integer promotions.
func (p *parser) promote(e *Expr) *Expr {
	if !e.Type.IsInteger() {
		return e
	}
	if e.Bits > 0 {
		return p.convert(e, e.Type.PromoteField(int64(e.Bits)))
	}
	return p.convert(e, e.Type.Promote())
}

// usual makes the usual arithmetic conversions.
func (p *parser) usual(a, b *Expr) (*Expr, *Expr, *types.Type) {
	if a.Type.IsInteger() && b.Type.IsInteger() {
		a, b = p.promote(a), p.promote(b)
	}
	t := types.Common(a.Type, b.Type)
	return p.convert(a, t), p.convert(b, t), t
}

// scalar checks that a value is a number or a pointer.
func (p *parser) scalar(e *Expr, what string) *Expr {
	if !e.Type.IsScalar() && e.Type.Kind != types.Error {
		p.refuseVector(e)
		p.errorf(e.Tok, "%s must be a number or a pointer, and is %s", what, e.Type)
		return p.bad(e.Tok)
	}
	return e
}

// refuseVector refuses an operation on vectors.
func (p *parser) refuseVector(es ...*Expr) {
	for _, e := range es {
		if e.Type.Kind == types.Vector {
			p.refuse(e.Tok, "operations on vectors are not supported")
		}
	}
}

// discard returns an expression whose value is not used.
func (p *parser) discard(e *Expr) *Expr {
	if e.LValue && e.Type.Kind != types.Array && e.Type.Kind != types.Function && e.Type.IsComplete() {
		return p.rvalue(e)
	}
	return e
}

// isNull reports whether a value is a null pointer constant.
func (p *parser) isNull(e *Expr) bool {
	if e.Type.Kind == types.Pointer {
		if e.Type.Elem.Kind != types.Void || e.Type.Elem.Qual != 0 || e.Op != Convert && e.Op != Constant {
			return false
		}
		v, ok := p.fold(e)
		return ok && v.Kind == IntValue && v.Int.IsZero() && p.fromInteger(e)
	}
	if !e.Type.IsInteger() {
		return false
	}
	v, ok := p.fold(e)
	return ok && v.Kind == IntValue && v.Int.IsZero()
}

// fromInteger reports whether a constant of type void * is a cast of an integer constant.
func (p *parser) fromInteger(e *Expr) bool {
	if e.Op == Convert {
		return e.A.Type.IsInteger()
	}
	return e.Op == Constant && e.Of != nil && e.Of.IsInteger()
}

// assignable converts a value to the type of an object that it is assigned to. what is the
// word for messages.
func (p *parser) assignable(e *Expr, t *types.Type, at int32, what string) *Expr {
	e = p.rvalue(e)
	s := e.Type
	switch {
	case isBad(e) || t.Kind == types.Error:
		return e
	case s.Kind == types.Void:
		p.errorf(e.Tok, "a value of type void is %s", what)
		return p.bad(e.Tok)
	case t.IsArithmetic() && s.IsArithmetic():
		return p.convert(e, t)
	case t.Kind == types.Bool && s.Kind == types.Pointer:
		return p.convert(e, t)
	case t.Kind == types.Pointer && (s.Kind == types.Pointer || s.IsInteger()): // gcc warns if they do not fit
		return p.convert(e, t)
	case t.IsInteger() && s.Kind == types.Pointer:
		return p.convert(e, t)
	case (t.IsRecord() || t.Kind == types.Vector) && types.CompatibleUnqualified(t, s):
		return e
	case t.Kind == types.Vector && s.Kind == types.Vector && t.Size() == s.Size():
		return p.convert(e, t)
	case t.Kind == types.Union && t.Record.Transparent:
		for i := range t.Record.Fields {
			f := &t.Record.Fields[i]
			if types.CompatibleUnqualified(f.Type, s) || f.Type.Kind == types.Pointer && (s.Kind == types.Pointer || p.isNull(e)) {
				return &Expr{Op: Convert, A: p.convert(e, f.Type.Unqualified()), Type: t, Tok: e.Tok, Implicit: true, Field: f}
			}
		}
	}
	p.errorf(at, "a value of type %s is %s where %s is expected", s, what, t)
	return p.bad(e.Tok)
}
