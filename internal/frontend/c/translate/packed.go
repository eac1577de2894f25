package translate

import (
	"strings"

	"modernc.org/cc/v4"
)

// packed. cc lays structs out without it. It is accepted where it changes nothing: all members stay
// where they are, and the size of the struct is the same. Code for several machines has it on members
// that are aligned anyway. A struct may get a smaller alignment if every struct that it is a member of
// stays as it is, too; objects are aligned to 16 bytes in any case.

// packing is the definition of a struct or union, with its attributes packed.
type packing struct {
	t       cc.Type
	s       structure
	whole   bool            // the struct itself is packed
	members map[string]bool // these are
	values  []*cc.AttributeValue
	align   int64 // as gcc has it
	differs bool
}

// collectPacked notes a definition.
func (c *Symbols) collectPacked(x *cc.StructOrUnionSpecifier) {
	s, ok := x.Type().(structure)
	if x.Case != cc.StructOrUnionSpecifierDef || !ok || s.NumFields() == 0 {
		return
	}
	p := &packing{t: x.Type(), s: s, members: map[string]bool{}}
	p.values = append(packedValues(x.AttributeSpecifierList), packedValues(x.AttributeSpecifierList2)...)
	p.whole = len(p.values) > 0
	for l := x.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		found := packedIn(l.StructDeclaration)
		p.values = append(p.values, found...)
		for d := l.StructDeclaration.StructDeclaratorList; d != nil && len(found) > 0; d = d.StructDeclaratorList {
			if d.StructDeclarator.Declarator != nil {
				p.members[d.StructDeclarator.Declarator.Name()] = true
			}
		}
	}
	p.align = int64(p.t.Align())
	c.packings = append(c.packings, p)
	c.packedAny = c.packedAny || len(p.values) > 0
}

// harmlessPacked returns the attributes packed that change no layout.
func (c *Symbols) harmlessPacked() map[*cc.AttributeValue]bool {
	out := map[*cc.AttributeValue]bool{}
	if !c.packedAny {
		return out
	}
	by := map[*cc.Field]*packing{}
	for _, p := range c.packings {
		by[p.s.FieldByIndex(0)] = p
	}
	for changed := true; changed; {
		changed = false
		for _, p := range c.packings {
			if !p.differs && p.layOut(by) {
				changed = true
			}
		}
	}
	for _, p := range c.packings {
		for _, v := range p.values {
			if !p.differs {
				out[v] = true
			}
		}
	}
	for _, p := range c.packings {
		c.reduced = c.reduced || p.align < int64(p.t.Align())
	}
	return out
}

// layOut lays a struct or union out as gcc does. It reports whether that says something new: another
// alignment, or that the layout differs from cc's. A struct whose layout differs because of a member's
// alignment makes that member differ.
func (p *packing) layOut(by map[*cc.Field]*packing) bool {
	_, union := p.t.(*cc.UnionType)
	at, size, align, natural := int64(0), int64(0), int64(1), int64(1)
	same := true
	var inside []*packing
	for i := range p.s.NumFields() {
		f := p.s.FieldByIndex(i)
		a := max(1, int64(f.Type().Align()))
		natural = max(natural, a)
		if inner := by[firstField(f.Type())]; inner != nil && inner.align < a {
			a, inside = inner.align, append(inside, inner)
		}
		if p.whole || p.members[f.Name()] {
			a = 1
			if n := f.Type().Attributes(); n != nil && n.Aligned() > 0 {
				a = n.Aligned()
			}
		}
		align = max(align, a)
		if at = roundUp(at, a); union {
			at = 0
		}
		// A bit-field is laid out with its neighbours: nothing may change.
		same = same && (f.IsBitfield() && !p.whole && len(p.members)+len(inside) == 0 || !f.IsBitfield() && f.Offset() == at)
		at = f.Offset() + max(0, f.Type().Size())
		size = max(size, at)
	}
	if n := int64(p.t.Align()); n > natural { // it has an alignment of its own
		align = max(align, n)
	}
	if len(p.values) == 0 && len(inside) == 0 {
		return false
	}
	if same && roundUp(size, align) == p.t.Size() {
		changed := align != p.align
		p.align = align
		return changed
	}
	for _, inner := range inside {
		inner.differs = true
	}
	p.differs = true
	return true
}

// firstField identifies the struct or union that a type is, or is an array of; nil for other types.
func firstField(t cc.Type) *cc.Field {
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	if s, ok := t.(structure); ok && s.NumFields() > 0 {
		return s.FieldByIndex(0)
	}
	return nil
}

// packedIn finds the attributes packed of a member, without those of a struct that is its type.
func packedIn(d *cc.StructDeclaration) []*cc.AttributeValue {
	var out []*cc.AttributeValue
	inspect(d, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.StructOrUnionSpecifier:
			return false
		case *cc.AttributeSpecifierList:
			out = append(out, packedValues(x)...)
			return false
		}
		return true
	})
	return out
}

func packedValues(l *cc.AttributeSpecifierList) []*cc.AttributeValue {
	var out []*cc.AttributeValue
	for ; l != nil; l = l.AttributeSpecifierList {
		for v := l.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			if v.AttributeValue != nil && strings.Trim(v.AttributeValue.Token.SrcStr(), "_") == "packed" {
				out = append(out, v.AttributeValue)
			}
		}
	}
	return out
}
