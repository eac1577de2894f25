package translate

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// packed. cc lays structs out without it. It is accepted where it changes nothing: all members stay
// where they are, and size and alignment of the struct are the same. Code for several machines has it
// on members that are aligned anyway.

// checkPacked notes the attributes packed of a struct or union that change nothing.
func (c *Symbols) checkPacked(x *cc.StructOrUnionSpecifier) {
	whole := append(packedValues(x.AttributeSpecifierList), packedValues(x.AttributeSpecifierList2)...)
	all := slices.Clone(whole)
	members := map[string]bool{}
	for l := x.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		found := packedIn(l.StructDeclaration)
		all = append(all, found...)
		for d := l.StructDeclaration.StructDeclaratorList; d != nil && len(found) > 0; d = d.StructDeclaratorList {
			if d.StructDeclarator.Declarator != nil {
				members[d.StructDeclarator.Declarator.Name()] = true
			}
		}
	}
	s, ok := x.Type().(structure)
	if len(all) == 0 || !ok || !sameWhenPacked(s, x.Type(), len(whole) > 0, members) {
		return
	}
	for _, a := range all {
		c.unpacked[a] = true
	}
}

// sameWhenPacked lays a struct or union out as gcc does, with all members packed or those with the given
// names, and compares with what cc has.
func sameWhenPacked(s structure, t cc.Type, whole bool, members map[string]bool) bool {
	_, union := t.(*cc.UnionType)
	at, size, align := int64(0), int64(0), int64(1)
	for i := range s.NumFields() {
		f := s.FieldByIndex(i)
		if f.IsBitfield() || f.Type().IsIncomplete() && !f.IsFlexibleArrayMember() {
			return false
		}
		a := max(1, int64(f.Type().Align()))
		if whole || members[f.Name()] {
			a = 1
			if n := f.Type().Attributes(); n != nil && n.Aligned() > 0 {
				a = n.Aligned()
			}
		}
		align = max(align, a)
		if at = roundUp(at, a); union {
			at = 0
		}
		if f.Offset() != at {
			return false
		}
		at += max(0, f.Type().Size())
		size = max(size, at)
	}
	if n := t.Attributes(); n != nil {
		align = max(align, n.Aligned())
	}
	return roundUp(size, align) == t.Size() && align == int64(t.Align())
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
