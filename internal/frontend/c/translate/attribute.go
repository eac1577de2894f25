package translate

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/source"
)

// Attributes. A function that mentions a type, an object or a local with an attribute that changes layout
// or meaning is not supported. In strict mode and in tests the attribute is an error, but not on what the
// program does not use: the headers of a C library are full of attributes, and the output of a
// preprocessor has all of these inside.

// changing are the attributes of gcc that change layout or meaning and have no translation. packed,
// aligned, transparent_union, weak and cleanup have one, and so have most forms of alias, constructor and
// destructor. gcc ignores attributes that it does not know.
var changing = []string{
	"mode", "vector_size", "scalar_storage_order", "ms_struct", "hardbool", "ifunc", "naked", "interrupt", "weakref", "alias", "constructor",
	"destructor",
}

// declaration is a declaration of file scope, for the question whether main reaches it.
type declaration struct {
	names     []string // that it declares: functions, objects, types, and tags of structs
	uses      []string // that it mentions
	prototype bool     // it declares only functions without bodies
	function  bool     // it declares only functions
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
		out.names, out.function = []string{x.FunctionDefinition.Declarator.Name()}, true
	case x.Case == cc.ExternalDeclarationDecl:
		out.prototype = x.Declaration.InitDeclaratorList != nil
		for l := x.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			d := l.InitDeclarator.Declarator
			out.names = append(out.names, d.Name())
			out.prototype = out.prototype && !d.IsTypename() && d.Type().Kind() == cc.Function
		}
		out.function = out.prototype
	}
	return out
}

// attributeName is the name of an attribute without underscores around it.
func attributeName(x *cc.AttributeValue) string { return strings.Trim(x.Token.SrcStr(), "_") }

func (c *Symbols) collectAttribute(x *cc.AttributeValue) {
	name := attributeName(x)
	c.transparent = c.transparent || name == "transparent_union"
	if c.collectLinkage(name, x) || c.collectCleanup(name) {
		return
	}
	if slices.Contains(changing, name) {
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

// checkAttributes finds what is refused because of its attributes.
func (c *Symbols) checkAttributes() {
	if len(c.attributes) == 0 {
		return
	}
	c.collectStartAndEnd()
	c.refusedNames, c.refusedFunctions = map[string]*read.Refusal{}, map[string]*read.Refusal{}
	strict := c.Opt.Strict || c.test != nil
	reached := map[string]bool{}
	if strict {
		reached = c.reachedNames()
	}
	for _, a := range c.attributes {
		if c.startOrEnd[a.value] {
			continue
		}
		early := a.name == "constructor" || a.name == "destructor" // no mention is needed
		used := a.of == nil || len(a.of.names) == 0
		r := c.In.NotSupported(codeAttribute, a.at, "the attribute %s is not supported", a.name)
		if a.of != nil {
			for _, name := range a.of.names {
				used = used || (reached[name] || early && strict) && (!a.of.prototype || c.hasBody(name))
				c.refuseName(name, a.of, &r)
			}
		}
		if used {
			c.In.Report(&r)
		} else if early {
			c.refusedFunctions["main"] = &r
		}
	}
	c.spreadRefusals()
}

// refuseName refuses a name of a declaration.
func (c *Symbols) refuseName(name string, d *declaration, r *read.Refusal) bool {
	table := c.refusedNames
	if d.function {
		table = c.refusedFunctions
	}
	if table[name] != nil {
		return false
	}
	table[name] = r
	return true
}

// spreadRefusals refuses the types and objects that are made of refused ones.
func (c *Symbols) spreadRefusals() {
	for again := len(c.refusedNames) > 0; again; {
		again = false
		for _, d := range c.declarations {
			if d.function {
				continue
			}
			for _, use := range d.uses {
				if r := c.refusedNames[use]; r != nil {
					for _, name := range d.names {
						again = c.refuseName(name, d, r) || again
					}
				}
			}
		}
	}
}

// refusal returns why a function is not supported as a whole, nil if it is.
func (c *Symbols) refusal(s *symbol) *read.Refusal {
	if r := c.In.PragmaIn(s.Def); r != nil {
		return r
	}
	if len(c.attributes) == 0 || c.test != nil || s.Unit.ofLibrary() {
		return nil
	}
	if r := c.refusedFunctions[s.Name]; r != nil {
		return r
	}
	if len(c.refusedNames) == 0 {
		return nil
	}
	for _, d := range c.declarations {
		if !d.function || !slices.Contains(d.names, s.Name) {
			continue
		}
		for _, use := range d.uses {
			if r := c.refusedNames[use]; r != nil {
				return r
			}
		}
	}
	return nil
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
		if s := u.static[name]; s != nil && s.Def != nil && !u.ofLibrary() {
			return true
		}
	}
	return false
}
