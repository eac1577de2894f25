package translate

import (
	"slices"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/lang/c/parse"
)

// Attributes. A function or an object with an attribute that changes its meaning, and that has no
// translation, is not supported where the program uses it: the headers of a C library are full of
// attributes.

// changing are the attributes of gcc that change meaning and have no translation. The parser
// knows attributes that change the layout of types. alias, weak and cleanup have a translation, and so have most
// forms of constructor and destructor. gcc ignores attributes that it does not know.
var changing = []string{"hardbool", "ifunc", "naked", "interrupt", "weakref"}

// checkAttributes refuses a symbol with an attribute that has no translation.
func (s *symbol) checkAttributes() {
	if r := s.attributeRefusal(); r != nil {
		panic(*r)
	}
}

func (s *symbol) attributeRefusal() *read.Refusal {
	for _, a := range s.Decl.Attrs {
		if slices.Contains(changing, a.Name) {
			return s.Unit.refusedAttribute(a)
		}
	}
	return nil
}

func (u *unit) refusedAttribute(a parse.Attribute) *read.Refusal {
	r := u.In.NotSupported(codeAttribute, u.In.Span(a), "the attribute %s is not supported", a.Name)
	return &r
}

// checkAttributes finds the functions that run before and after main, if there is one. If one of them cannot, main
// is refused.
func (c *Symbols) checkAttributes(hasMain bool) {
	c.main.startOrEnd = map[*symbol]bool{}
	if hasMain {
		c.collectStartAndEnd()
	}
	for _, u := range c.units {
		if u.ofLibrary() {
			continue
		}
		for _, o := range u.In.Tree.Objects {
			for _, a := range o.Attrs {
				if (a.Name == "constructor" || a.Name == "destructor") && (o.Kind != parse.Function || !c.main.startOrEnd[c.Find(u, o)] && c.hasBody(o.Text)) {
					c.refuseStart(u.refusedAttribute(a))
				}
			}
		}
	}
}

// refuseStart refuses the whole program.
func (c *Symbols) refuseStart(r *read.Refusal) {
	if c.Opt.Strict {
		c.In.Report(r)
	} else {
		c.main.mainRefused = r
	}
}

// refusal returns why a function is not supported as a whole, nil if it is.
func (c *Symbols) refusal(s *symbol) *read.Refusal {
	if r := s.Unit.In.PragmaIn(s.Def); r != nil {
		return r
	}
	if s.Unit.ofLibrary() {
		return nil
	}
	if s.Name == "main" && c.main.mainRefused != nil {
		return c.main.mainRefused
	}
	return s.attributeRefusal()
}

// hasBody reports whether a function of that name is defined in any file.
func (c *Symbols) hasBody(name string) bool {
	if s := c.Names.Linked[name]; s != nil && s.Def != nil {
		return true
	}
	for _, u := range c.units {
		if s := u.static[name]; s != nil && s.Def != nil && !u.ofLibrary() {
			return true
		}
	}
	return false
}
