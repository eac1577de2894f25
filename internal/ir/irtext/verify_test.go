package irtext

import (
	"strings"
	"testing"

	"fencepost/internal/ir"
)

const soundFlat = `program sound flat
object x size 8
object y size 8
func a(p) {
  reg r
  l0 -> l1: r = spawn {u}(1)
  l1 -> l2: store [&x] = 1
  l2 -> l3: r = load [&y]
  l3 -> l4: atomicbegin
  l4 -> l5: r, p = rmw.cas [&x], 0, 1
  l5 -> l6: atomicend
  l6 -> l7: await [&x] when (seen == 1)
  l7 -> end: return r
}
func b(q) {
  m0 -> m1: q = havoc range 0..1
}
thread t = a(1)
thread u = b() spawned
`

const soundStructured = `program sound structured
object x size 8
func f(p) pointer {
  l0 -> end: return p
}
func g() {
  reg r
  m0 -> m1: r = call f(1)
  m1 -> m2: call [&&f](2)
  m2 -> m3: spawn f()
  m3 -> m4: join r
}
thread g
`

func TestVerifySound(t *testing.T) {
	for _, text := range []string{soundFlat, soundStructured} {
		if errs := ir.Verify(parseText(t, text)); len(errs) > 0 {
			t.Error(errs)
		}
	}
}

// TestVerifyRules breaks one rule at a time.
func TestVerifyRules(t *testing.T) {
	edge := func(p *ir.Program, f, i int) *ir.Edge { return &p.Funcs[f].Edges[i] }
	tests := []struct {
		want   string
		form   ir.Form
		damage func(p *ir.Program)
	}{
		{"the program has no form", ir.Flat, func(p *ir.Program) { p.Form = ir.FormUnset }},
		{"main thread 5 does not exist", ir.Flat, func(p *ir.Program) { p.Main = 5 }},
		{"the next edge id is negative", ir.Flat, func(p *ir.Program) { p.NextEdge = -1 }},
		{"two objects are called x", ir.Flat, func(p *ir.Program) { p.Objects[1].Name = "x" }},
		{"two threads are called t", ir.Flat, func(p *ir.Program) { p.Threads[1].Name = "t" }},
		{"two functions are called a", ir.Flat, func(p *ir.Program) { p.Funcs[1].Name = "a" }},
		{"a function is nil", ir.Flat, func(p *ir.Program) { p.Funcs[1] = nil }},
		{"function a: two registers are called p", ir.Flat, func(p *ir.Program) { p.Funcs[0].Regs[1].Name = "p" }},
		{"function a: two locations are called l0", ir.Flat, func(p *ir.Program) { p.Funcs[0].Locs[1].Name = "l0" }},
		{"object x: the size is negative", ir.Flat, func(p *ir.Program) { p.Objects[0].Size = -1 }},
		{"object x: the unit is not positive", ir.Flat, func(p *ir.Program) { p.Objects[0].Unit = 0 }},
		{"object x: 9 initial bytes do not fit a size of 8", ir.Flat, func(p *ir.Program) { p.Objects[0].Init = make([]byte, 9) }},
		{"object x: it does not fit the address space", ir.Flat, func(p *ir.Program) { p.Objects[0].Addr = 1<<63 - 4 }},
		{"object x: the type has 7 bits", ir.Flat, func(p *ir.Program) { p.Objects[0].Type.Bits = 7 }},
		{"object x: a cell window in a program without cells", ir.Flat, func(p *ir.Program) { p.Objects[0].Cells = true }},
		{"object x: a cell window not made of cells", ir.Flat, func(p *ir.Program) { p.Cells, p.Objects[0].Cells, p.Objects[0].Unit = true, true, 4 }},
		{"object x: a cell window above all cells", ir.Flat, func(p *ir.Program) { p.Cells, p.Objects[0].Cells, p.Objects[0].Addr = true, true, ir.CellDataBase }},
		{"object x: it lies where integers name cells", ir.Flat, func(p *ir.Program) { p.Cells = true }},
		{"object x: it lies at the null address", ir.Flat, func(p *ir.Program) { p.Objects[0].Addr = 0 }},
		{"objects x and y overlap", ir.Flat, func(p *ir.Program) { p.Objects[1].Addr = p.Objects[0].Addr + 7 }},
		{"function a: 3 parameters of 2 registers", ir.Flat, func(p *ir.Program) { p.Funcs[0].Params = 3 }},
		{"function a: entry location 99 does not exist", ir.Flat, func(p *ir.Program) { p.Funcs[0].Entry = 99 }},
		{"function a: edge 1: a location does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).To = 99 }},
		{"function a: edge 0: the id is not unique", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).ID = 0 }},
		{"edge 9: the id is not below the next id 9", ir.Flat, func(p *ir.Program) { edge(p, 1, 0).ID = 9 }},
		{"edge 1: the origin is negative", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Origin = ir.NoEdge }},
		{"function a: changed since it was sealed", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).From = 0 }},
		{"edge 7: return leads to l0, which goes on", ir.Flat, func(p *ir.Program) { edge(p, 0, 7).To = 0 }},
		{"edge 1: store needs a memory order", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Sync.Order = ir.OrderUnset }},
		{"edge 1: store needs an access type", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Type = ir.Type{} }},
		{"edge 1: store has an access type of 7 bits", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Type.Bits = 7 }},
		{"edge 1: store needs an address", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Addr = nil }},
		{"edge 1: store needs a value", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = nil }},
		{"edge 1: store cannot have a destination", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Dst = 0 }},
		{"edge 1: store cannot have a condition", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Cond = ir.Int(1) }},
		{"edge 1: store cannot have a range", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Range.Bounded = true }},
		{"edge 1: store cannot have a message", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Report.Msg = "m" }},
		{"edge 1: store has an unknown memory order 99", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Sync.Order = 99 }},
		{"edge 1: op(0) is not an operation", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Kind = ir.OpUnset }},
		{"edge 2: load needs a destination", ir.Flat, func(p *ir.Program) { edge(p, 0, 2).Op.Dst = ir.NoReg }},
		{"edge 2: register 2 does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 2).Op.Dst = 2 }},
		{"edge 2: object 2 does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 2).Op.Obj = 2 }},
		{"edge 4: rmw needs a second value for cas", ir.Flat, func(p *ir.Program) { edge(p, 0, 4).Op.Val2 = nil }},
		{"edge 4: rmw has parts that only cas has", ir.Flat, func(p *ir.Program) { edge(p, 0, 4).Op.RMW = ir.Xchg }},
		{"edge 4: two destinations are the same register", ir.Flat, func(p *ir.Program) { edge(p, 0, 4).Op.Dst2 = 1 }},
		{"edge 6: await needs a condition", ir.Flat, func(p *ir.Program) { edge(p, 0, 6).Op.Cond = nil }},
		{"edge 8: havoc has bounds but no range", ir.Flat, func(p *ir.Program) { edge(p, 1, 0).Op.Range.Bounded = false }},
		{"edge 8: havoc has an empty range", ir.Flat, func(p *ir.Program) { edge(p, 1, 0).Op.Range.Lo = 5 }},
		{"edge 8: seen stands outside the condition of an await", ir.Flat, func(p *ir.Program) { edge(p, 1, 0).Op.Cond = ir.SeenValue() }},
		{"edge 1: seen stands outside", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = ir.Unary(ir.Neg, ir.S64, ir.SeenValue()) }},
		{"edge 1: register 9 does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = ir.R(9) }},
		{"edge 1: object 9 does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Addr = ir.Addr(9, 0) }},
		{"edge 1: function 9 does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = &ir.Expr{Op: ir.FuncAddr, Func: 9} }},
		{"edge 1: + has 1 operands, not 2", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = &ir.Expr{Op: ir.Add, Type: ir.S64, X: ir.Int(1)} }},
		{"edge 1: + has gaps in its operands", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = &ir.Expr{Op: ir.Add, Type: ir.S64, Y: ir.Int(1)} }},
		{"edge 1: + works at 0 bits", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = &ir.Expr{Op: ir.Add, X: ir.Int(1), Y: ir.Int(1)} }},
		{"edge 1: unknown expression operator 0", ir.Flat, func(p *ir.Program) { edge(p, 0, 1).Op.Val = &ir.Expr{} }},
		{"edge 0: an argument is nil", ir.Flat, func(p *ir.Program) { edge(p, 0, 0).Op.Call.Args[0] = nil }},
		{"edge 0: 2 arguments for 1 parameters", ir.Flat, func(p *ir.Program) { edge(p, 0, 0).Op.Call.Args = []*ir.Expr{ir.Int(1), ir.Int(2)} }},
		{"edge 0: thread 7 does not exist", ir.Flat, func(p *ir.Program) { edge(p, 0, 0).Op.Call.Threads = []ir.ThreadID{7} }},
		{"edge 0: a spawn in a flat program names threads", ir.Flat, func(p *ir.Program) { edge(p, 0, 0).Op.Call.Func = 1 }},
		{"edge 0: spawn needs a function, a pointer or threads", ir.Flat, func(p *ir.Program) { edge(p, 0, 0).Op.Call.Threads = nil }},
		{"thread u: it is spawned although it runs from the beginning", ir.Flat, func(p *ir.Program) { p.Threads[1].Start = true }},
		{"thread t: nothing starts it", ir.Flat, func(p *ir.Program) { p.Threads[0].Start = false }},
		{"thread t: function 5 does not exist", ir.Flat, func(p *ir.Program) { p.Threads[0].Func = 5 }},
		{"thread u: 2 arguments for 1 parameters", ir.Flat, func(p *ir.Program) { p.Threads[1].Args = []int64{1, 2} }},
		{"function a: a thread can end at end inside an atomic section", ir.Flat, func(p *ir.Program) { edge(p, 0, 5).Op, edge(p, 0, 7).Op = ir.NewOp(ir.Nop), ir.NewOp(ir.Nop) }},
		{"edge 1: a call in a flat program", ir.Structured, func(p *ir.Program) { p.Form = ir.Flat }},
		{"edge 1: call needs either a function or a pointer", ir.Structured, func(p *ir.Program) { edge(p, 1, 0).Op.Val = ir.Int(1) }},
		{"edge 1: function 9 does not exist", ir.Structured, func(p *ir.Program) { edge(p, 1, 0).Op.Call.Func = 9 }},
		{"edge 1: 1 arguments for 0 parameters", ir.Structured, func(p *ir.Program) { edge(p, 1, 0).Op.Call.Func = 1 }},
		{"edge 3: a spawn in a structured program names a function", ir.Structured, func(p *ir.Program) { edge(p, 1, 2).Op.Call.Threads = []ir.ThreadID{0} }},
		{"the address of f is taken, but it is not marked so", ir.Structured, func(p *ir.Program) { p.Funcs[0].Pointer = false }},
	}
	for _, tt := range tests {
		text := soundFlat
		if tt.form == ir.Structured {
			text = soundStructured
		}
		p := parseText(t, text)
		tt.damage(p)
		var all []string
		for _, err := range ir.Verify(p) {
			all = append(all, err.Error())
		}
		if got := strings.Join(all, "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("want %s, got\n%s", tt.want, got)
		}
	}
}

func TestSections(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"inside and after", "a -> b: atomicbegin\n b -> c: nop\n c -> d: atomicend\n d -> e: return", "b c"},
		{"loop inside", "a -> b: atomicbegin\n b -> b: nop\n b -> c: atomicend", "b"},
		{"bound and exit may leave", "a -> b: atomicbegin\n b -> z: bound \"k\"\n b -> z: exit\n b -> c: atomicend", "b"},
		{"unreachable", "a -> a: nop\n x -> y: atomicend", ""},
		{"nested", "a -> b: atomicbegin\n b -> c: atomicbegin", "function f: edge 1 begins an atomic section inside another"},
		{"end alone", "a -> b: atomicend", "function f: edge 0 ends an atomic section that has not begun"},
		{"thread ends", "a -> b: atomicbegin\n b -> c: nop", "function f: a thread can end at c inside an atomic section"},
		{"return", "a -> b: atomicbegin\n b -> c: return", "function f: edge 1 ends the thread inside an atomic section"},
		{"two ways", "a -> b: atomicbegin\n a -> b: nop\n b -> a: atomicend", "function f: b is inside an atomic section on some ways only"},
	}
	for _, tt := range tests {
		p := parseText(t, "func f {\n "+tt.body+"\n}\nthread f\n")
		inside, err := ir.SectionLocs(p.Funcs[0])
		var got string
		if err != nil {
			got = err.Error()
		} else {
			var names []string
			for l, in := range inside {
				if in {
					names = append(names, p.Funcs[0].Locs[l].Name)
				}
			}
			got = strings.Join(names, " ")
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if errs := ir.Verify(p); (len(errs) > 0) != (err != nil) {
			t.Errorf("%s: Verify says %v", tt.name, errs)
		}
		p.Form = ir.Structured
		if errs := ir.Verify(p); (len(errs) > 0) != (err != nil) {
			t.Errorf("%s: Verify says %v in structured form", tt.name, errs)
		}
	}
}

// TestSealLeavesSharedFunctions: passes share the functions they do not change with the
// program they read, which engines walk at the same time.
func TestSealLeavesSharedFunctions(t *testing.T) {
	p := parseText(t, soundFlat)
	before := make([]*int32, len(p.Funcs))
	for i, f := range p.Funcs {
		before[i] = &f.Out(f.Entry)[0]
	}
	p.Seal()
	for i, f := range p.Funcs {
		if &f.Out(f.Entry)[0] != before[i] {
			t.Errorf("%s: sealed once more, its index is written again", f.Name)
		}
	}
	f := p.Funcs[0]
	f.Edges[0].From = f.Edges[1].From
	p.Seal()
	if out := f.Out(f.Edges[1].From); len(out) != 2 {
		t.Errorf("sealed after a change: edges %v leave the location, want 2", out)
	}
}
