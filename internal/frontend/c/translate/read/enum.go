package read

import (
	"reflect"

	"modernc.org/cc/v4"
)

// Enums of the flag -fshort-enums, and packed ones. Each has the smallest type that holds its
// values, as in gcc. cc has enums whose type is written down, enum e : unsigned char { ... }, so a file
// is read twice: the values are known after the first time, and the second time each
// enum gets its type.

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
