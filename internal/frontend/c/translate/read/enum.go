package read

import (
	"bytes"
	"reflect"

	"modernc.org/cc/v4"

	"fencepost/internal/lazyregexp"
)

// Enums of the flag -fshort-enums, and packed ones. Each has the smallest type that holds its
// values, as in gcc. cc has enums whose type is written down, enum e : unsigned char { ... }, so a file
// is read twice: the values are known after the first time, and the second time each
// enum gets its type.

// Attributes between the word enum and the tag or brace, which cc does not read, become blanks; reader.packed
// has the enums among them that are packed. A definition of a macro is left alone.

// enumAt is the position of the word enum of a packed enum.
type enumAt struct {
	file      string
	line, col int
}

var (
	enumAttribute = lazyregexp.New(`\benum\s+__attribute(?:__)?\s*\(\(`)
	attributeWord = lazyregexp.New(`^\s*__attribute(?:__)?\s*\(\(`)
	enumBody      = lazyregexp.New(`^\s*\w*\s*\{`)
	packedWord    = lazyregexp.New(`\b(?:packed|__packed__)\b`)
)

// enumAttributes returns a text without the attributes between the word enum and a body.
func (r *reader) enumAttributes(name string, text []byte) []byte {
	found := enumAttribute.FindAllIndex(text, -1)
	if found == nil {
		return text
	}
	out := bytes.Clone(text)
	for _, m := range found {
		line := bytes.LastIndexByte(text[:m[0]], '\n') + 1
		if bytes.HasPrefix(bytes.TrimSpace(text[line:m[0]]), []byte("#")) || bytes.HasSuffix(text[:max(0, line-1)], []byte("\\")) {
			continue
		}
		begin := m[0] + len("enum")
		end := begin
		for a := attributeWord.FindIndex(text[end:]); a != nil; a = attributeWord.FindIndex(text[end:]) {
			n := closing(text[end+a[1]-2:])
			if n == 0 {
				break
			}
			end += a[1] - 2 + n
		}
		if !enumBody.Match(text[end:]) {
			continue
		}
		if packedWord.Match(text[begin:end]) {
			r.packed[enumAt{name, 1 + bytes.Count(text[:m[0]], []byte("\n")), 1 + m[0] - line}] = true
		}
		for i := begin; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return out
}

// shortEnums returns a function that reports whether an enum is short because of a flag or of an attribute before
// its tag, nil if there is no such enum. All files must have been read.
func (r *reader) shortEnums(flag bool) func(*cc.EnumSpecifier) bool {
	if !flag && len(r.packed) == 0 {
		return nil
	}
	return func(n *cc.EnumSpecifier) bool {
		p := n.Token.Position()
		return flag || r.packed[enumAt{p.Filename, p.Line, p.Column}]
	}
}

// eachEnum visits the definitions of enums in a tree, in a fixed order.
func eachEnum(node reflect.Value, visit func(*cc.EnumSpecifier)) {
	if n, ok := node.Interface().(*cc.EnumSpecifier); ok && n.Case == cc.EnumSpecifierDef {
		visit(n)
	}
	for _, i := range fields(node.Elem().Type()) {
		child := node.Elem().Field(i)
		if child.Kind() == reflect.Interface {
			child = child.Elem()
		}
		if child.Kind() == reflect.Pointer && !child.IsNil() && child.Elem().Kind() == reflect.Struct {
			eachEnum(child, visit)
		}
	}
}

// shortest returns the smallest type for the values of an enum, as it is written in C.
func shortest(t *cc.EnumType) string {
	lo, hi := t.Min(), t.Max()
	for _, size := range []struct {
		bits int
		name string
	}{{8, "char"}, {16, "short"}, {32, "int"}} {
		if lo >= 0 && hi < 1<<size.bits {
			return "unsigned " + size.name
		}
		if lo >= -1<<(size.bits-1) && hi < 1<<(size.bits-1) {
			return "signed " + size.name
		}
	}
	return "" // as without the flag
}

// enumTypes returns the types of the enums of a checked tree; only short ones have one. It
// returns nil if no enum gets another type.
func enumTypes(ast *cc.AST, isShort func(*cc.EnumSpecifier) bool) []string {
	some := false
	var out []string
	eachEnum(reflect.ValueOf(ast.TranslationUnit), func(n *cc.EnumSpecifier) {
		name := ""
		if t, ok := n.Type().(*cc.EnumType); ok && n.EnumTypeSpecifier == nil && isShort(n) {
			name = shortest(t)
		}
		some = some || name != ""
		out = append(out, name)
	})
	if !some {
		return nil
	}
	return out
}

// giveTypes gives the enums of a tree that is not checked yet their types.
func giveTypes(ast *cc.AST, types []string) {
	if len(types) == 0 {
		return
	}
	templates := map[string]*cc.EnumTypeSpecifier{}
	eachEnum(reflect.ValueOf(ast.TranslationUnit), func(n *cc.EnumSpecifier) {
		if len(types) == 0 {
			return
		}
		name := types[0]
		types = types[1:]
		if name == "" {
			return
		}
		if templates[name] == nil {
			templates[name] = enumTemplate(name)
		}
		n.EnumTypeSpecifier = templates[name]
	})
}

// enumTemplate is the type in an enum definition that cc's parser read.
func enumTemplate(name string) *cc.EnumTypeSpecifier {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	ast, err := cc.Parse(&cc.Config{ABI: abi}, []cc.Source{{Name: "<predefined>", Value: "int __predefined_declarator;"}, {Name: "<enum>", Value: "enum e : " + name + " { a };\n"}})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var out *cc.EnumTypeSpecifier
	eachEnum(reflect.ValueOf(ast.TranslationUnit), func(n *cc.EnumSpecifier) { out = n.EnumTypeSpecifier })
	if out == nil {
		panic("BUG: no type in the enum")
	}
	return out
}
