package mover_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/property"
)

// protocol makes a template of a lock, or of something that looks like one: each part is right, or
// has a mistake that people make. Its assertions say that one thread at a time is inside.
func protocol(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var b strings.Builder
	b.WriteString("var n, s, l, x, c;\nthread w * n {\n  reg t, u, v, k;\n")
	var release string
	switch r.IntN(3) {
	case 0:
		b.WriteString("  " + pick("t = fetch_add(n, 1);", "t = fetch_add(n, 1);", "t = fetch_add(n, 1);", "t = n; n = t + 1;", "t = fetch_add(n, 2);") + "\n")
		b.WriteString("  " + pick("await s == t;", "u = s; while (u != t) { u = s; }", "await s == t;", "await s >= t;", "u = s; if (u != t) { await s == t; }") + "\n")
		release = pick("u = s; s = u + 1;", "s = t + 1;", "u = fetch_add(s, 1);", "u = s; s = u + 2;", "fence; s = t + 1;")
	case 1:
		b.WriteString("  " + pick("while (cas(l, 0, 1) == 0) { }", "u = 0; while (u == 0) { await l == 0; u = cas(l, 0, 1); }", "await l == 0; l = 1;", "u = cas(l, 0, 1);", "t = fetch_add(l, 1); assume t == 0;") + "\n")
		release = pick("l = 0;", "fence; l = 0;", "u = cas(l, 1, 0);", "")
	default:
		b.WriteString("  " + pick("atomic { await l == 0; l = 1; }", "t = fetch_add(c, 1);", "u = fetch_add(c, 1); if (u == 0) { l = 1; }") + "\n")
		release = pick("l = 0;", "u = fetch_add(c, 0 - 1);", "atomic { l = 0; c = 0; }")
	}
	early := r.IntN(6) == 0
	if early {
		b.WriteString("  " + release + "\n")
	}
	b.WriteString("  " + pick(
		"v = x; assert v == 0; x = 1; x = 0;", "x = 1; v = x; assert v == 1; x = 0;", "v = x; x = v + 1; k = x; assert k == v + 1;",
		"x = t; v = x; assert v == t;", "v = n; k = s; assert v >= k;", "v = fetch_add(k, 1);",
	) + "\n")
	if !early {
		b.WriteString("  " + release + "\n")
	}
	if r.IntN(3) == 0 {
		b.WriteString("  v = c; assert v >= 0;\n")
	}
	text := strings.ReplaceAll(b.String(), "v = fetch_add(k, 1);", "v = fetch_add(x, 1); assert v >= 0;")
	return text + "}\n"
}

// TestProofsOfProtocols: a protocol that is proved for any number of threads does not fail with one to
// four, and its invariants hold in all their states.
func TestProofsOfProtocols(t *testing.T) {
	needsSolver(t)
	var c campaign
	for i := range *programs {
		s := *seed + uint64(i)
		text := protocol(rand.New(rand.NewPCG(s, 0x10c)))
		flat, props := parse(t, text)
		opt := mover.Options{NoAbstraction: i%3 != 0, Reach: reach([]int64{8, 200, 5000}[i%3])}
		if i%2 == 0 {
			opt.Arithmetic = encode.BitVectors
		}
		c.try(t, trial{
			name: fmt.Sprintf("seed %d\n%s", s, text), prog: flat, props: props, opt: opt, sizes: []int{1, 2, 3},
			instance: func(n int) (*ir.Program, *property.Set) { return parseWith(t, text, n) },
		})
		c.tell(t, i)
	}
	c.end(t)
}
