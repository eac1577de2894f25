package translate

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Types of functions, as calls through pointers tell functions apart. Two types have the same text if
// machine code passes their arguments and results in the same way: pointers are alike, integers count by
// size. C calls other pairs undefined, and code that does them nevertheless works on the machine.

// functionType returns the text of a function's type, "" if it has no prototype.
func functionType(t *types.Type) string {
	params := t.Params
	if t.OldStyle {
		return "" // int f(): nothing is known about the parameters
	}
	var b strings.Builder
	b.WriteString(passedAs(t.Elem))
	b.WriteByte('(')
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(passedAs(p))
	}
	if t.Variadic {
		b.WriteString(",...")
	}
	b.WriteByte(')')
	return b.String()
}

// passedAs returns how a value of the type is passed to a function or returned.
func passedAs(t *types.Type) string {
	switch {
	case IsVoid(t):
		return "void"
	case t.Kind == types.Pointer, t.Kind == types.Array, t.Kind == types.Function:
		return "pointer"
	case IsStruct(t):
		return fmt.Sprintf("struct%d", t.Size())
	case t.IsInteger():
		return fmt.Sprintf("int%d", 8*t.Size())
	default:
		return fmt.Sprintf("%s%d", t.Kind, t.Size())
	}
}

// callableAs notes that pointers of type t hold the address of a function. A call can also ignore its
// result.
func (c *Symbols) callableAs(id ir.FuncID, t *types.Type) {
	s := c.ByID[id]
	if s == nil || s.Fb == nil {
		return
	}
	text := functionType(t)
	for _, one := range []string{text, withoutResult(text)} {
		if !slices.Contains(s.Fb.F.Types, one) {
			s.Fb.F.Types = append(s.Fb.F.Types, one)
		}
	}
}

// withoutResult returns the text of the type with the same parameters and no result.
func withoutResult(text string) string {
	if _, params, ok := strings.Cut(text, "("); ok {
		return "void(" + params
	}
	return text
}
