package read

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/cc/v4"
)

// Layout. cc lays structs out without the attribute packed and #pragma pack, and some bit-fields in
// another way than gcc. Sizes are constants in types and in other constants, so the layout must be
// gcc's before cc goes on: the shaper puts the specifier _Alignas(0) after each definition of a struct
// or union, with an expression that lays the struct out anew when cc asks for its value. After the
// check, the specifiers are taken out again.
//
// These are the rules of gcc for x86-64 [System V ABI, AMD64 supplement, §3.1.2; GCC manual, Common
// Type Attributes, Structure-Layout Pragmas].
//
//   - A member has the alignment of its type, or more by an attribute aligned or _Alignas of its own.
//   - packed, of the member or of the struct, makes it 1, or what aligned or _Alignas of the member say.
//   - #pragma pack(n) limits the alignment of members to n. A zero-width bit-field is not limited by
//     either.
//   - A bit-field comes directly after the member before it. It does not cross more boundaries of its
//     type's alignment than an object of that type, unless it is packed or a #pragma pack is active.
//     Zero-width bit-fields go on to a boundary of their type's alignment.
//   - The alignment of the struct is that of its members, where bit-fields count with a name only, or
//     more by an attribute of its own.

// afterStruct is the value of the specifier after a definition.
type afterStruct struct {
	cc.ExpressionNode
	run func()
}

// Value lays the struct out and is 0, which makes the specifier one without effect.
func (a *afterStruct) Value() cc.Value {
	a.run()
	return cc.Int64Value(0)
}

// specifiers puts the specifier after a definition in a declaration.
func (s *shaper) specifiers(l *cc.DeclarationSpecifiers) {
	s.typeofType(l.TypeSpecifier)
	if n := l.DeclarationSpecifiers; n != nil {
		s.packEnum(l.TypeSpecifier, n.TypeQualifier, n.AttributeSpecifierList)
	}
	if a := s.after(l.TypeSpecifier); a != nil {
		next := l.DeclarationSpecifiers
		l.DeclarationSpecifiers = &cc.DeclarationSpecifiers{Case: cc.DeclarationSpecifiersAlignSpec, AlignmentSpecifier: a, DeclarationSpecifiers: next}
		s.undo = append(s.undo, func() { l.DeclarationSpecifiers = next })
	}
}

// qualifiers puts the specifier after a definition in the declaration of a member or in a type name.
func (s *shaper) qualifiers(l *cc.SpecifierQualifierList) {
	if n := l.SpecifierQualifierList; n != nil {
		s.packEnum(l.TypeSpecifier, n.TypeQualifier, n.AttributeSpecifierList)
	}
	if a := s.after(l.TypeSpecifier); a != nil {
		next := l.SpecifierQualifierList
		l.SpecifierQualifierList = &cc.SpecifierQualifierList{Case: cc.SpecifierQualifierListAlignSpec, AlignmentSpecifier: a, SpecifierQualifierList: next}
		s.undo = append(s.undo, func() { l.SpecifierQualifierList = next })
	}
}

// packEnum notes a definition of an enum with the attribute packed after it.
func (s *shaper) packEnum(t *cc.TypeSpecifier, q *cc.TypeQualifier, l *cc.AttributeSpecifierList) {
	if t == nil || t.Case != cc.TypeSpecifierEnum || t.EnumSpecifier.Case != cc.EnumSpecifierDef {
		return
	}
	var given packedOrAligned
	if given.add(l); q != nil {
		given.add(q.AttributeSpecifierList)
	}
	if given.packed {
		if s.packedEnums == nil {
			s.packedEnums = map[*cc.EnumSpecifier]bool{}
		}
		s.packedEnums[t.EnumSpecifier] = true
	}
}

// after is the specifier for a definition, nil if there is none.
func (s *shaper) after(t *cc.TypeSpecifier) *cc.AlignmentSpecifier {
	if t == nil || t.Case != cc.TypeSpecifierStructOrUnion || t.StructOrUnionSpecifier.Case != cc.StructOrUnionSpecifierDef {
		return nil
	}
	d := &structDefinition{spec: t.StructOrUnionSpecifier, shaper: s}
	zero := *template().zero
	return &cc.AlignmentSpecifier{Case: cc.AlignmentSpecifierExpr, ConstantExpression: &afterStruct{&zero, func() {
		if !d.done {
			d.done = true
			d.pack = s.packs.at(d.spec.Token3.Seq())
			d.layOut()
		}
	}}}
}

// alignMost gives an attribute aligned without a number the number that it stands for.
func (s *shaper) alignMost(a *cc.AttributeValue) {
	if a.Case == cc.AttributeValueIdent && strings.Trim(a.Token.SrcStr(), "_") == "aligned" {
		list := *template().most.ArgumentExpressionList
		number := *list.AssignmentExpression.(*cc.PrimaryExpression)
		list.AssignmentExpression = &number
		a.Case, a.ArgumentExpressionList = cc.AttributeValueExpr, &list
	}
}

// alignMember turns the attributes aligned before the names of members into _Alignas, for as long as cc
// checks types. cc takes them for attributes of the type, which can make an alignment smaller and can
// contradict other attributes.
func (s *shaper) alignMember(d *cc.StructDeclaration) {
	for q := d.SpecifierQualifierList; q != nil; q = q.SpecifierQualifierList {
		if q.Case != cc.SpecifierQualifierListTypeQual || q.TypeQualifier.Case != cc.TypeQualifierAttr {
			continue
		}
		for _, number := range numbersOf(q.TypeQualifier.AttributeSpecifierList, "aligned") {
			a := &cc.AlignmentSpecifier{Case: cc.AlignmentSpecifierExpr, ConstantExpression: number}
			if q.Case == cc.SpecifierQualifierListTypeQual {
				q.Case, q.AlignmentSpecifier = cc.SpecifierQualifierListAlignSpec, a
				s.undo = append(s.undo, func() { q.Case, q.AlignmentSpecifier = cc.SpecifierQualifierListTypeQual, nil })
				continue
			}
			next := q.SpecifierQualifierList
			q.SpecifierQualifierList = &cc.SpecifierQualifierList{Case: cc.SpecifierQualifierListAlignSpec, AlignmentSpecifier: a, SpecifierQualifierList: next}
			s.undo = append(s.undo, func() { q.SpecifierQualifierList = next })
		}
	}
}

// wideBits gives a bit-field of more than 64 bits, which cc does not take, a width of 64 as long as cc checks types.
func (s *shaper) wideBits(n *cc.StructDeclarator) {
	if n.Case != cc.StructDeclaratorBitField || n.Declarator == nil {
		return
	}
	e := n.ConstantExpression
	if c, ok := e.(*cc.ConstantExpression); ok {
		e = c.ConditionalExpression
	}
	p, ok := e.(*cc.PrimaryExpression)
	if !ok || p.Case != cc.PrimaryExpressionInt {
		return
	}
	if width, err := strconv.ParseInt(p.Token.SrcStr(), 0, 64); err == nil && width > 64 && width <= 128 {
		if s.widths == nil {
			s.widths = map[*cc.Declarator]int64{}
		}
		s.widths[n.Declarator], n.ConstantExpression = width, number(p.Token, "64")
	}
}

// numbersOf are the arguments of the attributes with a name in a list.
func numbersOf(l *cc.AttributeSpecifierList, name string) []cc.ExpressionNode {
	var out []cc.ExpressionNode
	for ; l != nil; l = l.AttributeSpecifierList {
		for v := l.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			if a := v.AttributeValue; a != nil && a.ArgumentExpressionList != nil && strings.Trim(a.Token.SrcStr(), "_") == name {
				out = append(out, a.ArgumentExpressionList.AssignmentExpression)
			}
		}
	}
	return out
}

// layoutTemplate has trees that cc's parser made.
type layoutTemplate struct {
	zero *cc.PrimaryExpression // 0
	most *cc.AttributeValue    // aligned(16)
}

var template = sync.OnceValue(func() layoutTemplate {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	ast, err := cc.Parse(&cc.Config{ABI: abi}, []cc.Source{{Name: "<predefined>", Value: "int __predefined_declarator;"}, {Name: "<layout>", Value: "struct s { int a; } __attribute__((aligned(16)));\nint b[0];\n"}})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var t layoutTemplate
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		d := l.ExternalDeclaration.Declaration
		if s := d.DeclarationSpecifiers.TypeSpecifier.StructOrUnionSpecifier; s != nil {
			t.most = s.AttributeSpecifierList2.AttributeSpecifier.AttributeValueList.AttributeValue
		} else if a := d.InitDeclaratorList.InitDeclarator.Declarator.DirectDeclarator; a.AssignmentExpression != nil {
			t.zero = a.AssignmentExpression.(*cc.PrimaryExpression)
		}
	}
	return t
})

// structDefinition is a struct or union that the text defines.
type structDefinition struct {
	spec *cc.StructOrUnionSpecifier
	pack int64 // of #pragma pack at its end; 0: none
	*shaper
	done bool
}

// packedOrAligned has the attributes packed and aligned of a list.
type packedOrAligned struct {
	packed  bool
	aligned int64
	size    int64 // of __fp_size, which our headers have: the struct is at least as large
}

func (p *packedOrAligned) add(l *cc.AttributeSpecifierList) {
	for _, number := range numbersOf(l, "aligned") {
		p.aligned = max(p.aligned, constant(number))
	}
	for _, number := range numbersOf(l, "fp_size") {
		p.size = constant(number)
	}
	for ; l != nil; l = l.AttributeSpecifierList {
		for v := l.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			p.packed = p.packed || v.AttributeValue != nil && strings.Trim(v.AttributeValue.Token.SrcStr(), "_") == "packed"
		}
	}
}

// constant is the value of an expression that cc has checked, 0 if it has none.
func constant(e cc.ExpressionNode) int64 {
	switch x := e.Value().(type) {
	case cc.Int64Value:
		return int64(x)
	case cc.UInt64Value:
		return int64(x)
	}
	return 0
}

// member is a member of a struct with what its declaration says.
type member struct {
	*cc.Field
	packedOrAligned
}

// members returns the members of a definition in order.
func (d *structDefinition) members(s aggregate) []member {
	var out []member
	add := func(given packedOrAligned) {
		if i := len(out); i < s.NumFields() {
			f := s.FieldByIndex(i)
			given.aligned = max(given.aligned, hidden(f, "align").Int())
			out = append(out, member{f, given})
		}
	}
	for l := d.spec.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		decl := l.StructDeclaration
		if decl.Case != cc.StructDeclarationDecl {
			continue
		}
		var all packedOrAligned // for every member that is declared here
		for q := decl.SpecifierQualifierList; q != nil; q = q.SpecifierQualifierList {
			if q.TypeQualifier != nil {
				all.add(q.TypeQualifier.AttributeSpecifierList)
			}
			all.add(q.AttributeSpecifierList)
		}
		last := all
		last.add(decl.AttributeSpecifierList)
		if decl.StructDeclaratorList == nil {
			add(last)
		}
		for m := decl.StructDeclaratorList; m != nil; m = m.StructDeclaratorList {
			if m.StructDeclaratorList == nil {
				add(last)
			} else {
				add(all)
			}
		}
	}
	return out
}

// aggregate has the methods that structs and unions of cc have in common.
type aggregate interface {
	cc.Type
	NumFields() int
	FieldByIndex(int) *cc.Field
}

// layOut gives a struct or union the layout that gcc gives it.
func (d *structDefinition) layOut() {
	s, ok := d.spec.Type().(aggregate)
	if !ok || s.NumFields() > 0 && s.IsIncomplete() {
		return
	}
	var whole packedOrAligned
	whole.add(d.spec.AttributeSpecifierList)
	whole.add(d.spec.AttributeSpecifierList2)
	at, end, align := int64(0), int64(0), max(1, whole.aligned) // at and end in bits
	for _, m := range d.members(s) {
		if w := d.widths[m.Declarator()]; w > 0 {
			hidden(m.Field, "valueBits").SetInt(w)
		}
		if s.Kind() == cc.Union {
			at = 0
		}
		m.packed = m.packed || whole.packed
		var least int64 // alignment that the struct gets by the member
		if m.IsBitfield() {
			at, least = d.layBits(&m, at)
		} else {
			least = d.alignment(&m)
			at = roundUp(at, 8*least)
			hidden(m.Field, "offsetBytes").SetInt(at / 8)
			if size := m.Type().Size(); size > 0 && !m.IsFlexibleArrayMember() {
				at += 8 * size
			}
		}
		hidden(m.Field, "align").SetInt(least)
		align, end = max(align, least), max(end, at)
	}
	size := roundUp(max((end+7)/8, whole.size), align)
	hidden(s, "size").SetInt(size)
	hidden(s, "align").SetInt(align)
	hidden(s, "padding").SetInt(size - (end+7)/8)
}

// alignment is that of a member that is no bit-field.
func (d *structDefinition) alignment(m *member) int64 {
	align := max(naturalAlign(m), m.aligned)
	if m.packed {
		align = max(1, m.aligned)
	}
	return d.limited(align)
}

// limited is an alignment under the #pragma pack of the definition.
func (d *structDefinition) limited(align int64) int64 {
	if d.pack > 0 {
		return min(align, d.pack)
	}
	return align
}

// naturalAlign is the alignment of a member's type.
func naturalAlign(m *member) int64 {
	align := max(1, int64(m.Type().Align()))
	t := m.Type()
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	switch s, isStruct := t.(*cc.StructType); {
	case !isAtomic(m.Declarator()):
	case t == m.Type() && t.Size() == 16: // cc leaves these alone
		align = max(align, 16)
	case t != m.Type() && isStruct: // gcc does not raise the alignment of elements, and cc does
		align = 1
		for i := range s.NumFields() {
			if f := s.FieldByIndex(i); f != nil && !f.IsBitfield() {
				align = max(align, hidden(f, "align").Int())
			} else if f != nil {
				align = max(align, int64(f.Type().Align()))
			}
		}
	}
	return align
}

// isAtomic reports whether an object or its type is declared _Atomic.
func isAtomic(d *cc.Declarator) bool {
	for d != nil {
		if d.IsAtomic() {
			return true
		}
		next := d.Type().Typedef()
		if next == d {
			return false
		}
		d = next
	}
	return false
}

// layBits lays a bit-field out after at, in bits. It returns the end, and the alignment that the struct
// gets by the bit-field.
func (d *structDefinition) layBits(m *member, at int64) (end, align int64) {
	t, width := m.Type(), m.ValueBits()
	unit := 8 * max(1, int64(t.Align()))
	if whole := width == 8 || width == 16 || width == 32 || width == 64; whole && at%width == 0 && !m.packed {
		m.aligned = max(m.aligned, width/8) // gcc takes it for an integer of that size
	}
	if width == 0 {
		at = roundUp(at, unit)
	} else if m.aligned > 0 {
		at = roundUp(at, 8*d.limited(m.aligned))
	}
	if width > 0 && !m.packed && d.pack == 0 && (at%unit+width+unit-1)/unit > 8*t.Size()/unit {
		at = roundUp(at, unit)
	}
	hidden(m.Field, "offsetBytes").SetInt(at / 8)
	hidden(m.Field, "offsetBits").SetInt(at % 8)
	hidden(m.Field, "outerGroupOffsetBytes").SetInt(at / 8)
	align = 1
	if m.Name() != "" {
		if align = d.limited(unit / 8); m.packed && d.pack == 0 {
			align = 1
		}
		align = max(align, d.limited(m.aligned))
	}
	return at + width, align
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// hidden is a field of one of cc's values that cc does not export. The version of cc is fixed.
func hidden(of any, name string) reflect.Value {
	v := reflect.ValueOf(of).Elem().FieldByName(name)
	if !v.IsValid() {
		panic("BUG: cc has no field " + name)
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// DeclaredAlign is the alignment of an object, which can be larger than that of its type.
func DeclaredAlign(d *cc.Declarator) int64 {
	align := max(1, int64(d.Type().Align()), int64(d.Alignas()))
	if a := d.Type().Attributes(); a != nil {
		align = max(align, a.Aligned())
	}
	if d.IsAtomic() && d.Type().Size() == 16 { // cc leaves these alone
		align = max(align, 16)
	}
	return align
}

// namesAtomic reports whether the name of a type says _Atomic.
func namesAtomic(n *cc.TypeName) bool {
	for l := n.SpecifierQualifierList; l != nil; l = l.SpecifierQualifierList {
		if q := l.TypeQualifier; q != nil && q.Case == cc.TypeQualifierAtomic {
			return true
		}
		if t := l.TypeSpecifier; t != nil && t.Case == cc.TypeSpecifierAtomic {
			return true
		}
	}
	return false
}

// isStructOrUnion reports whether a type is a struct or a union.
func isStructOrUnion(t cc.Type) bool { return t.Kind() == cc.Struct || t.Kind() == cc.Union }

// MemberAlign is the alignment of the object or the member of a struct that _Alignof names, which can differ
// from that of its type.
func MemberAlign(x *cc.UnaryExpression) (int64, bool) {
	if x.Case == cc.UnaryExpressionAlignofType {
		t := x.TypeName.Type()
		return 16, isStructOrUnion(t) && t.Size() == 16 && (namesAtomic(x.TypeName) || isAtomic(t.Typedef()))
	}
	if x.Case != cc.UnaryExpressionAlignofExpr {
		return 0, false
	}
	e := x.UnaryExpression
	for {
		p, ok := e.(*cc.PrimaryExpression)
		if !ok || p.Case != cc.PrimaryExpressionExpr {
			break
		}
		e = p.ExpressionList
	}
	if p, ok := e.(*cc.PrimaryExpression); ok {
		d, ok := p.ResolvedTo().(*cc.Declarator)
		if !ok || d.Type().Kind() == cc.Function {
			return 0, false
		}
		return DeclaredAlign(d), true
	}
	p, ok := e.(*cc.PostfixExpression)
	if !ok || p.Case != cc.PostfixExpressionSelect && p.Case != cc.PostfixExpressionPSelect || p.Field() == nil {
		return 0, false
	}
	return max(1, hidden(p.Field(), "align").Int()), true
}

// checkAlignments refuses constants that cc has computed from the type of a member, if the member has
// another alignment.
func (s *shaper) checkAlignments() error {
	for _, x := range s.alignments {
		if n, ok := MemberAlign(x); ok && n != constant(x) {
			return fmt.Errorf("%v: the alignment of this object, which is not that of its type, is not supported in a constant", x.Position())
		}
	}
	return nil
}
