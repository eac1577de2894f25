package ir

import (
	"fmt"
	"math"
	"math/rand"

	"fencepost/internal/source"
)

// generator makes random programs that use every field of every operation. They
// make no sense, but they can be written down.
type generator struct {
	*rand.Rand
	p *Program
	f *Func
}

var (
	allTypes   = []Type{S8, S16, S32, S64, U8, U16, U32, U64}
	floatTypes = []Type{F32, F64}
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

func (g *generator) typ() Type { return allTypes[g.Intn(len(allTypes))] }

func (g *generator) float() Type { return floatTypes[g.Intn(len(floatTypes))] }

// anyType is a type of values in memory.
func (g *generator) anyType() Type {
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

func (g *generator) expr(depth int) *Expr {
	if depth == 0 || g.Intn(5) == 0 {
		return g.leaf()
	}
	x := func() *Expr { return g.expr(depth - 1) }
	t := S64
	if g.flip() {
		t = g.typ()
	}
	op := ExprOp(int(Neg) + g.Intn(int(Ite-Neg)+1))
	if op.IsFloat() && op != FloatToInt {
		t = g.float()
	}
	switch {
	case op.IsUnary():
		return &Expr{Op: op, Type: t, X: x()}
	case op.IsBinary():
		return &Expr{Op: op, Type: t, X: x(), Y: x()}
	default:
		return &Expr{Op: Ite, Type: t, X: x(), Y: x(), Z: x()}
	}
}

func (g *generator) leaf() *Expr {
	var e *Expr
	switch g.Intn(7) {
	case 5:
		e = Undefined(S64)
	case 0:
		e = R(Reg(g.Intn(len(g.f.Regs))))
	case 1:
		e = SeenValue()
	case 2:
		e = Addr(ObjectID(g.Intn(len(g.p.Objects))), 0)
	case 3:
		e = Addr(ObjectID(g.Intn(len(g.p.Objects))), g.word())
	case 4:
		e = &Expr{Op: FuncAddr, Type: U64, Func: FuncID(g.Intn(len(g.p.Funcs)))}
	default:
		e = Int(g.word())
	}
	if g.Intn(8) == 0 {
		e.Type = g.anyType()
	}
	return e
}

// marks returns marks that an operation may have.
func (g *generator) marks(op *Op) Mark {
	out := Mark(g.Intn(1 << len(markNames)))
	if op.RMW != Cas {
		out &^= Weak
	}
	if op.RMW != Xchg || op.Dst != NoReg || op.Dst2 != NoReg {
		out &^= AsStore
	}
	if op.Sync.Order != Plain {
		out &^= NonAtomic
	}
	return out
}

// op has the fields it needs and some of those it may have.
func (g *generator) op(kind OpKind) Op {
	op := NewOp(kind)
	rule := opFields[kind]
	on := func(f fieldSet) bool { return rule.need.has(f) || rule.may.has(f) && g.flip() }
	put := func(f fieldSet, set func()) {
		if on(f) {
			set()
		}
	}
	order := func() Order { return Order(1 + g.Intn(len(orderNames)-1)) }
	put(fieldType, func() { op.Type = g.anyType() })
	put(fieldOrder, func() { op.Sync.Order = order() })
	put(fieldDst, func() { op.Dst = Reg(g.Intn(len(g.f.Regs))) })
	put(fieldDst2, func() { op.Dst2 = Reg(g.Intn(len(g.f.Regs))) })
	put(fieldAddr, func() { op.Addr = g.expr(3) })
	put(fieldVal, func() { op.Val = g.expr(3) })
	put(fieldCond, func() { op.Cond = g.expr(3) })
	put(fieldObj, func() { op.Obj = ObjectID(g.Intn(len(g.p.Objects))) })
	put(fieldFence, func() { op.Fence = FenceKind(1 + g.Intn(len(fenceNames)-1)) })
	put(fieldMutex, func() { op.Mutex.Kind = MutexKind(1 + g.Intn(len(mutexNames)-1)) })
	put(fieldTest, func() { op.Mutex.Test = MutexTest(1 + g.Intn(len(testNames)-1)) })
	put(fieldLoads, func() { op.Loads = true })
	put(fieldStack, func() { op.Block.Stack = true })
	put(fieldTimed, func() { op.Timed = true })
	put(fieldSync, func() { op.Sync.Kind = SyncKind(1 + g.Intn(len(syncNames)-1)) })
	put(fieldLayout, func() { op.Block.Layout = g.layout(3) })
	put(fieldClass, func() { op.Report.Class = CheckClass(1 + g.Intn(len(checkNames)-1)) })
	put(fieldMsg, func() { op.Report.Msg = "a \"message\"\n" })
	put(fieldName, func() { op.Block.Name = "a \"block\"\n" })
	put(fieldCallee, func() { op.Call.Type = "a \"type\"\n" })
	put(fieldCode, func() { op.Report.Code = "C0101" })
	put(fieldDstMask, func() { op.Undef.Dst = Reg(g.Intn(len(g.f.Regs))) })
	put(fieldMask, func() { op.Undef.Val = g.expr(2) })
	put(fieldUndef, func() { op.Block.Undef = true })
	put(fieldMarks, func() { op.Sync.Marks = g.marks(&op) })
	put(fieldArgs, func() { op.Call.Args = []*Expr{g.expr(2), g.expr(2)} })
	put(fieldThreads, func() { op.Call.Threads = []ThreadID{ThreadID(g.Intn(len(g.p.Threads))), 0} })
	put(fieldRange, func() {
		a, b := g.word(), g.word()
		op.Range = Range{Bounded: true, Lo: min(a, b), Hi: max(a, b)}
	})
	switch kind {
	case Nop, Assign:
		if op.Obj == NoObject {
			op.Block.Undef = false
		} else {
			op.Block.Undef = true
		}
	case Assert:
		if op.Report.Class != Uninitialised {
			op.Call.Args = nil
		}
	case RMW:
		if op.Type.Float {
			op.Type = g.typ()
		}
		op.RMW = RMWKind(1 + g.Intn(len(rmwNames)-1))
		if op.RMW != Xchg && op.RMW != Cas {
			op.Undef.Val = nil
		}
		op.Sync.Marks = g.marks(&op)
		if op.RMW == Cas {
			op.Val2 = g.expr(2)
			op.Sync.Fail = Order(g.Intn(len(orderNames)))
		}
	case CondWait:
		op.Val2 = g.expr(2)
	case Await: // a test of a mutex and its kind go together
		if op.Mutex.Test == MutexUntested {
			op.Mutex.Kind = MutexUnset
		} else if op.Mutex.Kind == MutexUnset {
			op.Mutex.Kind = NormalMutex
		}
	case Call:
		if op.Val == nil {
			op.Call.Func, op.Call.Type = FuncID(g.Intn(len(g.p.Funcs))), ""
		}
	case Spawn:
		if op.Val != nil {
			op.Call.Threads = nil
			break
		}
		if len(op.Call.Threads) == 0 || g.flip() {
			op.Call.Func = FuncID(g.Intn(len(g.p.Funcs)))
		}
	}
	return op
}

func (g *generator) layout(depth int) *Layout {
	kind := LayoutKind(1 + g.Intn(int(OpaqueLayout)))
	if depth == 0 {
		kind = PointerLayout
	}
	switch kind {
	case ScalarLayout:
		return &Layout{Kind: kind, Type: g.anyType()}
	case ArrayLayout:
		return &Layout{Kind: kind, Count: int64(g.Intn(4)), Elem: g.layout(depth - 1)}
	case RecordLayout:
		l := &Layout{Kind: kind, Bytes: int64(g.Intn(30))}
		for i := range g.Intn(4) {
			f := Field{Name: g.name("m", i), Layout: g.layout(depth - 1)}
			f.Off = l.Bytes
			l.Bytes += f.Layout.Size()
			l.Fields = append(l.Fields, f)
		}
		return l
	case OpaqueLayout:
		return &Layout{Kind: kind, Bytes: int64(g.Intn(30))}
	}
	return &Layout{Kind: PointerLayout}
}

func (g *generator) object(i int) Object {
	o := Object{Name: g.name("o", i), Size: int64(1 + g.Intn(40)), Type: S64, Pos: g.span()}
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
	o.PerThread = g.p.Form == Structured && g.flip()
	o.Addr = uint64(0x10000 + 64*i)
	if n := g.Intn(int(o.Size) + 1); n > 0 {
		o.Init = make([]byte, n)
		g.Read(o.Init)
	}
	return o
}

func (g *generator) program() *Program {
	g.p = &Program{Name: g.name("p", g.Intn(9)), Form: Form(1 + g.Intn(2)), Main: NoThread, Cells: g.flip()}
	p := g.p
	for i := range 1 + g.Intn(3) {
		p.Objects = append(p.Objects, g.object(i))
	}
	for i := range 1 + g.Intn(3) {
		p.Funcs = append(p.Funcs, &Func{Name: g.name("f", i), Pointer: g.flip(), Pos: g.span()})
	}
	for i := range 1 + g.Intn(3) {
		t := Thread{Name: g.name("t", i), Func: FuncID(g.Intn(len(p.Funcs))), Start: g.flip(), Unbounded: g.flip(), Pos: g.span()}
		for range g.Intn(3) {
			t.Args = append(t.Args, g.word())
		}
		if g.flip() {
			t.Template = g.name("template", i)
		}
		p.Threads = append(p.Threads, t)
	}
	if g.flip() {
		p.Main = ThreadID(g.Intn(len(p.Threads)))
	}
	for _, f := range p.Funcs {
		g.function(f)
	}
	if g.flip() {
		p.NextEdge += EdgeID(g.Intn(5))
	}
	p.Seal()
	return p
}

func (g *generator) function(f *Func) {
	g.f = f
	for i := range 2 + g.Intn(len(oddNames)) {
		f.Regs = append(f.Regs, Register{Name: g.name("r", i), Pos: g.span()})
		if g.flip() {
			f.Regs[i].Init = g.word()
		} else if g.flip() {
			f.Regs[i].Undef = g.typ()
		}
	}
	f.Params = g.Intn(len(f.Regs))
	positions := g.flip()
	for i := range 1 + g.Intn(6) {
		l := Location{Name: g.name("l", i)}
		if positions {
			l.Pos = g.span()
		}
		f.Locs = append(f.Locs, l)
	}
	if g.flip() {
		f.Entry = Loc(g.Intn(len(f.Locs)))
	}
	for range g.Intn(8) {
		e := Edge{ID: g.p.NextEdge, From: Loc(g.Intn(len(f.Locs))), To: Loc(g.Intn(len(f.Locs))), Pos: g.span()}
		e.Op = g.op(OpKind(1 + g.Intn(len(opNames)-1)))
		g.p.NextEdge++
		if g.Intn(4) == 0 {
			g.p.NextEdge += 2
		}
		e.Origin = e.ID
		if g.Intn(4) == 0 {
			e.Origin = EdgeID(g.Intn(9))
			e.Pass = g.name("pass", g.Intn(9))
		}
		for range g.Intn(3) {
			e.Stack = append(e.Stack, Frame{Func: g.name("f", g.Intn(9)), Call: g.span().Pos})
		}
		f.Edges = append(f.Edges, e)
	}
}
