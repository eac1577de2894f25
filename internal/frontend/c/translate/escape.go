package translate

import (
	"strings"

	"fencepost/internal/lang/c/parse"
)

// outArgument says which argument of a function we model is only written through
// (and, for compare-exchange, read): &x there does not make x escape.
var outArgument = map[string]int{
	"__atomic_compare_exchange_n": 1, "__atomic_compare_exchange": 1, "pthread_create": 0, "pthread_join": 1, "thrd_create": 0, "thrd_join": 1,
	"sem_getvalue": 1,
}

// escapes finds the locals whose address is taken.
func (f *Storage) escapes(body *parse.Stmt) map[*parse.Object]bool {
	out := map[*parse.Object]bool{}
	exempt := map[*parse.Expr]bool{}
	visit := parse.Visitor{
		Stmt: func(s *parse.Stmt) bool {
			if s.Asm != nil {
				for _, o := range append(s.Asm.Outputs[:len(s.Asm.Outputs):len(s.Asm.Outputs)], s.Asm.Inputs...) {
					if d := VariableOf(o.Expr); d != nil && strings.ContainsAny(o.Constraint, "moV") {
						out[d] = true
					}
				}
			}
			return true
		},
		Expr: func(e *parse.Expr) bool {
			switch e.Op {
			case parse.Call, parse.Builtin:
				if i, ok := outArgument[calledName(e)]; ok && i < len(e.Args) && f.modelled(e) {
					if a := Addressed(e.Args[i]); a != nil {
						exempt[a] = true
					}
				}
			case parse.AddressOf:
				if d := VariableOf(e.A); d != nil && !exempt[e] {
					out[d] = true
				}
			}
			return true
		},
	}
	visit.Stmts(body)
	return out
}

// escapeCleanups notes the locals whose address a cleanup gets.
func (f *Storage) escapeCleanups(body *parse.Stmt) {
	if !f.Syms.cleanups {
		return
	}
	visit := parse.Visitor{Stmt: func(s *parse.Stmt) bool {
		if s.Kind == parse.DeclStmt {
			for _, c := range cleanupsOf(s) {
				f.escaped[c.decl] = true
			}
		}
		return true
	}}
	visit.Stmts(body)
}

// Addressed is the operation &... that e is; nil if it is none.
func Addressed(e *parse.Expr) *parse.Expr {
	if e = e.Bare(); e.Op == parse.AddressOf {
		return e
	}
	return nil
}

// VariableOf returns the variable or function that e names, or nil.
func VariableOf(e *parse.Expr) *parse.Object {
	if e = e.Bare(); e.Op == parse.Name {
		return e.Obj
	}
	return nil
}

// calledName is the name of the function a call names directly, or "".
func calledName(x *parse.Expr) string {
	if d := VariableOf(x.A); d != nil {
		return d.Text
	}
	return ""
}
