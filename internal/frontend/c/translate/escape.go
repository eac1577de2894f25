package translate

import (
	"strings"

	"modernc.org/cc/v4"
)

// outArgument says which argument of a function we model is only written through
// (and, for compare-exchange, read): &x there does not make x escape.
var outArgument = map[string]int{"__fp_cas": 1, "pthread_create": 0, "pthread_join": 1, "thrd_create": 0, "thrd_join": 1, "sem_getvalue": 1}

// escapes finds the locals whose address is taken.
func (f *Storage) escapes(body cc.Node) map[*cc.Declarator]bool {
	out := map[*cc.Declarator]bool{}
	exempt := map[cc.Node]bool{}
	inspect(body, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.PostfixExpression:
			if x.Case != cc.PostfixExpressionCall {
				break
			}
			if i, ok := outArgument[calledName(x)]; ok && f.modelled(x) {
				for l := x.ArgumentExpressionList; l != nil; l, i = l.ArgumentExpressionList, i-1 {
					if i == 0 {
						if a := Addressed(l.AssignmentExpression); a != nil {
							exempt[a] = true
						}
					}
				}
			}
		case *cc.AsmExpressionList:
			if text, e, ok := asmArgument(x.AssignmentExpression); ok && strings.ContainsAny(text, "moV") {
				if d := VariableOf(e); d != nil {
					out[d] = true
				}
			}
		case *cc.UnaryExpression:
			if x.Case == cc.UnaryExpressionAddrof && !exempt[x] {
				if d := VariableOf(x.CastExpression); d != nil {
					out[d] = true
				}
			}
		}
		return true
	})
	return out
}

// escapeCleanups notes the locals whose address a cleanup gets.
func (f *Storage) escapeCleanups(body cc.Node) {
	if !f.Syms.cleanups {
		return
	}
	inspect(body, func(n cc.Node) bool {
		if d, ok := n.(*cc.Declaration); ok {
			for _, c := range cleanupsOf(d) {
				f.escaped[c.decl] = true
			}
		}
		return true
	})
}

// Addressed is the operation &... that e is, in any number of parentheses.
func Addressed(e cc.ExpressionNode) *cc.UnaryExpression {
	if u, ok := Unparen(e).(*cc.UnaryExpression); ok && u.Case == cc.UnaryExpressionAddrof {
		return u
	}
	return nil
}

// VariableOf returns the declarator that e names, or nil.
func VariableOf(e cc.ExpressionNode) *cc.Declarator {
	if p, ok := Unparen(e).(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
		d, _ := p.ResolvedTo().(*cc.Declarator)
		return d
	}
	return nil
}

// Unparen returns e without parentheses around it.
func Unparen(e cc.ExpressionNode) cc.ExpressionNode {
	for {
		p, ok := e.(*cc.PrimaryExpression)
		if !ok || p.Case != cc.PrimaryExpressionExpr {
			return e
		}
		e = p.ExpressionList
	}
}

// calledName is the name of the function a call names directly, or "".
func calledName(x *cc.PostfixExpression) string {
	p, ok := Unparen(x.PostfixExpression).(*cc.PrimaryExpression)
	if !ok || p.Case != cc.PrimaryExpressionIdent {
		return ""
	}
	return p.Token.SrcStr()
}
