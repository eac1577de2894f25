package translate

import (
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// What the parts of objects are called, for people who read answers.

// layoutOf describes a type; nil where it has nothing to tell.
func (c *Layouts) layoutOf(t *types.Type) *ir.Layout {
	if it, ok := ScalarType(t); ok {
		if t.Kind == types.Pointer {
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
	switch t.Kind {
	case types.Array:
		if elem := c.layoutOf(t.Elem); elem != nil && t.Len >= 0 {
			return &ir.Layout{Kind: ir.ArrayLayout, Count: t.Len, Elem: elem}
		}
	case types.Struct, types.Union:
		return c.recordOf(t)
	}
	return nil
}

// typeName returns the tag of a struct or union, or else the name that a typedef gives it.
func typeName(t *types.Type) string {
	if t.Record.Tag == "" {
		return t.Typedef
	}
	return t.Record.Tag
}

func (c *Layouts) recordOf(t *types.Type) *ir.Layout {
	l := &ir.Layout{Kind: ir.RecordLayout, Name: typeName(t), Bytes: t.Size()}
	for i := range t.Record.Fields {
		f := &t.Record.Fields[i]
		if strings.HasPrefix(f.Name, "__fp_") { // one of our own: a mutex, a condition, a flag
			return &ir.Layout{Kind: ir.OpaqueLayout, Bytes: t.Size()}
		}
		if f.IsBitField() || isFlexible(f) {
			continue
		}
		part := c.layoutOf(f.Type)
		if part != nil && f.Offset >= 0 && f.Offset+part.Size() <= l.Bytes {
			l.Fields = append(l.Fields, ir.Field{Name: f.Name, Off: f.Offset, Layout: part})
		}
	}
	return l
}

// Allocated describes the elements of a block by the sizeof in the expression that
// says how large it is: malloc(n * sizeof(struct node)).
func (c *Layouts) Allocated(size *parse.Expr) *ir.Layout {
	var l *ir.Layout
	visit := parse.Visitor{Expr: func(e *parse.Expr) bool {
		if e.Of != nil && l == nil && (e.Op == parse.Constant || e.Op == parse.SizeOf) {
			l = c.layoutOf(e.Of)
		}
		return l == nil
	}}
	visit.Exprs(size)
	return l
}
