package irtext

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// The text form of layouts. parser.layoutOf reads it:
//
//	u32   ptr   array 4 u8   record node 16 { next 0 ptr, v 8 s32 }   opaque 16
//
// The name of a record may be missing.
const (
	layoutWord  = "layout"
	pointerWord = "ptr"
	arrayWord   = "array"
	recordWord  = "record"
	opaqueWord  = "opaque"
)

// formatLayout returns the text form of a layout.
func formatLayout(l *ir.Layout) string {
	if l == nil {
		return "<nil>"
	}
	switch l.Kind {
	case ir.ScalarLayout:
		return l.Type.String()
	case ir.PointerLayout:
		return pointerWord
	case ir.ArrayLayout:
		return fmt.Sprintf("%s %d %s", arrayWord, l.Count, formatLayout(l.Elem))
	case ir.OpaqueLayout:
		return fmt.Sprintf("%s %d", opaqueWord, l.Bytes)
	case ir.RecordLayout:
		var fields []string
		for _, f := range l.Fields {
			fields = append(fields, fmt.Sprintf("%s %d %s", quoteName(f.Name), f.Off, formatLayout(f.Layout)))
		}
		head := recordWord
		if l.Name != "" {
			head += " " + quoteName(l.Name)
		}
		return fmt.Sprintf("%s %d { %s }", head, l.Bytes, strings.Join(fields, ", "))
	default:
		return fmt.Sprintf("layout(%d)", l.Kind)
	}
}

// layoutOf reads a layout.
func (ps *parser) layoutOf() *ir.Layout {
	ps.nesting++
	defer func() { ps.nesting-- }()
	if ps.nesting > maxNesting {
		ps.fail(codeSyntax, "the layout is nested too deeply")
		return &ir.Layout{Kind: ir.OpaqueLayout}
	}
	switch {
	case ps.word(pointerWord):
		return &ir.Layout{Kind: ir.PointerLayout}
	case ps.word(opaqueWord):
		return &ir.Layout{Kind: ir.OpaqueLayout, Bytes: ps.integer()}
	case ps.word(arrayWord):
		n := ps.integer()
		return &ir.Layout{Kind: ir.ArrayLayout, Count: n, Elem: ps.layoutOf()}
	case ps.word(recordWord):
		l := &ir.Layout{Kind: ir.RecordLayout}
		if ps.tok().kind != tokNumber {
			l.Name = ps.name("the name of a record")
		}
		l.Bytes = ps.integer()
		ps.expect("{")
		for more := !ps.isPunct("}"); more && !ps.bad; more = ps.accept(",") {
			f := ir.Field{Name: ps.name("the name of a member")}
			f.Off = ps.integer()
			f.Layout = ps.layoutOf()
			l.Fields = append(l.Fields, f)
		}
		ps.expect("}")
		return l
	}
	return &ir.Layout{Kind: ir.ScalarLayout, Type: ps.typ()}
}
