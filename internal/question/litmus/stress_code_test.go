package litmus_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/native"
	"fencepost/internal/source"
	"fencepost/internal/stress"
)

// randomCode makes one thread that computes and accesses an object of 64 bytes, and what
// its registers and the object hold in the end by the definitions of package ir. Registers
// beyond the first have one assignment each.
type randomCode struct {
	rnd  *rand.Rand
	b    *ir.Builder
	fb   *ir.FuncBuilder
	obj  ir.ObjectID
	at   ir.Loc
	regs []int64
	mem  [64]byte
}

var types = []ir.Type{ir.S8, ir.S16, ir.S32, ir.S64, ir.U8, ir.U16, ir.U32, ir.U64}

func (c *randomCode) number() int64 {
	switch c.rnd.IntN(4) {
	case 0:
		return int64(c.rnd.IntN(9)) - 4
	case 1:
		return -1 << 63
	case 2:
		return int64(c.rnd.Uint32()) - 1<<31
	default:
		return int64(c.rnd.Uint64())
	}
}

var operators = []ir.ExprOp{
	ir.Neg, ir.BitNot, ir.Not, ir.Cast, ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.And, ir.Or, ir.Xor, ir.Shl, ir.Shr,
	ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.LAnd, ir.LOr, ir.Ite,
}

func (c *randomCode) expr(depth int) *ir.Expr {
	if depth == 0 || c.rnd.IntN(5) == 0 {
		if len(c.regs) > 0 && c.rnd.IntN(2) == 0 {
			return ir.R(ir.Reg(c.rnd.IntN(len(c.regs))))
		}
		return ir.Int(c.number())
	}
	op, t := operators[c.rnd.IntN(len(operators))], types[c.rnd.IntN(len(types))]
	switch {
	case op == ir.Ite:
		return ir.Conditional(c.expr(depth-1), c.expr(depth-1), c.expr(depth-1))
	case op.IsUnary():
		return ir.Unary(op, t, c.expr(depth-1))
	default:
		return ir.Binary(op, t, c.expr(depth-1), c.expr(depth-1))
	}
}

func (c *randomCode) eval(e *ir.Expr) int64 { return e.Eval(ir.Env{Regs: c.regs}) }

// define makes a register with a value.
func (c *randomCode) define(v int64) ir.Reg {
	r := c.fb.Reg("r"+string(rune('a'+len(c.regs)%26))+string(rune('a'+len(c.regs)/26)), 0, source.Span{})
	c.regs = append(c.regs, v)
	return r
}

func (c *randomCode) emit(op ir.Op) {
	next := c.fb.Loc("", source.Span{})
	c.fb.Edge(c.at, op, next, source.Span{})
	c.at = next
}

func (c *randomCode) load(off, size int) (v uint64) {
	for i := range size {
		v |= uint64(c.mem[off+i]) << (8 * i)
	}
	return v
}

func (c *randomCode) step() {
	op := ir.NewOp([]ir.OpKind{ir.Assign, ir.Assign, ir.Load, ir.Store, ir.RMW, ir.RMW}[c.rnd.IntN(6)])
	val := c.expr(3)
	v := c.eval(val)
	if op.Kind == ir.Assign {
		op.Val, op.Dst = val, c.define(v)
		c.emit(op)
		return
	}
	op.Type, op.Sync.Order, op.Obj = types[c.rnd.IntN(len(types))], ir.Relaxed, c.obj
	size := op.Type.Size()
	off := c.rnd.IntN(len(c.mem)/size) * size
	op.Addr = ir.Addr(c.obj, int64(off))
	old := op.Type.Wrap(int64(c.load(off, size)))
	next, wrote := old, true
	switch op.Kind {
	case ir.Load:
		wrote = false
	case ir.Store:
		op.Val, next = val, v
	case ir.RMW:
		op.RMW, op.Val = ir.RMWKind(1+c.rnd.IntN(6)), val
		switch op.RMW {
		case ir.Xchg:
			next = v
		case ir.FetchAdd:
			next = old + v
		case ir.FetchAnd:
			next = old & v
		case ir.FetchOr:
			next = old | v
		case ir.FetchXor:
			next = old ^ v
		case ir.Cas:
			if c.rnd.IntN(2) == 0 {
				op.Val, v = ir.Int(old), old
			}
			op.Val2 = c.expr(2)
			op.Sync.Fail = ir.Relaxed
			if wrote = op.Type.Wrap(v) == old; wrote {
				next = c.eval(op.Val2)
			}
		}
	}
	if op.Kind != ir.Store {
		op.Dst = c.define(old)
	}
	if op.Kind == ir.RMW {
		n := int64(0)
		if wrote {
			n = 1
		}
		op.Dst2 = c.define(n)
	}
	if wrote {
		for i := range size {
			c.mem[off+i] = byte(uint64(next) >> (8 * i))
		}
	}
	c.emit(op)
}

// TestStressCode: the operations that are printed and compiled compute the values that package ir defines.
func TestStressCode(t *testing.T) {
	compiler, err := native.Find(0.001)
	if err != nil {
		t.Skip(err)
	}
	for seed := range uint64(2) {
		c := &randomCode{rnd: rand.New(rand.NewPCG(seed, 7)), b: ir.NewBuilder("random", false)}
		c.obj = c.b.Object("m", 64, 8, ir.U64, nil, source.Span{})
		c.fb = c.b.Func("P0", source.Span{})
		c.at = c.fb.Loc("", source.Span{})
		c.b.Thread(ir.Thread{Name: "P0", Func: c.fb.ID, Start: true})
		for range 100 {
			c.step()
		}
		c.emit(ir.NewOp(ir.Return))
		test := &stress.Test{
			Program: c.b.Finish(), ObjectAt: []int{0}, Base: 0x10000000,
			Locations: []stress.Location{{Size: 64, Align: 8}}, Threads: []stress.Thread{{Func: c.fb.ID, Stack: -1}},
		}
		var want []int64
		for r, v := range c.regs {
			test.Threads[0].Keep = append(test.Threads[0].Keep, ir.Reg(r))
			test.Observe = append(test.Observe, stress.Var{Out: r, Held: 64, Bits: 64, Signed: true})
			want = append(want, v)
		}
		for off := range 8 {
			test.Observe = append(test.Observe, stress.Var{Thread: -1, Address: stress.Address{Offset: int64(8 * off)}, Held: 64, Bits: 64, Signed: true})
			want = append(want, int64(c.load(8*off, 8)))
		}
		p, err := stress.Write(test)
		if err != nil {
			t.Fatal(err)
		}
		out, err := compiler.Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		run, err := stress.Read(test, out)
		if err != nil || len(run.Outcomes) != 1 {
			t.Fatalf("seed %d: %v: %s", seed, err, out)
		}
		for i, v := range run.Outcomes[0].Values {
			if v.IsAddress || v.Number != want[i] {
				t.Errorf("seed %d: value %d is %+v, want %d", seed, i, v, want[i])
			}
		}
	}
}

// TestStressConfined: a stress program can neither open a file nor make a process, whatever gets
// into it, and an access outside the locations ends it.
func TestStressConfined(t *testing.T) {
	compiler, err := native.Find(0.001)
	if err != nil {
		t.Skip(err)
	}
	b := ir.NewBuilder("wild", false)
	obj := b.Object("m", 8, 8, ir.U64, nil, source.Span{})
	fb := b.Func("P0", source.Span{})
	b.Thread(ir.Thread{Name: "P0", Func: fb.ID, Start: true})
	op := ir.NewOp(ir.Store)
	op.Type, op.Sync.Order, op.Val, op.Addr = ir.U64, ir.Relaxed, ir.Int(1), ir.Int(0x400000)
	from, to := fb.Loc("", source.Span{}), fb.Loc("", source.Span{})
	fb.Edge(from, op, to, source.Span{})
	test := &stress.Test{
		Program: b.Finish(), ObjectAt: []int{int(obj)}, Base: 0x10000000, Locations: []stress.Location{{Size: 8, Align: 8}},
		Threads: []stress.Thread{{Func: fb.ID, Stack: -1}}, Observe: []stress.Var{{Thread: -1, Held: 64, Bits: 64}},
	}
	p, err := stress.Write(test)
	if err != nil {
		t.Fatal(err)
	}
	out, err := compiler.Run(context.Background(), p)
	if err != nil || string(out) != "fault\n" {
		t.Errorf("%q, %v", out, err)
	}
	const thread = "static void fp_thread_0(struct context *c) {"
	if strings.Count(p.Text, thread) != 1 {
		t.Fatal("the program has no thread")
	}
	const headers = "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/mman.h>\n#include <sys/socket.h>\n"
	p.Text = strings.Replace(p.Text, thread, headers+thread+`
		printf("fork %d, shell %d, read %d, write %d, socket %d, memory %d\n", fork(), system("echo evil") == 0, open("/etc/passwd", O_RDONLY), creat("evil", 0600),
			socket(AF_INET, SOCK_STREAM, 0), mmap(0, 8l << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED);
		fflush(stdout);
		_exit(0);`, 1)
	out, err = compiler.Run(context.Background(), p)
	if want := "fork -1, shell 0, read -1, write -1, socket -1, memory 1\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}
