package read

import (
	"strings"

	"modernc.org/cc/v4"
)

// Questions about types. cc answers _Generic and __builtin_types_compatible_p with a notion of compatible
// types that is wider than C's: it does not tell const char * from char *, nor pointers to pointers from
// one another, nor structs with the same members. So a file with such a question is read again if our answer
// differs: answers are known after the first time, and the second time the tree of a question has but the
// answer. An answer can change the types in another question, so there may be more than two times.

// maxQuestions bounds how often a file is read for its questions.
const maxQuestions = 16

// compatibleName is the function that cc takes for __builtin_types_compatible_p.
const compatibleName = "__ccgo__types_compatible_p"

// answers has, by the number of a token of the question, the association that _Generic selects, or
// whether types are compatible.
type answers map[int]int

// genericQuestion is a _Generic and its first operand.
type genericQuestion struct {
	n       *cc.GenericSelection
	control cc.ExpressionNode
}

// generic answers a _Generic, or prepares it so that cc finds out the types of all its associations: they
// become operands of the first operand.
func (s *shaper) generic(n *cc.GenericSelection) {
	if k, known := s.answers[n.Token.Seq()]; known {
		l := n.GenericAssociationList
		for ; k > 0; k-- {
			l = l.GenericAssociationList
		}
		only := *l.GenericAssociation
		only.Case, only.TypeName = cc.GenericAssociationDefault, nil
		n.GenericAssociationList = &cc.GenericAssociationList{GenericAssociation: &only}
		return
	}
	control := n.AssignmentExpression
	list := &cc.ExpressionList{AssignmentExpression: control}
	for l := n.GenericAssociationList; l != nil; l = l.GenericAssociationList {
		if t := l.GenericAssociation.TypeName; t != nil {
			list = &cc.ExpressionList{AssignmentExpression: &cc.UnaryExpression{Case: cc.UnaryExpressionAlignofType, TypeName: t}, ExpressionList: list}
		}
	}
	n.AssignmentExpression = &cc.PrimaryExpression{Case: cc.PrimaryExpressionExpr, ExpressionList: list}
	s.generics = append(s.generics, genericQuestion{n, control})
	s.undo = append(s.undo, func() { n.AssignmentExpression = control })
}

// compatible answers a question about compatible types: a type is compatible with itself, and not with a
// pointer to itself.
func (s *shaper) compatible(n *cc.PostfixExpression) {
	if isIdent(n.PostfixExpression, compatibleName) && n.ArgumentExpressionList != nil && n.ArgumentExpressionList.ArgumentExpressionList != nil {
		yes, known := s.answers[n.Token.Seq()]
		if !known {
			s.compatibles = append(s.compatibles, n)
			return
		}
		first := n.ArgumentExpressionList.AssignmentExpression
		second := n.ArgumentExpressionList.ArgumentExpressionList
		if second.AssignmentExpression = first; yes == 0 {
			second.AssignmentExpression = &cc.UnaryExpression{Case: cc.UnaryExpressionAddrof, CastExpression: first}
		}
	}
}

func isIdent(e cc.ExpressionNode, name string) bool {
	p, ok := e.(*cc.PrimaryExpression)
	return ok && p.Case == cc.PrimaryExpressionIdent && p.Token.SrcStr() == name
}

// differing returns our answers to questions that cc has answered in another way, with those known
// before; nil if there are none. The tree is checked.
func (s *shaper) differing() answers {
	out := answers{}
	for _, q := range s.generics {
		if k, association := s.answer(q); association != q.n.Associated() && association != nil {
			out[q.n.Token.Seq()] = k
		}
	}
	for _, n := range s.compatibles {
		if v, ok := n.Value().(cc.Int64Value); ok {
			if yes := s.areCompatible(n); yes != (v != 0) {
				out[n.Token.Seq()] = 1 - int(v)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	for k, v := range s.answers {
		out[k] = v
	}
	return out
}

// answer returns the association that a _Generic selects, nil if there is none or the types are not known.
func (s *shaper) answer(q genericQuestion) (k int, association *cc.GenericAssociation) {
	want := s.types.value(q.control)
	if want == "" {
		return 0, nil
	}
	i, other := 0, -1
	for l := q.n.GenericAssociationList; l != nil; l = l.GenericAssociationList {
		a := l.GenericAssociation
		if a.Case == cc.GenericAssociationDefault {
			other, association = i, a
		} else if s.types.named(a.TypeName) == want {
			return i, a
		}
		i++
	}
	return other, association
}

// areCompatible answers __builtin_types_compatible_p.
func (s *shaper) areCompatible(n *cc.PostfixExpression) bool {
	first, second := n.ArgumentExpressionList.AssignmentExpression, n.ArgumentExpressionList.ArgumentExpressionList.AssignmentExpression
	x, y := unqualified(s.types.object(first)), unqualified(s.types.object(second))
	if strings.HasSuffix(x, unknownLength) && strings.HasSuffix(y, "]") {
		return decayed(x) == decayed(y)
	}
	if strings.HasSuffix(y, unknownLength) && strings.HasSuffix(x, "]") {
		return decayed(x) == decayed(y)
	}
	return x == y
}
