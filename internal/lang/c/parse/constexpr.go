package parse

import "fencepost/internal/lang/c/types"

// constexpr of C23. An object is const and has a constant initializer; a number, and a number that is a member of a
// struct, is a constant in expressions.

// constexprStorage gives an object its storage: in a file the name belongs to the file.
func (p *parser) constexprStorage(s *specifiers, o *Object) {
	if !s.constexpr {
		return
	}
	if o.Kind != Variable || s.thread || s.storage == Extern {
		p.errorf(o.Tok, "%s cannot be constexpr", p.name(o.Name))
		return
	}
	o.Constexpr = true
	if p.level == 0 {
		o.Storage = Static
	}
}

// checkConstexpr checks the initializer of an object that is constexpr, and notes the value of a number.
func (p *parser) checkConstexpr(o *Object) {
	if !o.Constexpr || o.Type.Kind == types.Error {
		return
	}
	if o.Init == nil {
		p.errorf(o.Tok, "%s is constexpr, and needs an initializer", p.name(o.Name))
		return
	}
	if e := o.Init.Expr; e != nil {
		p.checkConstant(o, e)
	}
	for i := range o.Init.Items {
		if e := o.Init.Items[i].Expr; e != nil {
			p.checkConstant(o, e)
		}
	}
	if !o.Type.IsScalar() {
		return
	}
	if v, ok := p.initialAt(o, 0, nil, o.Type); ok {
		o.Value = &v
	}
}

// checkConstant checks that the value of an initializer is constant. A value that does not fit is converted, as in other
// initializers.
func (p *parser) checkConstant(o *Object, e *Expr) {
	if isBad(e) || e.Op == StringConst || e.Type.IsRecord() {
		return
	}
	v, ok := p.fold(e)
	switch {
	case !ok && o.Global: // reported
	case !ok:
		p.errorf(e.Tok, "the initializer of an object that is constexpr must be a constant")
	case e.Type.Kind == types.Pointer && (v.Kind != IntValue || !v.Int.IsZero()):
		p.errorf(e.Tok, "a pointer that is constexpr must be null")
	}
}

// foldConstexpr returns the value of an object that is constexpr, or of a member of one.
func (p *parser) foldConstexpr(e *Expr) (Value, bool) {
	base, offset := e, int64(0)
	var bits *types.Field
	for base.Op == Member {
		if base.Field.IsBitField() {
			bits = base.Field
		}
		base, offset = base.A, offset+base.Field.Offset
	}
	if base.Op != Name && base.Op != Literal || base.Obj == nil || !base.Obj.Constexpr {
		return Value{}, false
	}
	if base == e && base.Obj.Value != nil {
		return *base.Obj.Value, true
	}
	return p.initialAt(base.Obj, offset, bits, e.Type)
}

// initialAt returns the number that an initializer gives a part of an object: of two the later one counts.
func (p *parser) initialAt(o *Object, offset int64, bits *types.Field, t *types.Type) (Value, bool) {
	if o.Init == nil || !t.IsScalar() {
		return Value{}, false
	}
	if o.Init.Expr != nil {
		if offset != 0 || bits != nil || o.Init.Expr.Type.IsRecord() {
			return Value{}, false
		}
		return p.fold(o.Init.Expr)
	}
	zero := Value{Kind: IntValue}
	if t.IsFloat() {
		f, _ := ofInt(Int{}, false, t)
		zero = Value{Kind: FloatValue, Float: f}
	}
	for i := len(o.Init.Items) - 1; i >= 0; i-- {
		item := &o.Init.Items[i]
		inside := item.Offset <= offset && offset < item.Offset+max(1, item.Type.Size())*max(1, item.Count)
		switch {
		case !inside || bits != nil && item.Field != nil && item.Field != bits:
		case item.Expr == nil:
			return zero, true
		case item.Offset == offset && item.Field == bits && types.CompatibleUnqualified(item.Type, t) && item.Count <= 1:
			return p.fold(item.Expr)
		default:
			return Value{}, false
		}
	}
	return zero, true
}
