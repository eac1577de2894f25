package library

import (
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/types"
	"fencepost/internal/property"
)

// libInvariant translates the condition of an invariant or of a read abstraction, and ghost code.
func libInvariant(f *translate.Lowering, l *translate.Call) translate.Value {
	p := f.In.Start(l.Node)
	pos, ok := f.In.Invariants[read.Position{File: p.File, Line: p.Line}]
	if !ok {
		f.In.Refuse(translate.CodeExtern, l.Node, "%s has no body, and what it does is not known", l.Name)
	}
	if !f.In.Items[p] {
		f.In.Errorf(read.CodeAnnotation, pos, "an annotation is not allowed here").Note("put it before a statement in a block { ... }")
		panic(read.Refusal{})
	}
	if f.Code.At == translate.Nowhere {
		return nothing()
	}
	f.Code.Pos = pos
	from := f.Code.At
	never := ir.NewOp(ir.Assume)
	never.Val = ir.Int(0)
	f.Code.Emit(never)
	first := f.Code.Fb.F.Edges[len(f.Code.Fb.F.Edges)-1].ID
	assert := ir.NewOp(ir.Assert)
	assert.Val = translate.TruthOf(f.Exprs.Operand(l.Args[0]))
	assert.Report = ir.Report{Class: ir.Assertion, Msg: "invariant"}
	cl := property.CodeInvariant{Edge: first, Always: l.Name == read.InvariantAlways, Abstract: l.Name == read.Abstraction, Ghost: l.Name == read.GhostCode, Pos: pos}
	last := f.Code.At
	if last == translate.Nowhere {
		f.In.Errorf(read.CodeAnnotation, pos, "an annotation must come to its end, and this one ends the thread or the program")
		panic(read.Refusal{})
	}
	f.Code.At, f.Code.Fresh = from, false
	if cl.Ghost { // it runs when the thread goes past it, and not whenever it comes to a location
		assert.Val = ir.Int(1)
		past := ir.NewOp(ir.Assume)
		past.Val = ir.Int(1)
		f.Code.Emit(past)
		cl.Past = f.Code.Fb.F.Edges[len(f.Code.Fb.F.Edges)-1].ID
		f.Code.Fresh = false
	}
	cl.Last = f.Code.Fb.Edge(last, assert, f.Code.At, f.Code.Pos)
	if cl.Always && readsLocals(f, first) {
		f.In.Errorf(read.CodeAnnotation, pos, "a //@ global condition cannot be about local variables")
		panic(read.Refusal{})
	}
	text := f.In.Files[pos.File].Slice(pos)
	cl.Text = strings.TrimSpace(string(read.InvariantWord.ReplaceAll([]byte(text), nil)))
	*f.Invariants = append(*f.Invariants, cl)
	return nothing()
}

// readsLocals reports whether the edges from one on read registers that they do not
// set.
func readsLocals(f *translate.Lowering, first ir.EdgeID) bool {
	set, reads := map[ir.Reg]bool{}, false
	for i := range f.Code.Fb.F.Edges {
		if e := &f.Code.Fb.F.Edges[i]; e.ID >= first {
			e.Op.Defs(func(r ir.Reg) { set[r] = true })
		}
	}
	for i := range f.Code.Fb.F.Edges {
		if e := &f.Code.Fb.F.Edges[i]; e.ID >= first {
			e.Op.Uses(func(r ir.Reg) { reads = reads || !set[r] })
		}
	}
	return reads
}

// libBound is a variable of a condition that stands for every number.
func libBound(f *translate.Lowering, l *translate.Call) translate.Value {
	op := ir.NewOp(ir.Havoc)
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return translate.Integer(ir.R(op.Dst), ir.S64)
}

// libBoundPointer is a variable of a condition that stands for the address of every block of a type.
func libBoundPointer(f *translate.Lowering, l *translate.Call) translate.Value {
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.Block.Layout = f.Code.Temp(), f.Layouts.Allocated(l.Args[0])
	f.Code.Emit(op)
	return translate.Value{Expr: ir.R(op.Dst), Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
}
