package export_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

func parse(t *testing.T, text string) *ir.Program {
	t.Helper()
	p, diags := ir.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%+v in\n%s", diags.All, text)
	}
	if errs := ir.Verify(p); len(errs) > 0 {
		t.Fatalf("%v in\n%s", errs, text)
	}
	return p
}

// TestRefusals: what Promela cannot express is refused where it stands.
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
			for _, model := range []export.Model{export.SC, export.TSO} {
				text, refusals := export.Promela(p, &property.Set{Checks: true}, export.Options{Model: model, Buffer: 2})
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

// TestBufferRoom: a buffer has room for what the thread can have pending, and
// the bound only counts where that is unlimited.
func TestBufferRoom(t *testing.T) {
	for _, c := range []struct {
		name, edges string
		want        string // declaration, "" for no buffer
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
			text, refusals := export.Promela(p, &property.Set{Checks: true}, export.Options{Model: export.TSO, Buffer: 3})
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
				t.Errorf("the head tells of a bound: %t, want %t", got, c.bounded)
			}
		})
	}
}

// TestSpinEvaluates: expressions mean to SPIN what they mean to us.
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
		op.Val, op.Class = ir.Binary(ir.Eq, ir.S64, e, ir.Int(e.Eval(ir.Env{Regs: values}))), ir.Assertion
		next := f.Loc("", source.Span{})
		f.Edge(at, op, next, source.Span{})
		at = next
	}
	b.Thread(ir.Thread{Name: "t", Func: f.ID, Start: true})
	p := b.Finish()
	p.Form = ir.Flat
	text, refusals := export.Promela(p, &property.Set{Checks: true}, export.Options{Model: export.SC})
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	if got := spin(t, text); got.Inconclusive != "" || got.Errors > 0 || got.States < 300 {
		t.Errorf("%q, errors: %d %s\n%s", got.Inconclusive, got.Errors, got.Violation, got.Output)
	}
}

// expression is a random one that stays within 32 bits and is not refused.
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
	switch op := ir.Neg + ir.ExprOp(r.IntN(int(ir.Ite-ir.Neg)+1)); op {
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

// TestSpinTraps: a value put together from bytes that has more than the bits of Promela's
// int gives no answer.
func TestSpinTraps(t *testing.T) {
	testkit.NeedSpin(t)
	for _, c := range []struct{ name, load string }{
		{"unsigned word", "r = load.u32 [&x] in x"},
		{"long", "r = load [&x] in x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := parse(t, "program p flat\nobject x size 16 unit 8\nfunc f() {\n reg r\n loc A\n A -> B: store.u8 [&x+3] = 200 in x\n B -> C: "+c.load+"\n C -> D: assert (r != 7)\n}\nthread f = f()\n")
			for _, model := range []export.Model{export.SC, export.TSO} {
				text, refusals := export.Promela(p, &property.Set{Checks: true}, export.Options{Model: model, Buffer: 2})
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

// TestSpinAgreesOnOperations: operations that the corpus does not have.
func TestSpinAgreesOnOperations(t *testing.T) {
	testkit.NeedSpin(t)
	for _, c := range []struct{ name, text string }{
		{"mutex that checks", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  loc E
  loc F
  A -> B: r = unlock.errorcheck [&m]
  B -> C: assert (r == 1)
  C -> D: r = lock.errorcheck [&m]
  D -> E: r = lock.errorcheck [&m]
  E -> F: assert (r == 35)
}
thread f = f()
thread g = f()
`},
		{"mutex locked again", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  loc E
  loc F
  loc G
  A -> B: lock.recursive [&m]
  B -> C: r = trylock.recursive [&m]
  C -> D: assert (r == 0)
  D -> E: unlock.recursive [&m]
  E -> F: store [&x] = 1 in x
  F -> G: unlock.recursive [&m]
}
func g() {
  reg r
  loc A
  loc B
  loc C
  A -> B: r = trylock.recursive [&m]
  B -> C: assert ((r == 0) || (r == 16))
}
thread f = f()
thread g = g()
`},
		{"unlock of what is not owned", `
func f() {
  loc A
  loc B
  A -> B: unlock.normal [&m]
}
thread f = f()
`},
		{"nothing reaches memory during another's section", `
func f() {
  loc A
  loc B
  A -> B: store [&x] = 1 in x
}
func g() {
  reg r
  reg s
  loc A
  loc B
  loc C
  loc D
  loc E
  loc F
  A -> B: atomicbegin
  B -> C: r = load [&x] in x
  C -> D: s = load [&x] in x
  D -> E: atomicend
  E -> F: assert (r == s)
}
thread f = f()
thread g = g()
`},
		{"forwarding during a section that never ends", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store [&x] = 1 in x
  B -> C: r = load [&x] in x
  C -> D: assert (r == 1)
}
func g() {
  loc A
  loc B
  A -> B: atomicbegin
  B -> B: await [&x] in x when (seen == 1)
}
thread f = f()
thread g = g()
`},
		{"exit ends the program", `
func f() {
  loc A
  loc B
  A -> B: exit
}
func g() {
  loc A
  loc B
  A -> B: await [&x] in x when (seen == 1)
}
thread f = f()
thread g = g()
`},
		{"values of one byte", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  loc E
  A -> B: store.u8 [&b] = 300 in b
  B -> C: r = load.s8 [&b] in b
  C -> D: r = rmw.add.u8 [&b], 250 seq_cst in b
  D -> E: assert (r == 44)
}
thread f = f()
`},
		{"a load of bytes that are partly the own ones", `
func f() {
  reg q
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store.u8 [&w+1] = 1 in w
  B -> C: q = load.u32 [&w] in w
  C -> D: r = load [&x] in x
  D -> E: assume ((q == 256) && (r == 0))
  E -> F: store [&z] = 1 in z
}
func g() {
  reg s
  loc A
  loc B
  loc C
  loc D
  A -> B: store [&x] = 1 in x
  B -> C: fence.full
  C -> D: s = load.u32 [&w] in w
  D -> E: assume (s == 0)
  E -> F: await [&z] in z when (seen == 1)
  F -> G: assert 0
}
thread f = f()
thread g = g()
`},
		{"no byte of memory during a section that never ends", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store.u16 [&w] = 257 in w
  B -> C: r = load.u8 [&w+1] in w
  C -> D: assert (r == 1)
  D -> E: r = load.u32 [&w] in w
  E -> F: await [&z] in z when (seen == 1)
}
func g() {
  reg r
  loc A
  loc B
  A -> B: atomicbegin
  B -> C: r = load.u32 [&w] in w
  C -> D: assume (r == 0)
  D -> D: await.u8 [&w] in w when (seen == 1)
}
thread f = f()
thread g = g()
`},
		{"bytes of a negative number", `
func f() {
  reg r
  loc A
  loc B
  loc C
  loc D
  A -> B: store [&w] = -2 in w
  B -> C: r = load.u8 [&w+6] in w
  C -> D: assert (r == 255)
  D -> E: r = load.s16 [&w] in w
  E -> F: assert (r == -2)
  F -> G: r = load [&w] in w
  G -> H: assert (r == -2)
  H -> I: fence.full
  I -> J: r = load [&w] in w
  J -> K: assert (r == -2)
  K -> L: store.u8 [&w+1] = 0 in w
  L -> M: r = load.s32 [&w] in w
  M -> N: assert (r == -65282)
  N -> O: r = rmw.cas.u16 [&w+1], 65280, 1 seq_cst in w
  O -> P: assert (r == 65280)
  P -> Q: r = load.u8 [&w+2] in w
  Q -> R: assert (r == 0)
}
thread f = f()
`},
		{"an index of bytes", `
func f() {
  reg i
  reg r
  loc A
  loc B
  loc C
  A -> B: i = havoc range 0..5
  B -> C: store.u8 [(&w +u64 i)] = 3 in w
  C -> D: r = load.u32 [(&w +u64 i)] in w
  D -> E: assert (r == 3)
}
thread f = f()
`},
		{"an index of bytes inside", `
func f() {
  reg i
  reg r
  loc A
  loc B
  loc C
  A -> B: i = havoc range 0..4
  B -> C: store.u8 [(&w +u64 i)] = 3 in w
  C -> D: r = load.u32 [(&w +u64 i)] in w
  D -> E: assert (r == 3)
}
thread f = f()
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := parse(t, "program p flat\nobject m size 8\nobject x size 8\nobject b size 1 unit 1 type u8\nobject w size 8\nobject z size 8\n"+c.text)
			props := &property.Set{Checks: true, Deadlock: true}
			for i, model := range []export.Model{export.SC, export.TSO} {
				text, refusals := export.Promela(p, props, export.Options{Model: model, Buffer: 8})
				if len(refusals) > 0 {
					t.Fatal(refusals)
				}
				want, err := testkit.Oracle(p, props, testkit.Models[i])
				if err != nil {
					t.Fatal(err)
				}
				got := spin(t, text)
				violated := len(want.Checks) > 0 || want.Deadlock
				if got.Inconclusive != "" || violated != (got.Errors > 0) {
					t.Errorf("%s: we say %+v, SPIN says %q errors: %d %s\n%s", model, want, got.Inconclusive, got.Errors, got.Violation, text)
				}
			}
		})
	}
}
