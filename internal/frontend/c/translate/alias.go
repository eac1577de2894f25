package translate

import (
	"strings"

	"modernc.org/cc/v4"
)

// Second names and weak definitions. A name with the attribute alias is another name of a function or
// an object of the same file. A definition with the attribute weak, an alias among them, gives way to a
// definition of another file.

// alias is a declaration with the attribute alias.
type alias struct {
	name, target string
	at           *cc.AttributeValue
}

// linkage has the attributes about names of the file that is being read.
type linkage struct {
	aliases []alias
	weak    map[string]bool
}

// collectLinkage notes alias and weak, and reports whether the attribute is one of them.
func (c *Symbols) collectLinkage(name string, x *cc.AttributeValue) bool {
	if c.declares == nil || name != "alias" && name != "weak" {
		return false
	}
	if name == "weak" {
		if c.linkage.weak == nil {
			c.linkage.weak = map[string]bool{}
		}
		for _, n := range c.declares.names {
			c.linkage.weak[n], c.weakNames[n] = true, true
		}
		return true
	}
	if x.ArgumentExpressionList == nil || len(c.declares.names) != 1 {
		return false
	}
	p, ok := Unparen(x.ArgumentExpressionList.AssignmentExpression).(*cc.PrimaryExpression)
	if !ok || p.Case != cc.PrimaryExpressionString {
		return false
	}
	target := strings.Trim(p.Token.SrcStr(), `"`)
	c.linkage.aliases = append(c.linkage.aliases, alias{c.declares.names[0], target, x})
	c.collectUse(target)
	return true
}

// enterAliases gives the second names of a file to what they name.
func (c *Symbols) enterAliases(u *unit) {
	for _, a := range c.linkage.aliases {
		target := u.static[a.target]
		if target == nil {
			target = c.Linked[a.target]
		}
		if target == nil || target.Unit != u || target.Def == nil && !target.Defined {
			c.In.Errorf(codeLink, c.In.Span(a.at), "%s is another name of %s, which this file does not define", a.name, a.target)
			continue
		}
		if u.static[a.name] != nil {
			u.static[a.name] = target
			continue
		}
		old, weak := c.Linked[a.name], c.linkage.weak[a.name]
		if old != nil && (old.Def != nil || old.Defined) && !c.weak[old] {
			if !weak {
				c.twice(old, target.Decl)
			}
			continue
		}
		named := *target // a definition elsewhere replaces the name only
		if !weak {
			c.Linked[a.name] = target
			continue
		}
		named.Name, named.alias = a.name, target
		c.Linked[a.name] = &named
		c.weak[&named] = true
	}
	c.linkage = linkage{}
}

// undefinedWeak reports whether a function is declared weak and no file defines it, nor is it one of the
// library: then its address is a null pointer.
func (c *Symbols) undefinedWeak(name string) bool {
	_, modelled := c.library.Functions[name]
	return c.weakNames[name] && !modelled && refused[name] == ""
}

// givesWay reports whether a definition of a name with external linkage is dropped, since the one that is
// there is stronger. A weak one that is there makes room.
func (c *Symbols) givesWay(u *unit, d *cc.Declarator) bool {
	name := d.Name()
	old := c.linkedIn(u)[name]
	if old == nil || old.Def == nil && !old.Defined || old.home == u || old.Unit == u || u.static[name] != nil || d.Linkage() == cc.Internal {
		return false
	}
	switch {
	case c.linkage.weak[name]:
		return true
	case c.weak[old]:
		delete(c.Linked, name)
	}
	return false
}
