package translate

import (
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// What the parts of objects are called, for people who read answers.

// layoutOf describes a type; nil where it has nothing to tell.
func (c *Layouts) layoutOf(t cc.Type) *ir.Layout {
	if it, ok := ScalarType(t); ok {
		if t.Kind() == cc.Ptr {
			return &ir.Layout{Kind: ir.PointerLayout}
		}
		return &ir.Layout{Kind: ir.ScalarLayout, Type: it}
	}
	if isWide(t) {
		return &ir.Layout{Kind: ir.ArrayLayout, Count: 2, Elem: &ir.Layout{Kind: ir.ScalarLayout, Type: ir.U64}}
	}
	if t.IsIncomplete() || t.Size() < 0 || t.Size() > maxObject {
		return nil
	}
	switch x := t.(type) {
	case *cc.ArrayType:
		if elem := c.layoutOf(x.Elem()); elem != nil && x.Len() >= 0 {
			return &ir.Layout{Kind: ir.ArrayLayout, Count: x.Len(), Elem: elem}
		}
	case *cc.StructType:
		return c.recordOf(t, x.NumFields(), x.FieldByIndex)
	case *cc.UnionType:
		return c.recordOf(t, x.NumFields(), x.FieldByIndex)
	}
	return nil
}

// typeName returns the tag of a struct or union, or else the name that a typedef gives it.
func typeName(t cc.Type) string {
	var tag cc.Token
	switch x := t.(type) {
	case *cc.StructType:
		tag = x.Tag()
	case *cc.UnionType:
		tag = x.Tag()
	}
	if d := t.Typedef(); tag.SrcStr() == "" && d != nil {
		return d.Name()
	}
	return tag.SrcStr()
}

func (c *Layouts) recordOf(t cc.Type, n int, field func(int) *cc.Field) *ir.Layout {
	l := &ir.Layout{Kind: ir.RecordLayout, Name: typeName(t), Bytes: t.Size()}
	for i := range n {
		f := field(i)
		if strings.HasPrefix(f.Name(), "__fp_") { // one of our own: a mutex, a condition, a flag
			return &ir.Layout{Kind: ir.OpaqueLayout, Bytes: t.Size()}
		}
		if f.IsBitfield() || f.IsFlexibleArrayMember() {
			continue
		}
		part := c.layoutOf(f.Type())
		if part != nil && f.Offset() >= 0 && f.Offset()+part.Size() <= l.Bytes {
			l.Fields = append(l.Fields, ir.Field{Name: f.Name(), Off: f.Offset(), Layout: part})
		}
	}
	return l
}

// Allocated describes the elements of a block by the sizeof in the expression that
// says how large it is: malloc(n * sizeof(struct node)).
func (c *Layouts) Allocated(size cc.ExpressionNode) *ir.Layout {
	var l *ir.Layout
	inspect(size, func(n cc.Node) bool {
		x, ok := n.(*cc.UnaryExpression)
		if !ok || l != nil {
			return l == nil
		}
		switch x.Case {
		case cc.UnaryExpressionSizeofExpr:
			if t := x.UnaryExpression.Type(); t != nil {
				l = c.layoutOf(t.Undecay())
			}
		case cc.UnaryExpressionSizeofType:
			l = c.layoutOf(x.TypeName.Type())
		}
		return l == nil
	})
	return l
}
