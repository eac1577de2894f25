package translate

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/source"
)

// Attributes. An attribute that may change layout or meaning is refused, but not on what
// the program does not use: the headers of a C library are full of them, and the
// output of a preprocessor has all of these inside.

// harmless are the attributes that change neither layout nor meaning.
var harmless = []string{
	"noreturn", "unused", "used", "always_inline", "noinline", "const", "pure", "format", "nonnull", "hot", "cold", "warn_unused_result",
	"deprecated", "malloc", "nothrow", "leaf", "visibility", "flatten", "noclone", "returns_nonnull", "fallthrough", "may_alias", "gnu_inline",
	"artificial", "returns_twice", "optimize", "aligned", "no_instrument_function", "alloc_size", "unavailable", "access", "format_arg",
	"sentinel", "alloc_align", "nonstring", "warning", "error", "tls_model", "fd_arg", "null_terminated_string_arg", "no_sanitize", "section", "weak", "nocf_check", "noipa", "no_reorder", "designated_init", "assume_aligned", "counted_by",
}

// names are the names that a declaration of file scope declares, if it declares only functions
// without bodies or only names of types.
type names struct {
	list  []string
	types bool
}

// attribute is one that is not harmless.
type attribute struct {
	name string
	at   source.Span
	of   names
}

// declaredNames returns the names that a declaration of file scope declares.
func declaredNames(x *cc.ExternalDeclaration) names {
	if x.Case != cc.ExternalDeclarationDecl || x.Declaration.InitDeclaratorList == nil {
		return names{}
	}
	var out names
	for l := x.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		d := l.InitDeclarator.Declarator
		switch {
		case d.IsTypename():
			out.types = true
		case d.Type().Kind() != cc.Function:
			return names{}
		}
		out.list = append(out.list, d.Name())
	}
	return out
}

func (c *Symbols) collectAttribute(x *cc.AttributeValue) {
	if name := strings.Trim(x.Token.SrcStr(), "_"); !slices.Contains(harmless, name) {
		c.attributes = append(c.attributes, attribute{name, c.In.Span(x), c.declares})
	}
}

// checkAttributes refuses attributes we do not know to be harmless, on functions
// that have a body, types that are mentioned, and everything else.
func (c *Symbols) checkAttributes() {
	for _, a := range c.attributes {
		used := len(a.of.list) == 0
		for _, name := range a.of.list {
			if a.of.types {
				used = used || c.typeNames[name]
			} else {
				used = used || c.hasBody(name)
			}
		}
		if used {
			c.In.Errorf(codeAttribute, a.at, "the attribute %s is not supported", a.name)
		}
	}
}

// hasBody reports whether a function of that name is defined in any file.
func (c *Symbols) hasBody(name string) bool {
	if s := c.Linked[name]; s != nil && s.Def != nil {
		return true
	}
	for _, u := range c.units {
		if s := u.static[name]; s != nil && s.Def != nil {
			return true
		}
	}
	return false
}
