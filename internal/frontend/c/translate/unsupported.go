package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Constructs that are not supported. The translation refuses them (read.Input.Refuse). Code that no
// execution reaches may use anything, so a refusal in the body of a function becomes an operation
// ir.Unsupported, which stands where the evaluation of the whole expression would begin: nothing of an
// expression that is refused runs. The operands of && and ||, the arms of ?: and the statements of a
// statement expression are expressions of their own, as C evaluates them only on some paths.
//
// With Options.Strict, and in litmus tests, a refusal is an error. Errors of the program, such as
// wrong types, always are (read.Input.Reject).

// attempt translates an expression or a declaration. If that is refused, the edges that it has made
// so far are taken back, and the operation Unsupported replaces them. attempt reports whether
// the translation is complete.
func (f *Code) attempt(work func()) bool {
	if f.static {
		work()
		return true
	}
	at, fresh, pos, inUse, floor, n := f.At, f.Fresh, f.Pos, f.inUse, f.floor, len(f.Fb.F.Edges)
	last, height := Nowhere, len(f.cleanups)
	if n > 0 {
		last = f.Fb.F.Edges[n-1].To // a jump may bend it
	}
	r := f.In.Catch(work)
	if r == nil {
		return true
	}
	if r.Diag == nil || f.Opt.Strict {
		panic(*r)
	}
	f.Fb.F.Edges = f.Fb.F.Edges[:n]
	if n > 0 {
		f.Fb.F.Edges[n-1].To = last
	}
	f.At, f.Fresh, f.inUse, f.floor = at, fresh, inUse, floor
	f.cleanups = f.cleanups[:height]
	f.unsupported(r)
	f.Pos = pos
	return false
}

// unsupported emits the operation that stands for a refusal. Nothing comes after it.
func (f *Code) unsupported(r *read.Refusal) {
	f.refuses = true
	if f.At == Nowhere {
		return
	}
	f.Pos = r.Diag.Span
	f.Emit(unsupportedOp(r))
	f.At, f.Fresh = Nowhere, false
}

// OnlyIf goes on if a condition holds. Otherwise the operation at n is not supported.
func (f *Code) OnlyIf(cond *ir.Expr, n parse.Node, code, message string) {
	from, yes, no := f.Start(), f.Label(""), f.Label("")
	f.Assume(from, cond, yes)
	f.Assume(from, ir.Negate(cond), no)
	f.At, f.Fresh = no, false
	r := f.In.NotSupported(code, f.In.Span(n), "%s", message)
	f.unsupported(&r)
	f.At, f.Fresh = yes, false
}

func unsupportedOp(r *read.Refusal) ir.Op {
	op := ir.NewOp(ir.Unsupported)
	op.Report = ir.Report{Code: r.Diag.Code, Msg: r.Diag.Message}
	return op
}

// attempt makes a variable or a temporary. If that is refused, what mentions it is refused.
func (f *Storage) attempt(n parse.Node, work func()) {
	r := f.In.Catch(work)
	switch {
	case r == nil:
	case r.Diag == nil || f.Opt.Strict:
		f.In.Report(r)
	default:
		f.refused[n] = r
	}
}

// missing refuses what mentions a variable or a temporary that was refused.
func (f *Storage) missing(n parse.Node) {
	if r := f.refused[n]; r != nil {
		panic(*r)
	}
	panic(read.Refusal{}) // reported
}

// closeEnds makes sure that code that was taken back leaves no location at which a thread would seem
// to end, such as a label to which other code jumps.
func (f *Code) closeEnds() {
	if !f.refuses {
		return
	}
	out := make([]bool, len(f.Fb.F.Locs))
	into := make([]*ir.Edge, len(f.Fb.F.Locs))
	for i := range f.Fb.F.Edges {
		e := &f.Fb.F.Edges[i]
		out[e.From] = true
		if !e.Op.Terminal() {
			into[e.To] = e
		}
	}
	for l, e := range into {
		if e == nil || out[l] {
			continue
		}
		r := f.In.NotSupported(codeStatement, e.Pos, "the code that this leads to is not supported")
		f.At, f.Fresh = ir.Loc(l), false
		f.unsupported(&r)
	}
}
