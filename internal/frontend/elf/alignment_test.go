package elf

import (
	"math/rand/v2"
	"testing"

	"fencepost/internal/ir"
)

// TestLowBits: what is known about an expression is true of its value.
func TestLowBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ops := []ir.ExprOp{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Shl}
	some := func() (uint64, lowBits) {
		v := r.Uint64() >> r.IntN(64) << r.IntN(8)
		return v, lowest(r.IntN(knownBits+1), v)
	}
	told := 0
	for range 200000 {
		x, a := some()
		y, b := some()
		e := ir.Binary(ops[r.IntN(len(ops))], ir.Type{Bits: []uint8{8, 16, 32, 64}[r.IntN(4)]}, ir.R(0), ir.R(1))
		if e.Op == ir.Shl || r.IntN(3) == 0 {
			y %= 80
			e.Y, b = ir.Int(int64(y)), lowest(knownBits, y)
		}
		got := combine(e, a, b)
		value := uint64(ir.EvalBinary(e.Op, e.Type, int64(x), int64(y)))
		if lowest(int(got.known), value) != got {
			t.Fatalf("%v of %x (%v) and %x (%v) is %x, but %v is known", e.Op, x, a, y, b, value, got)
		}
		if j := a.join(b); lowest(int(j.known), x) != j || lowest(int(j.known), y) != j {
			t.Fatalf("%v of %x and %v of %x are joined to %v", a, x, b, y, j)
		}
		told += int(got.known)
	}
	if told < 200000 {
		t.Errorf("only %d bits are known", told)
	}
}

// TestProvedAlignment: accesses whose alignment the code shows are one operation, without a test of the address.
func TestProvedAlignment(t *testing.T) {
	const prelude = "#include <stdlib.h>\n"
	for _, c := range []struct {
		text  string
		tests bool
	}{
		{"long x[8]; int n; int main(int c, char **v) { x[c & 7] = 1; n = x[2]; return x[c]; }", false},
		{"__attribute__((noinline)) long f(long *p, int k) { return p[k] + *p; } long x[8]; int main(int c, char **v) { return f(x, c) + f(x + 2, 1); }", false},
		{"__attribute__((noinline)) long *f(int k) { long *p = malloc(8 * k); p[k - 1] = 1; return p; } int main(int c, char **v) { long *p = f(c); p[c] = 2; return 0; }", false},
		{"int main(int c, char **v) { volatile long a[4]; for (int i = 0; i < c; i++) a[i] = i; return a[c]; }", false},
		{"long *p; int main(int c, char **v) { *p = 1; return 0; }", true},
		{"__attribute__((noinline)) long f(long *p) { return *p; } long x[8]; int main(int c, char **v) { return f(x) + f((long *)((char *)x + 1)); }", true},
		{"char x[80]; int main(int c, char **v) { return *(int *)(x + c); }", true},
	} {
		for _, level := range []string{"-O0", "-O1", "-O2"} {
			if level == "-O0" && !c.tests {
				continue // the parameters are in a block
			}
			u, diags := parse(compiled(t, prelude+c.text+"\n", level))
			if u.Program == nil {
				t.Fatal(diags)
			}
			tests := 0
			for _, f := range u.Program.Funcs {
				for i := range f.Edges {
					if op := &f.Edges[i].Op; op.Kind == ir.Assume && op.Val.X.Op == ir.And {
						tests++
					}
				}
			}
			if c.tests != (tests > 0) {
				t.Errorf("%s, %s: %d tests of an address", c.text, level, tests)
			}
		}
	}
}
