package read

import (
	"reflect"

	"modernc.org/cc/v4"
)

// Members without a name. In a struct, `;`, `int;`, `enum e { A };` and `struct s { ... };` declare no member, while
// a struct or union without a tag is one whose members belong to the struct around it. cc makes a member of each.
// So they are taken out of the struct for the type checker; what they define is declared before the struct.

// dropMembers takes the declarations that declare no member out of a struct.
func (s *shaper) dropMembers(n *cc.StructOrUnionSpecifier) {
	if n.Case != cc.StructOrUnionSpecifierDef {
		return
	}
	for at := &n.StructDeclarationList; *at != nil; {
		l := *at
		d := l.StructDeclaration
		if d == nil || d.Case != cc.StructDeclarationDecl || d.StructDeclaratorList != nil || isAnonymousMember(d.SpecifierQualifierList) {
			at = &l.StructDeclarationList
			continue
		}
		*at = l.StructDeclarationList
		slot := at
		s.undo = append(s.undo, func() { l.StructDeclarationList, *slot = *slot, l })
		for q := d.SpecifierQualifierList; q != nil; q = q.SpecifierQualifierList {
			if t := q.TypeSpecifier; t != nil && (t.Case == cc.TypeSpecifierEnum || t.Case == cc.TypeSpecifierStructOrUnion) {
				s.hoisted = append(s.hoisted, &cc.ExternalDeclaration{
					Case: cc.ExternalDeclarationDecl,
					Declaration: &cc.Declaration{
						Case:                  cc.DeclarationDecl,
						DeclarationSpecifiers: &cc.DeclarationSpecifiers{Case: cc.DeclarationSpecifiersTypeSpec, TypeSpecifier: t},
					},
				})
			}
		}
	}
}

// isAnonymousMember reports whether a member without a declarator is a struct or union without a tag.
func isAnonymousMember(l *cc.SpecifierQualifierList) bool {
	for ; l != nil; l = l.SpecifierQualifierList {
		if t := l.TypeSpecifier; t != nil && t.Case == cc.TypeSpecifierStructOrUnion {
			n := t.StructOrUnionSpecifier
			return n.Case == cc.StructOrUnionSpecifierDef && n.Token.SrcStr() == ""
		}
	}
	return false
}

// insert puts what was taken out of structs before the declaration with them. It returns where that is now.
func (s *shaper) insert(l *cc.TranslationUnit) *cc.TranslationUnit {
	taken := s.hoisted
	s.hoisted = nil
	for _, d := range taken {
		at, old, next := l, l.ExternalDeclaration, l.TranslationUnit
		l = &cc.TranslationUnit{ExternalDeclaration: old, TranslationUnit: next}
		at.ExternalDeclaration, at.TranslationUnit = d, l
		s.undo = append(s.undo, func() { at.ExternalDeclaration, at.TranslationUnit = old, next })
		s.walk(reflect.ValueOf(d))
		s.insert(at)
	}
	return l
}
