package translate

import (
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/source"
)

// Signatures: which functions does a file offer, and what do they take? A file is only parsed; its
// functions need not be what the translation takes, and there need be no main.

// Signature is a function that a file declares or defines.
type Signature struct {
	Name   string
	Result string // its type as text, without qualifiers and storage classes
	Params []Parameter
	Pos    source.Pos
	// ThreadState says that what the function does can depend on the thread that calls it: it uses variables
	// of which every thread has its own, or asks which thread it is in.
	ThreadState bool
}

// ParameterKind tells parameters apart by what an argument can be.
type ParameterKind uint8

// The kinds. The zero value is unset.
const (
	_             ParameterKind = iota
	NumberParam                 // an integer, enumeration or floating-point number
	ObjectParam                 // a pointer to an object of a complete type
	OpaqueParam                 // a pointer that only functions of the library make; Type has its star
	AnyParam                    // a pointer to void
	FunctionParam               // a pointer to a function
	StructParam                 // a struct or union
)

// Parameter is a parameter of a function.
type Parameter struct {
	Name string // "" if it has none
	Kind ParameterKind
	// Type is the type as text: of the object for pointers, of the value otherwise. Stars are part
	// of it.
	Type string
	// Shared says that the object is a struct or union, which functions usually share.
	Shared bool
	// Flexible says that it ends with an array without a length.
	Flexible bool
	// Const says that the function does not write the object.
	Const bool
	// Members are the names of the integers in a struct that has nothing else, and at most 8 of them.
	Members []string
}

// Signatures returns the functions of a file, in the order of the text. Each has its first
// declaration.
func Signatures(f *source.File, lib *Library, opt Options) ([]Signature, *diag.List) {
	diags := &diag.List{}
	c := newCompiler([]*source.File{f}, lib, opt, diags)
	in := c.In.Parse(f, "", "")
	if in == nil || diags.HasErrors() {
		return nil, diags
	}
	var out []Signature
	for _, o := range in.Tree.Objects {
		if o.Kind == parse.Function && in.Start(o).File == f.Name && !strings.HasPrefix(o.Text, "__") {
			s := signature(in, o)
			s.ThreadState = hasThreadState(in, o, map[*parse.Object]bool{})
			out = append(out, s)
		}
	}
	return out, diags
}

// asksThread has functions of the library whose results differ from thread to thread.
var asksThread = map[string]bool{"pthread_self": true, "thrd_current": true, "gettid": true, "pthread_getspecific": true, "tss_get": true}

// hasThreadState reports whether a function, or one that it names, depends on the thread that calls it. A function without a
// body in this file does not count.
func hasThreadState(in *read.Unit, f *parse.Object, seen map[*parse.Object]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	found := false
	visit := parse.Visitor{
		Expr: func(e *parse.Expr) bool {
			if o := e.Obj; o != nil && !found {
				found = o.Kind == parse.Variable && o.Thread ||
					o.Kind == parse.Function && (asksThread[o.Text] || hasThreadState(in, o, seen))
			}
			return !found
		},
		Object: func(o *parse.Object) { found = found || o.Thread },
	}
	visit.Stmts(in.Tree.Body(f))
	return found
}

func signature(in *read.Unit, o *parse.Object) Signature {
	s := Signature{Name: o.Text, Pos: in.Start(o), Result: resultText(o.Type.Elem)}
	for i, t := range o.Type.Params {
		name := ""
		if i < len(o.Names) {
			name = o.Names[i]
		}
		s.Params = append(s.Params, parameter(name, t))
	}
	return s
}

// parameter describes a parameter of a function.
func parameter(name string, t *types.Type) Parameter {
	out := Parameter{Name: name, Type: typeText(t)}
	switch {
	case IsStruct(t):
		out.Kind = StructParam
		return out
	case t.Kind != types.Pointer:
		out.Kind = NumberParam
		return out
	}
	elem := t.Elem
	pointer := out.Type
	out.Type = typeText(elem)
	switch {
	case elem.Kind == types.Function:
		out.Kind, out.Type = FunctionParam, typeText(elem.Elem)
		switch {
		case t.Typedef != "":
			out.Type = t.Typedef
		case elem.Typedef != "":
			out.Type = elem.Typedef
		}
	case IsVoid(elem):
		out.Kind = AnyParam
	case t.Typedef != "": // the name of the type is no name of the object
		out.Kind, out.Type = OpaqueParam, pointer
	case elem.IsIncomplete():
		out.Kind, out.Type = OpaqueParam, out.Type+" *"
	default:
		out.Kind, out.Shared = ObjectParam, IsStruct(elem)
		if IsStruct(elem) {
			out.Type, out.Flexible = structText(elem), elem.Record.Flexible
			if elem.Kind == types.Struct {
				out.Members = integers(elem, "")
			}
		}
		out.Const = elem.Qual&types.Const != 0
	}
	return out
}

// maxMembers bounds the members of a struct that are listed.
const maxMembers = 8

// integers lists the members of a struct with a prefix to their names: nil if they are not all integers, or too many.
func integers(t *types.Type, prefix string) []string {
	var out []string
	for i := range t.Record.Fields {
		f := &t.Record.Fields[i]
		switch {
		case f.Name == "":
			return nil
		case f.Type.Kind == types.Struct:
			inner := integers(f.Type, prefix+f.Name+".")
			if inner == nil {
				return nil
			}
			out = append(out, inner...)
		case f.Type.IsInteger() && f.Type.Qual&types.Atomic == 0:
			out = append(out, prefix+f.Name)
		default:
			return nil
		}
	}
	if len(out) > maxMembers {
		return nil
	}
	return out
}

// resultText returns the type of a result as text. A pointer to a struct has the name that parameters have for it.
func resultText(t *types.Type) string {
	if t.Kind == types.Pointer && t.Typedef == "" && IsStruct(t.Elem) && !t.Elem.IsIncomplete() {
		return structText(t.Elem) + " *"
	}
	return typeText(t)
}

// structText returns one name for a struct or union, which can have several.
func structText(t *types.Type) string {
	if t.Record.Tag != "" {
		return t.Kind.String() + " " + t.Record.Tag
	}
	return typeText(t)
}

// typeText returns a type as text, without qualifiers. Stars stand after a blank.
func typeText(t *types.Type) string {
	stars := ""
	for t.Kind == types.Pointer && t.Typedef == "" {
		t, stars = t.Elem, stars+"*"
	}
	if t.Typedef != "" {
		return strings.TrimSpace(t.Typedef + " " + stars)
	}
	return strings.TrimSpace(t.Unqualified().String() + " " + stars)
}
