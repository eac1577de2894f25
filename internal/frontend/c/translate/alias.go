package translate

import (
	"fencepost/internal/lang/c/parse"
)

// Second names and weak definitions. A name with the attribute alias is another name of a function or
// an object of the same file. A definition with the attribute weak, an alias among them, gives way to a
// definition of another file.

// isWeak reports whether an object is declared weak, and notes its name.
func (c *Symbols) isWeak(o *parse.Object) bool {
	if _, weak := parse.Find(o.Attrs, "weak"); !weak {
		return false
	}
	c.Names.weakNames[o.Text] = true
	return true
}

// enterAliases gives the second names of a file to what they name.
func (c *Symbols) enterAliases(u *unit) {
	for _, o := range u.In.Tree.Objects {
		if a, ok := parse.Find(o.Attrs, "alias"); ok && !u.ofLibrary() {
			c.enterAlias(u, o, a)
		}
	}
}

func (c *Symbols) enterAlias(u *unit, o *parse.Object, a parse.Attribute) {
	name, other := o.Text, u.argument(a)
	target := u.static[other]
	if target == nil {
		target = c.Names.Linked[other]
	}
	if target == nil || target.Unit != u || target.Def == nil && !target.Defined {
		c.In.Errorf(codeLink, u.In.Span(a), "%s is another name of %s, which this file does not define", name, other)
		return
	}
	if u.static[name] != nil {
		u.static[name] = target
		return
	}
	old, weak := c.Names.Linked[name], c.isWeak(o)
	if old != nil && (old.Def != nil || old.Defined) && !c.Names.weak[old] {
		if !weak {
			c.twice(old, u, target.Decl)
		}
		return
	}
	if !weak {
		c.Names.Linked[name] = target
		return
	}
	named := *target // a definition elsewhere replaces the name only
	named.Name, named.alias = name, target
	c.Names.Linked[name] = &named
	c.Names.weak[&named] = true
}

// undefinedWeak reports whether a function is declared weak and no file defines it, nor is it one of the
// library: then its address is a null pointer.
func (c *Symbols) undefinedWeak(name string) bool {
	_, modelled := c.library.Functions[name]
	return c.Names.weakNames[name] && !modelled && refused[name] == ""
}

// givesWay reports whether a definition of a name with external linkage is dropped, since the one that is
// there is stronger. A weak one that is there makes room.
func (c *Symbols) givesWay(u *unit, o *parse.Object, weak bool) bool {
	name := o.Text
	old := c.linkedIn(u)[name]
	if old == nil || old.Def == nil && !old.Defined || old.home == u || old.Unit == u || u.static[name] != nil || linkage(o) == internalLinkage {
		return false
	}
	switch {
	case weak:
		return true
	case c.Names.weak[old]:
		delete(c.Names.Linked, name)
	}
	return false
}
