package translate

import (
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/diag"
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
}

// Signatures returns the functions of a file, in the order of the text. Each has its first
// declaration.
func Signatures(f *source.File, lib *Library, opt Options) ([]Signature, *diag.List) {
	diags := &diag.List{}
	c := newCompiler([]*source.File{f}, lib, opt, diags)
	ast := c.In.Parse(f, "", "")
	if ast == nil || diags.HasErrors() {
		return nil, diags
	}
	var out []Signature
	seen := map[string]bool{}
	add := func(specs *cc.DeclarationSpecifiers, d *cc.Declarator) {
		t, ok := d.Type().(*cc.FunctionType)
		if !ok || d.IsTypename() || beginning(d).File != f.Name || seen[d.Name()] || strings.HasPrefix(d.Name(), "__") {
			return
		}
		seen[d.Name()] = true
		out = append(out, signature(specs, d, t))
	}
	for tu := ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		switch ed := tu.ExternalDeclaration; ed.Case {
		case cc.ExternalDeclarationFuncDef:
			add(ed.FunctionDefinition.DeclarationSpecifiers, ed.FunctionDefinition.Declarator)
		case cc.ExternalDeclarationDecl:
			for l := ed.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
				add(ed.Declaration.DeclarationSpecifiers, l.InitDeclarator.Declarator)
			}
		}
	}
	return out, diags
}

func signature(specs *cc.DeclarationSpecifiers, d *cc.Declarator, t *cc.FunctionType) Signature {
	s := Signature{Name: d.Name(), Pos: beginning(d), Result: strings.TrimSpace(typeWords(specs) + " " + stars(t.Result()))}
	dd := d.DirectDeclarator
	for dd != nil && dd.Case != cc.DirectDeclaratorFuncParam {
		dd = dd.DirectDeclarator
	}
	if dd == nil || dd.ParameterTypeList == nil {
		return s
	}
	for l := dd.ParameterTypeList.ParameterList; l != nil; l = l.ParameterList {
		p := l.ParameterDeclaration
		if !IsVoid(p.Type()) {
			s.Params = append(s.Params, parameter(p))
		}
	}
	return s
}

// parameter describes a parameter of a function.
func parameter(p *cc.ParameterDeclaration) Parameter {
	words := typeWords(p.DeclarationSpecifiers)
	out := Parameter{Type: words}
	if p.Declarator != nil {
		out.Name = p.Declarator.Name()
	}
	t, ok := p.Type().Decay().(*cc.PointerType)
	switch {
	case !ok && IsStruct(p.Type()):
		out.Kind = StructParam
		return out
	case !ok:
		out.Kind = NumberParam
		return out
	}
	elem := t.Elem()
	out.Type = strings.TrimSpace(words + " " + stars(elem))
	switch {
	case elem.Kind() == cc.Function:
		out.Kind = FunctionParam
	case IsVoid(elem):
		out.Kind = AnyParam
	case pointsByName(p): // the name of the type is no name of the object
		out.Kind, out.Type = OpaqueParam, words
	case elem.IsIncomplete():
		out.Kind, out.Type = OpaqueParam, words+" *"
	default:
		out.Kind, out.Shared = ObjectParam, IsStruct(elem)
		if tag := tagOf(elem); tag != "" { // one name for a type that has several
			out.Type = tag
		}
	}
	return out
}

// tagOf returns the name of a struct or union by its tag, "" if it has none.
func tagOf(t cc.Type) string {
	tag, word := "", ""
	switch x := t.(type) {
	case *cc.StructType:
		token := x.Tag()
		tag, word = token.SrcStr(), "struct "
	case *cc.UnionType:
		token := x.Tag()
		tag, word = token.SrcStr(), "union "
	}
	if tag == "" {
		return ""
	}
	return word + tag
}

// pointsByName reports whether a parameter is a pointer because its type's name says so.
func pointsByName(p *cc.ParameterDeclaration) bool {
	d := p.Declarator
	switch {
	case d != nil && d.Pointer != nil, p.AbstractDeclarator != nil && p.AbstractDeclarator.Pointer != nil:
		return false
	case d != nil:
		return d.DirectDeclarator.Case == cc.DirectDeclaratorIdent
	default:
		return p.AbstractDeclarator == nil
	}
}

// stars returns the stars of a pointer type.
func stars(t cc.Type) string {
	text := ""
	for p, ok := t.(*cc.PointerType); ok; p, ok = p.Elem().(*cc.PointerType) {
		text += "*"
	}
	return text
}

// notOfType are words of a declaration that are no part of the type of an object.
var notOfType = map[string]bool{
	"const": true, "volatile": true, "restrict": true, "__restrict": true, "__restrict__": true, "register": true, "static": true,
	"extern": true, "inline": true, "__inline": true, "__inline__": true, "_Noreturn": true, "__extension__": true, "__const": true, "__volatile__": true,
}

// typeWords returns the words of a type. A struct that is defined on the spot is named by its tag.
func typeWords(specs *cc.DeclarationSpecifiers) string {
	var out []string
	for s := specs; s != nil; s = s.DeclarationSpecifiers {
		if s.Case != cc.DeclarationSpecifiersTypeSpec {
			continue
		}
		for _, w := range strings.Fields(cc.NodeSource(s.TypeSpecifier)) {
			if w == "{" || strings.HasPrefix(w, "{") {
				break
			}
			if !notOfType[w] {
				out = append(out, w)
			}
		}
	}
	return strings.Join(out, " ")
}
