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
	"sentinel", "alloc_align", "nonstring", "warning", "error", "tls_model", "fd_arg", "null_terminated_string_arg", "no_sanitize", "section", "weak", "nocf_check", "noipa", "no_reorder", "designated_init", "assume_aligned", "counted_by", "transparent_union", "packed", "fp_size",
}

// declaration is a declaration of file scope, for the question whether main reaches it.
type declaration struct {
	names     []string // that it declares: functions, objects, types, and tags of structs
	uses      []string // that it mentions
	prototype bool     // it declares only functions without bodies
}

// attribute is one that is not harmless.
type attribute struct {
	name  string
	at    source.Span
	of    *declaration
	value *cc.AttributeValue
}

// tagName is the name of a struct, union or enum in a declaration's names.
func tagName(tag string) string { return "struct " + tag }

// newDeclaration returns a declaration of file scope with the names that it declares.
func newDeclaration(x *cc.ExternalDeclaration) *declaration {
	out := &declaration{}
	switch {
	case x.Case == cc.ExternalDeclarationFuncDef:
		out.names = []string{x.FunctionDefinition.Declarator.Name()}
	case x.Case == cc.ExternalDeclarationDecl:
		out.prototype = x.Declaration.InitDeclaratorList != nil
		for l := x.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			d := l.InitDeclarator.Declarator
			out.names = append(out.names, d.Name())
			out.prototype = out.prototype && !d.IsTypename() && d.Type().Kind() == cc.Function
		}
	}
	return out
}

func (c *Symbols) collectAttribute(x *cc.AttributeValue) {
	name := strings.Trim(x.Token.SrcStr(), "_")
	c.transparent = c.transparent || name == "transparent_union"
	if c.collectLinkage(name, x) {
		return
	}
	if !slices.Contains(harmless, name) {
		c.attributes = append(c.attributes, attribute{name, c.In.Span(x), c.declares, x})
	}
}

// collectTag notes a struct that the declaration being read defines or mentions.
func (c *Symbols) collectTag(x *cc.StructOrUnionSpecifier) {
	if tag := x.Token.SrcStr(); tag != "" && c.declares != nil {
		if x.Case == cc.StructOrUnionSpecifierDef {
			c.declares.names = append(c.declares.names, tagName(tag))
		} else {
			c.declares.uses = append(c.declares.uses, tagName(tag))
		}
	}
}

// collectUse notes a name that the declaration being read mentions.
func (c *Symbols) collectUse(name string) {
	if c.declares != nil {
		c.declares.uses = append(c.declares.uses, name)
	}
}

// checkAttributes refuses attributes that are not known to be harmless, on declarations
// that main reaches. A prototype counts if the function has a body.
func (c *Symbols) checkAttributes() {
	if len(c.attributes) == 0 {
		return
	}
	c.collectStartAndEnd()
	reached := c.reachedNames()
	for _, a := range c.attributes {
		if c.startOrEnd[a.value] {
			continue
		}
		used := a.of == nil || len(a.of.names) == 0
		if a.of != nil {
			for _, name := range a.of.names {
				early := a.name == "constructor" || a.name == "destructor" // no mention is needed
				used = used || (reached[name] || early) && (!a.of.prototype || c.hasBody(name))
			}
		}
		if used {
			c.In.Errorf(codeAttribute, a.at, "the attribute %s is not supported", a.name)
		}
	}
}

// reachedNames returns the names of file scope that main reaches, by mention. Without a
// main, as in tests, these are all names of functions, and what they mention.
func (c *Symbols) reachedNames() map[string]bool {
	by := map[string][]*declaration{}
	work := append([]string{"main"}, c.startAndEndNames()...)
	whole := c.Linked["main"] == nil
	for _, d := range c.declarations {
		for _, name := range d.names {
			by[name] = append(by[name], d)
			if whole && c.hasBody(name) {
				work = append(work, name)
			}
		}
	}
	reached := map[string]bool{}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[name] {
			continue
		}
		reached[name] = true
		for _, d := range by[name] {
			work = append(work, d.uses...)
			if len(d.names) > 1 {
				work = append(work, d.names...)
			}
		}
	}
	return reached
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
