package promela_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/export/promela"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

func parse(t *testing.T, text string) *ir.Program {
	t.Helper()
	p, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%+v in\n%s", diags.All, text)
	}
	if errs := ir.Verify(p); len(errs) > 0 {
		t.Fatalf("%v in\n%s", errs, text)
	}
	return p
}

// TestRefusals: an operation that Promela cannot express is refused with its position.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, op, want string }{
		{"constant", "r = 4294967296", "the number 4294967296 does not fit"},
		{"sum of constants", "r = (r + 2147483648)", "does not fit"},
		{"smallest int", "r = -2147483648", ""},
		{"unsigned 32 bits", "r = (r +u32 1)", "unsigned 32-bit values"},
		{"unsigned division", "r = (r /u64 3)", "division of unsigned"},
		{"shift by a register", "r = (1 << r)", "a shift by a number"},
		{"part of an element", "r = load.u8 [&x] in x", ""},
		{"unaligned", "r = load [&x+4] in x", ""},
		{"more than a word of no element", "r = load [&b] in b", "is no array"},
		{"computed address", "r = load [r]", "an address computed by the program"},
		{"index of bytes", "r = load [(&x +u64 r)] in x", ""},
		{"mutex in pieces", "r = lock [&x+4]", "a mutex in an object that is accessed in pieces"},
		{"unsigned 32 bits of memory", "r = load.u32 [&x] in x", ""},
		{"unsigned 32 bits computed", "r = rmw.add.u32 [&x], 1 seq_cst in x", "unsigned 32-bit values"},
		{"large constant in pieces", "store.u32 [&x] = 4294967296 in x", ""},
		{"index of elements", "r = load [(&x +u64 (r * 8))] in x", ""},
		{"many values", "r = havoc when ((r & 1) == 0) range 0..1000", "more than 64"},
		{"large values", "r = havoc range 9223372036854775800..9223372036854775807", "do not fit"},
		{"many values between bounds", "r = havoc when (r > 5) range 0..1000", ""},
		{"allocation", "r = alloc 8", "allocation cannot be exported"},
		{"barrier", "r = barrier [&x]", "a barrier cannot be exported"},
		{"mutex", "r = lock [&x]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, fmt.Sprintf("program p flat\nobject x size 16 unit 8\nobject b size 12 unit 3\nfunc f() {\n  reg r\n  loc A\n  loc B\n  A -> B: %s @test.ir:7:1-7:2\n}\nthread f = f()\n", c.op))
			for _, model := range []promela.Model{promela.SC, promela.TSO} {
				text, refusals := promela.Write(p, &property.Set{Checks: true}, promela.Options{Model: model, Buffer: 2})
				switch {
				case c.want == "":
					if len(refusals) > 0 || text == "" {
						t.Errorf("%s: refused: %+v", model, refusals)
					}
				case len(refusals) != 1 || text != "":
					t.Errorf("%s: %d refusals, and a text of %d bytes", model, len(refusals), len(text))
				case !strings.Contains(refusals[0].Reason, c.want) || refusals[0].Pos.Line != 7:
					t.Errorf("%s: refused with %+v, want %q", model, refusals[0], c.want)
				}
			}
		})
	}
}

// TestBufferRoom: a buffer has room for all stores that the thread can have pending, and
// the bound matters only if their number is unlimited.
func TestBufferRoom(t *testing.T) {
	for _, c := range []struct {
		name, edges string
		want        string // the declaration of the buffer, "" for none
		bounded     bool
	}{
		{"straight", "A -> B: store [&x] = 1 in x\n B -> C: store [&x] = 2 in x", "values_f[2]", false},
		{"branches", "A -> B: store [&x] = 1 in x\n A -> B: store [&x] = 2 in x\n B -> C: nop", "values_f[1]", false},
		{"drained between", "A -> B: store [&x] = 1 in x\n B -> C: fence.full\n C -> D: store [&x] = 2 in x", "values_f[1]", false},
		{"loop", "A -> B: store [&x] = 1 in x\n B -> A: nop", "values_f[3]", true},
		{"loop that drains", "A -> B: store [&x] = 1 in x\n B -> C: store [&x] = 2 in x\n C -> A: fence.full", "values_f[2]", false},
		{"section", "A -> B: atomicbegin\n B -> C: store [&x] = 1 in x\n C -> D: atomicend", "", false},
		{"loads only", "A -> B: r = load [&x] in x", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "program p flat\nobject x size 8\nfunc f() {\n reg r\n loc A\n loc B\n loc C\n loc D\n "+c.edges+"\n}\nthread f = f()\n")
			text, refusals := promela.Write(p, &property.Set{Checks: true}, promela.Options{Model: promela.TSO, Buffer: 3})
			if len(refusals) > 0 {
				t.Fatal(refusals)
			}
			if got := strings.Contains(text, "values_f["); got != (c.want != "") || !strings.Contains(text, c.want) {
				t.Errorf("want %q in\n%s", c.want, text)
			}
			if got := strings.Contains(text, "pending_f < 3"); got != c.bounded {
				t.Errorf("bounded: %t, want %t in\n%s", got, c.bounded, text)
			}
			if got := strings.Contains(text, "Buffer bound"); got != c.bounded {
				t.Errorf("the header names a bound: %t, want %t", got, c.bounded)
			}
		})
	}
}

// TestSpinEvaluates: SPIN gives expressions the same values as ir.
func TestSpinEvaluates(t *testing.T) {
	testkit.NeedSpin(t)
	r := rand.New(rand.NewPCG(1, 2))
	b := ir.NewBuilder("expressions", false)
	f := b.Func("f", source.Span{})
	values := []int64{-5, -1, 0, 1, 2, 7, 300, -200}
	for i, v := range values {
		f.Reg(fmt.Sprintf("r%d", i), v, source.Span{})
	}
	at := f.Loc("", source.Span{})
	for range 400 {
		e := expression(r, len(values), 3)
		if e.Op == ir.Const {
			continue
		}
		op := ir.NewOp(ir.Assert)
		op.Val, op.Report.Class = ir.Binary(ir.Eq, ir.S64, e, ir.Int(e.Eval(ir.Env{Regs: values}))), ir.Assertion
		next := f.Loc("", source.Span{})
		f.Edge(at, op, next, source.Span{})
		at = next
	}
	b.Thread(ir.Thread{Name: "t", Func: f.ID, Start: true})
	p := b.Finish()
	p.Form = ir.Flat
	text, refusals := promela.Write(p, &property.Set{Checks: true}, promela.Options{Model: promela.SC})
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	if got := spin(t, text); got.Inconclusive != "" || got.Errors > 0 || got.States < 300 {
		t.Errorf("%q, errors: %d %s\n%s", got.Inconclusive, got.Errors, got.Violation, got.Output)
	}
}

// expression returns a random expression whose values fit into 32 bits and that export
// does not refuse.
func expression(r *rand.Rand, regs, depth int) *ir.Expr {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(4) == 0 {
			return ir.Int(int64(r.IntN(21) - 10))
		}
		return ir.R(ir.Reg(r.IntN(regs)))
	}
	sub := func() *ir.Expr { return expression(r, regs, depth-1) }
	signed := []ir.Type{ir.S64, ir.S64, ir.S32, ir.S16, ir.S8}
	types := append([]ir.Type{ir.U64, ir.U16, ir.U8}, signed...)
	typ := types[r.IntN(len(types))]
	op := ir.Neg + ir.ExprOp(r.IntN(int(ir.Ite-ir.Neg)+1))
	if op.IsFloat() {
		return expression(r, regs, depth)
	}
	switch op {
	case ir.Neg, ir.BitNot, ir.Not, ir.Cast:
		return ir.Unary(op, typ, sub())
	case ir.Div, ir.Rem:
		return ir.Binary(op, signed[r.IntN(len(signed))], sub(), sub())
	case ir.Shl, ir.Shr:
		return ir.Binary(op, signed[r.IntN(len(signed))], sub(), ir.Int(int64(r.IntN(4))))
	case ir.Ite:
		return ir.Conditional(sub(), sub(), sub())
	default:
		return ir.Binary(op, typ, sub(), sub())
	}
}

// TestSpinTraps: SPIN gives no answer if a value that is composed from bytes does not fit
// into Promela's int.
func TestSpinTraps(t *testing.T) {
	testkit.NeedSpin(t)
	for _, c := range []struct{ name, load string }{
		{"unsigned word", "r = load.u32 [&x] in x"},
		{"long", "r = load [&x] in x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := parse(t, "program p flat\nobject x size 16 unit 8\nfunc f() {\n reg r\n loc A\n A -> B: store.u8 [&x+3] = 200 in x\n B -> C: "+c.load+"\n C -> D: assert (r != 7)\n}\nthread f = f()\n")
			for _, model := range []promela.Model{promela.SC, promela.TSO} {
				if (model == promela.SC) != (c.name == "long") && !testkit.Slow() {
					continue // one model each is enough
				}
				text, refusals := promela.Write(p, &property.Set{Checks: true}, promela.Options{Model: model, Buffer: 2})
				if len(refusals) > 0 {
					t.Fatal(refusals)
				}
				if got := spin(t, text); got.Inconclusive == "" {
					t.Errorf("%s: errors: %d, want a trap\n%s", model, got.Errors, text)
				}
			}
		})
	}
}
