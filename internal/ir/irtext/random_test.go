package irtext

import (
	"fmt"
	"math"
	"math/rand"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// generator makes random programs that use every field of every operation. They
// make no sense, but they can be written down.
type generator struct {
	*rand.Rand
	p *ir.Program
	f *ir.Func
}

var (
	allTypes   = []ir.Type{ir.S8, ir.S16, ir.S32, ir.S64, ir.U8, ir.U16, ir.U32, ir.U64}
	floatTypes = []ir.Type{ir.F32, ir.F64}
)

// oddNames are names that must be quoted, look like keywords, or do not.
var oddNames = []string{
	"x", "f.x", "x#1", "x#", "a b", "", "seen", "store", "load.u32", "u32", "_", "main", "entry", "object", "12", "7a", "\"q\"", "é\n\xff", "id",
	"reg", "in", "when", "r$1", "r'", "x.", "nop", "loc", "flat", "@", "}",
}

func (g *generator) name(kind string, i int) string {
	if g.Intn(3) == 0 && i < len(oddNames) {
		return oddNames[i]
	}
	return fmt.Sprintf("%s%d", kind, i)
}

func (g *generator) flip() bool { return g.Intn(2) == 0 }

func (g *generator) word() int64 {
	switch g.Intn(4) {
	case 0:
		extremes := []int64{math.MinInt64, math.MaxInt64, -1, 0, 1, math.MinInt64 + 1, math.MaxUint32, math.MinInt32}
		return extremes[g.Intn(len(extremes))]
	case 1:
		return int64(g.Uint64())
	default:
		return int64(g.Intn(20) - 10)
	}
}

func (g *generator) typ() ir.Type { return allTypes[g.Intn(len(allTypes))] }

func (g *generator) float() ir.Type { return floatTypes[g.Intn(len(floatTypes))] }

// anyType is a type of values in memory.
func (g *generator) anyType() ir.Type {
	if g.Intn(5) == 0 {
		return g.float()
	}
	return g.typ()
}

func (g *generator) span() source.Span {
	if g.flip() {
		return source.Span{}
	}
	files := []string{"a.fp", "dir/b-c.c", "odd name:1", ""}
	s := source.At(source.Pos{File: files[g.Intn(len(files))], Line: g.Intn(100), Col: g.Intn(80)})
	if g.flip() {
		s.EndLine, s.EndCol = g.Intn(100), g.Intn(80)
	}
	return s
}

func (g *generator) expr(depth int) *ir.Expr {
	if depth == 0 || g.Intn(5) == 0 {
		return g.leaf()
	}
	x := func() *ir.Expr { return g.expr(depth - 1) }
	t := ir.S64
	if g.flip() {
		t = g.typ()
	}
	op := ir.ExprOp(int(ir.Neg) + g.Intn(int(ir.Ite-ir.Neg)+1))
	if op.IsFloat() && op != ir.FloatToInt {
		t = g.float()
	}
	switch {
	case op.IsUnary():
		return &ir.Expr{Op: op, Type: t, X: x()}
	case op.IsBinary():
		return &ir.Expr{Op: op, Type: t, X: x(), Y: x()}
	default:
		return &ir.Expr{Op: ir.Ite, Type: t, X: x(), Y: x(), Z: x()}
	}
}

func (g *generator) leaf() *ir.Expr {
	var e *ir.Expr
	switch g.Intn(7) {
	case 5:
		e = ir.Undefined(ir.S64)
	case 0:
		e = ir.R(ir.Reg(g.Intn(len(g.f.Regs))))
	case 1:
		e = ir.SeenValue()
	case 2:
		e = ir.Addr(ir.ObjectID(g.Intn(len(g.p.Objects))), 0)
	case 3:
		e = ir.Addr(ir.ObjectID(g.Intn(len(g.p.Objects))), g.word())
	case 4:
		e = &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: ir.FuncID(g.Intn(len(g.p.Funcs)))}
	default:
		e = ir.Int(g.word())
	}
	if g.Intn(8) == 0 {
		e.Type = g.anyType()
	}
	return e
}

// marks returns marks that an operation may have.
func (g *generator) marks(op *ir.Op) ir.Mark {
	out := ir.Mark(g.Intn(int(ir.Header) << 1))
	if op.RMW != ir.Cas {
		out &^= ir.Weak
	}
	if op.RMW != ir.Xchg || op.Dst != ir.NoReg || op.Dst2 != ir.NoReg {
		out &^= ir.AsStore
	}
	if op.Sync.Order != ir.Plain {
		out &^= ir.NonAtomic
	}
	return out
}

// op has the fields it needs and some of those it may have.
func (g *generator) op(kind ir.OpKind) ir.Op {
	op := ir.NewOp(kind)
	missing := op.FieldProblems()
	put := func(field string, set func()) {
		if !slices.Contains(missing, "needs "+field) && g.flip() {
			return
		}
		before := op
		if set(); slices.Contains(op.FieldProblems(), "cannot have "+field) {
			op = before
		}
	}
	order := func() ir.Order { return ir.Order(1 + g.Intn(int(ir.SeqCst))) }
	put("an access type", func() { op.Type = g.anyType() })
	put("a memory order", func() { op.Sync.Order = order() })
	put("a destination", func() { op.Dst = ir.Reg(g.Intn(len(g.f.Regs))) })
	put("a second destination", func() { op.Dst2 = ir.Reg(g.Intn(len(g.f.Regs))) })
	put("an address", func() { op.Addr = g.expr(3) })
	put("a value", func() { op.Val = g.expr(3) })
	put("a condition", func() { op.Cond = g.expr(3) })
	put("an object", func() { op.Obj = ir.ObjectID(g.Intn(len(g.p.Objects))) })
	put("a fence kind", func() { op.Fence = ir.FenceKind(1 + g.Intn(int(ir.GlobalFence))) })
	put("a mutex kind", func() { op.Mutex.Kind = ir.MutexKind(1 + g.Intn(int(ir.ErrorCheckMutex))) })
	put("a test of a mutex", func() { op.Mutex.Test = ir.MutexTest(1 + g.Intn(int(ir.MutexUnlocks))) })
	put("a section of loads", func() { op.Loads = true })
	put("stack storage", func() { op.Block.Stack = true })
	put("a time limit", func() { op.Timed = true })
	put("a synchronisation", func() { op.Sync.Kind = ir.SyncKind(1 + g.Intn(int(ir.SyncGiveShared))) })
	put("a layout", func() { op.Block.Layout = g.layout(3) })
	put("a check class", func() { op.Report.Class = ir.CheckClass(1 + g.Intn(int(ir.NotSupported))) })
	put("a message", func() { op.Report.Msg = "a \"message\"\n" })
	put("a name of a block", func() { op.Block.Name = "a \"block\"\n" })
	put("a type of a function", func() { op.Call.Type = "a \"type\"\n" })
	put("a code", func() { op.Report.Code = "C0101" })
	put("a destination for undefined bits", func() { op.Undef.Dst = ir.Reg(g.Intn(len(g.f.Regs))) })
	put("undefined bits", func() { op.Undef.Val = g.expr(2) })
	put("undefined contents", func() { op.Block.Undef = true })
	put("a mark", func() { op.Sync.Marks = g.marks(&op) })
	put("arguments", func() { op.Call.Args = []*ir.Expr{g.expr(2), g.expr(2)} })
	put("threads", func() { op.Call.Threads = []ir.ThreadID{ir.ThreadID(g.Intn(len(g.p.Threads))), 0} })
	put("a range", func() {
		a, b := g.word(), g.word()
		op.Range = ir.Range{Bounded: true, Lo: min(a, b), Hi: max(a, b)}
	})
	switch kind {
	case ir.Nop, ir.Assign:
		if op.Obj == ir.NoObject {
			op.Block.Undef = false
		} else {
			op.Block.Undef = true
		}
	case ir.Assert:
		if op.Report.Class != ir.Uninitialised {
			op.Call.Args = nil
		}
	case ir.RMW:
		if op.Type.Float {
			op.Type = g.typ()
		}
		op.RMW = ir.RMWKind(1 + g.Intn(int(ir.Cas)))
		if op.RMW != ir.Xchg && op.RMW != ir.Cas {
			op.Undef.Val = nil
		}
		op.Sync.Marks = g.marks(&op)
		if op.RMW == ir.Cas {
			op.Val2 = g.expr(2)
			op.Sync.Fail = ir.Order(g.Intn(int(ir.SeqCst) + 1))
		}
	case ir.CondWait:
		op.Val2 = g.expr(2)
	case ir.Await: // a test of a mutex and its kind go together
		if op.Mutex.Test == ir.MutexUntested {
			op.Mutex.Kind = ir.MutexUnset
		} else if op.Mutex.Kind == ir.MutexUnset {
			op.Mutex.Kind = ir.NormalMutex
		}
	case ir.Call:
		if op.Val == nil {
			op.Call.Func, op.Call.Type = ir.FuncID(g.Intn(len(g.p.Funcs))), ""
		}
	case ir.Spawn:
		if op.Val != nil {
			op.Call.Threads = nil
			break
		}
		if len(op.Call.Threads) == 0 || g.flip() {
			op.Call.Func = ir.FuncID(g.Intn(len(g.p.Funcs)))
		}
	}
	return op
}

func (g *generator) layout(depth int) *ir.Layout {
	kind := ir.LayoutKind(1 + g.Intn(int(ir.OpaqueLayout)))
	if depth == 0 {
		kind = ir.PointerLayout
	}
	switch kind {
	case ir.ScalarLayout:
		return &ir.Layout{Kind: kind, Type: g.anyType()}
	case ir.ArrayLayout:
		return &ir.Layout{Kind: kind, Count: int64(g.Intn(4)), Elem: g.layout(depth - 1)}
	case ir.RecordLayout:
		l := &ir.Layout{Kind: kind, Bytes: int64(g.Intn(30))}
		for i := range g.Intn(4) {
			f := ir.Field{Name: g.name("m", i), Layout: g.layout(depth - 1)}
			f.Off = l.Bytes
			l.Bytes += f.Layout.Size()
			l.Fields = append(l.Fields, f)
		}
		return l
	case ir.OpaqueLayout:
		return &ir.Layout{Kind: kind, Bytes: int64(g.Intn(30))}
	}
	return &ir.Layout{Kind: ir.PointerLayout}
}

func (g *generator) object(i int) ir.Object {
	o := ir.Object{Name: g.name("o", i), Size: int64(1 + g.Intn(40)), Type: ir.S64, Pos: g.span()}
	o.Unit = defaultUnit(o.Size)
	if g.flip() {
		o.Unit = 1 + g.Intn(9)
		o.Type = g.anyType()
	}
	if g.flip() {
		if o.Layout = g.layout(3); o.Layout.Size() > o.Size {
			o.Layout = nil
		}
	}
	o.PerThread = g.p.Form == ir.Structured && g.flip()
	o.Addr = uint64(0x10000 + 64*i)
	if n := g.Intn(int(o.Size) + 1); n > 0 {
		o.Init = make([]byte, n)
		g.Read(o.Init)
	}
	return o
}

func (g *generator) program() *ir.Program {
	g.p = &ir.Program{Name: g.name("p", g.Intn(9)), Form: ir.Form(1 + g.Intn(2)), Main: ir.NoThread, Cells: g.flip()}
	p := g.p
	for i := range 1 + g.Intn(3) {
		p.Objects = append(p.Objects, g.object(i))
	}
	for i := range 1 + g.Intn(3) {
		p.Funcs = append(p.Funcs, &ir.Func{Name: g.name("f", i), Pointer: g.flip(), Pos: g.span()})
	}
	for i := range 1 + g.Intn(3) {
		t := ir.Thread{Name: g.name("t", i), Func: ir.FuncID(g.Intn(len(p.Funcs))), Start: g.flip(), Unbounded: g.flip(), Pos: g.span()}
		for range g.Intn(3) {
			t.Args = append(t.Args, g.word())
		}
		if g.flip() {
			t.Template = g.name("template", i)
		}
		p.Threads = append(p.Threads, t)
	}
	if g.flip() {
		p.Main = ir.ThreadID(g.Intn(len(p.Threads)))
	}
	for _, f := range p.Funcs {
		g.function(f)
	}
	if g.flip() {
		p.NextEdge += ir.EdgeID(g.Intn(5))
	}
	p.Seal()
	return p
}

func (g *generator) function(f *ir.Func) {
	g.f = f
	for i := range 2 + g.Intn(len(oddNames)) {
		f.Regs = append(f.Regs, ir.Register{Name: g.name("r", i), Pos: g.span()})
		if g.flip() {
			f.Regs[i].Init = g.word()
		} else if g.flip() {
			f.Regs[i].Undef = g.typ()
		}
	}
	f.Params = g.Intn(len(f.Regs))
	positions := g.flip()
	for i := range 1 + g.Intn(6) {
		l := ir.Location{Name: g.name("l", i)}
		if positions {
			l.Pos = g.span()
		}
		f.Locs = append(f.Locs, l)
	}
	if g.flip() {
		f.Entry = ir.Loc(g.Intn(len(f.Locs)))
	}
	for range g.Intn(8) {
		e := ir.Edge{ID: g.p.NextEdge, From: ir.Loc(g.Intn(len(f.Locs))), To: ir.Loc(g.Intn(len(f.Locs))), Pos: g.span()}
		e.Op = g.op(ir.OpKind(1 + g.Intn(int(ir.Unsupported))))
		g.p.NextEdge++
		if g.Intn(4) == 0 {
			g.p.NextEdge += 2
		}
		e.Origin = e.ID
		if g.Intn(4) == 0 {
			e.Origin = ir.EdgeID(g.Intn(9))
			e.Pass = g.name("pass", g.Intn(9))
		}
		for range g.Intn(3) {
			e.Stack = append(e.Stack, ir.Frame{Func: g.name("f", g.Intn(9)), Call: g.span().Pos})
		}
		f.Edges = append(f.Edges, e)
	}
}
