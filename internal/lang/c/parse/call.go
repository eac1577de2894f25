package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// call reads the arguments of a call.
func (p *parser) call(f *Expr) *Expr {
	at := p.at
	p.next()
	var args []*Expr
	for p.kind != lex.RParen {
		args = append(args, p.assignment())
		if !p.accept(lex.Comma) {
			break
		}
	}
	p.expect(lex.RParen)
	if f.Op == Name && f.Obj.Kind == BuiltinFunction {
		return p.builtinCall(f, at, args)
	}
	g := p.rvalue(f)
	if isBad(g) {
		return p.bad(at)
	}
	if g.Type.Kind != types.Pointer || g.Type.Elem.Kind != types.Function {
		p.errorf(f.Tok, "%s is called, and is no function", f.Type)
		return p.bad(at)
	}
	return p.callOf(g, at, args)
}

// callOf makes a call of a pointer to a function.
func (p *parser) callOf(g *Expr, at int32, args []*Expr) *Expr {
	t := g.Type.Elem
	name := "the function"
	if g.Op == Decay && g.A.Op == Name {
		name = p.name(g.A.Obj.Name)
	}
	if !t.OldStyle {
		if len(args) < len(t.Params) {
			p.errorf(at, "%s needs %d arguments, and gets %d", name, len(t.Params), len(args))
			return p.bad(at)
		}
		if len(args) > len(t.Params) && !t.Variadic {
			p.errorf(at, "%s takes %d arguments, and gets %d", name, len(t.Params), len(args))
			return p.bad(at)
		}
	}
	e := &Expr{Op: Call, Tok: at, A: g, Type: t.Elem.Unqualified(), Args: args}
	for i := range args {
		if !t.OldStyle && i < len(t.Params) {
			args[i] = p.assignable(args[i], t.Params[i].Unqualified(), args[i].Tok, "passed")
		} else {
			args[i] = p.defaultArgument(args[i])
		}
	}
	if t.Elem.Kind != types.Void && !t.Elem.IsComplete() {
		p.errorf(at, "%s returns the incomplete type %s", name, t.Elem)
		return p.bad(at)
	}
	return e
}

// defaultArgument converts an argument without a parameter.
func (p *parser) defaultArgument(e *Expr) *Expr {
	e = p.rvalue(e)
	switch {
	case isBad(e):
		return e
	case e.Type.Kind == types.Void:
		p.errorf(e.Tok, "a value of type void is passed")
		return p.bad(e.Tok)
	case e.Type.IsInteger():
		return p.promote(e)
	default:
		return p.convert(e, types.DefaultPromoted(e.Type))
	}
}
