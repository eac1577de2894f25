package irtext

import (
	"math/rand"
	"testing"

	"fencepost/internal/ir"
)

// TestFoldAgrees builds expressions over constants through the constructors and
// without them.
func TestFoldAgrees(t *testing.T) {
	for seed := range int64(5000) {
		g := &generator{Rand: rand.New(rand.NewSource(seed)), p: &ir.Program{Objects: make([]ir.Object, 1), Funcs: []*ir.Func{{}}}, f: &ir.Func{Regs: make([]ir.Register, 2)}}
		e := g.expr(4)
		env := ir.Env{Regs: []int64{g.word(), g.word()}, Seen: g.word(), Prog: g.p}
		want := e.Eval(env)
		folded := e.Map(func(leaf *ir.Expr) *ir.Expr { return ir.Int(leaf.Eval(env)) })
		if v, ok := folded.IsConst(); !ok || v != want {
			t.Fatalf("seed %d: folded to %v, want %d", seed, folded, want)
		}
		if got := ir.Negate(e).Eval(env); (got != 0) != (want == 0) || got&^1 != 0 {
			t.Fatalf("seed %d: the negation of %d is %d", seed, want, got)
		}
	}
}
