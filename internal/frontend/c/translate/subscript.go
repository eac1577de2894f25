package translate

import (
	"fmt"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Subscripts of arrays whose length is declared and known where the subscript is, as
// gcc's -fsanitize=bounds has it: a member of a struct, a row of an array, an automatic
// array. Nothing is said about pointers, even to an array's beginning; about
// the last member of a struct that is reached through a pointer, which may be longer than
// declared; and about the address one past the end.
//
// An array that is a whole object needs no check for an access, since accesses that know their
// object are checked against its size. The address of an element needs one: no access
// need follow.

// declaredArray is an array that a value is the beginning of.
type declaredArray struct {
	length  *ir.Expr
	pointer bool // one comes to it through a pointer
	// free says that subscripts are not checked.
	free bool
	// whole says that the array is an object of its own.
	whole bool
}

// via is how one comes to an lvalue.
type via struct {
	pointer bool
	members bool // by members of structs, at last
	inside  bool // one of these is not the last of its struct
	block   bool // it is an array of variable length, a block of its own
}

// member is the way to a member.
func (v via) member(field *types.Field) via {
	v.members = true
	if r := field.Of; r != nil && !r.Union && field != &r.Fields[len(r.Fields)-1] {
		v.inside = true
	}
	return v
}

// declared is the array at an lvalue.
func (f *Accesses) declared(l Lvalue, t *types.Type, n parse.Node) *declaredArray {
	a := &declaredArray{pointer: l.via.pointer}
	if t.Len == types.Incomplete || t.Len == 0 || l.via.pointer && l.via.members && !l.via.inside {
		a.free = true
		return a
	}
	a.length = f.Code.length(t, n)
	a.whole = l.via.block || l.Obj != ir.NoObject && l.Addr.Op == ir.AddrOf && l.Addr.Value == 0 && t.Size() == f.B.Size(l.Obj)
	return a
}

// addressOnly notes that only the address of an lvalue is computed. The last subscript may
// be one past the end of its array. The subscripts before it need checks of their own, since
// no access checks them.
func (f *Lvalues) addressOnly(e *parse.Expr) {
	f.markSubscripts(e, f.Types.addressed, f.Types.unaccessed)
}

// accessedThrough notes that an access follows through the pointer e. The access checks the subscripts
// of an array that is a whole object.
func (f *Lvalues) accessedThrough(e *parse.Expr) {
	if a := Addressed(e); a != nil {
		f.markSubscripts(a.A, f.Types.accessed, f.Types.accessed)
	}
}

// decays notes that an array becomes a pointer to its beginning, unless a subscript follows.
func (f *Lvalues) decays(e *parse.Expr) {
	if e.Type.Kind == types.Array && !f.Types.subscripted[e] {
		f.markSubscripts(e, f.Types.unaccessed, f.Types.unaccessed)
	}
}

// markSubscripts puts the last subscript of an lvalue into one set, and the subscripts before it into
// another.
func (f *Lvalues) markSubscripts(e *parse.Expr, last, others map[*parse.Expr]bool) {
	for {
		switch {
		case f.isSubscript(e):
			last[e] = true
			last, e = others, e.A.A
			if e.Op != parse.Decay {
				return
			}
			e = e.A
		case e.Op == parse.Member && e.A.Op != parse.Deref, e.Op == parse.Member && f.isSubscript(e.A):
			e = e.A
		case e.Op == parse.Load:
			e = e.A
		default:
			return
		}
	}
}

// checkSubscript checks a subscript, where it is not clear that it is right.
func (f *Lvalues) checkSubscript(a, i Value, x *parse.Expr) {
	if a.array == nil || a.array.free || f.Code.static {
		return
	}
	row := a.Elem.Kind == types.Array
	pastEnd := f.Types.addressed[x] || row && !f.Types.subscripted[x] // may be one past the end
	if a.array.whole && (f.Types.accessed[x] || !pastEnd && !f.Types.unaccessed[x]) {
		return
	}
	length, constant := a.array.length.IsConst()
	if !constant {
		op := ir.Lt
		if pastEnd {
			op = ir.Le
		}
		f.Code.Check(ir.Binary(op, ir.U64, i.Expr, a.array.length), ir.OutOfBounds, "the subscript is not inside "+f.arrayName(x))
		return
	}
	most := length - 1
	if pastEnd {
		most++
	}
	if lo, hi := extent(i.Expr, i.Type); lo >= 0 && hi <= most {
		return
	}
	f.Code.Check(ir.Binary(ir.Le, ir.U64, i.Expr, ir.Int(most)), ir.OutOfBounds,
		fmt.Sprintf("the subscript is not inside %s, which has %d element(s)", f.arrayName(x), length))
}

// arrayName returns the name of the array of a subscript.
func (f *Lvalues) arrayName(x *parse.Expr) string {
	switch y := x.A.A.Bare(); {
	case y.Op == parse.Name:
		return y.Obj.Text
	case y.Op == parse.Member:
		return y.Field.Name
	case f.isSubscript(y):
		return "a row of " + f.arrayName(y)
	}
	return "the array"
}

// extent is numbers between which the value of an expression of type t lies.
func extent(e *ir.Expr, t ir.Type) (lo, hi int64) {
	if v, ok := e.IsConst(); ok {
		return v, v
	}
	lo, hi = typeExtent(t)
	switch {
	case e.Op.IsCompare() || e.Op == ir.LAnd || e.Op == ir.LOr || e.Op == ir.Not:
		return 0, 1
	case e.Op == ir.Cast:
		if l, h := typeExtent(e.Type); e.Type.Bits < 64 && l >= lo && h <= hi {
			lo, hi = l, h
		}
		if l, h := extent(e.X, ir.S64); l >= lo && h <= hi {
			return l, h
		}
	case e.Op == ir.And:
		for _, part := range []*ir.Expr{e.X, e.Y} {
			if v, ok := part.IsConst(); ok && v >= 0 {
				return 0, v
			}
		}
	case e.Op == ir.Rem:
		if v, ok := e.Y.IsConst(); ok && v > 0 {
			if l, _ := extent(e.X, e.Type); l >= 0 || !e.Type.Signed {
				return 0, v - 1
			}
			return 1 - v, v - 1
		}
	case e.Op == ir.Ite:
		l1, h1 := extent(e.Y, t)
		l2, h2 := extent(e.Z, t)
		return min(l1, l2), max(h1, h2)
	}
	return lo, hi
}

// typeExtent is the numbers that a type holds, as words.
func typeExtent(t ir.Type) (lo, hi int64) {
	switch {
	case t.Bits >= 64 || t.Bits == 0:
		return -1 << 63, 1<<63 - 1
	case t.Signed:
		return -1 << (t.Bits - 1), 1<<(t.Bits-1) - 1
	}
	return 0, 1<<t.Bits - 1
}
