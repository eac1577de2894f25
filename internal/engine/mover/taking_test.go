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

// taking makes a template whose threads take an element of an array with a compare-exchange of the number of the next one, or
// something that looks like it: each part is right, or has a mistake. Its assertions say that no other thread has the
// element.
func taking(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	part := func(right string, wrong ...string) string {
		if r.IntN(6) > 0 {
			return right
		}
		return pick(wrong...)
	}
	number := part("h", "h + 1", "3 - h", "h / 2", "0", "u")
	step := part("h + 1", "h + 2", "h", "1", "h - 1", "k + 1")
	inside := pick("a[k] = 1; v = a[k]; assert v == 1; a[k] = 0;", "v = a[k]; assert v == 0; a[k] = 1;", "v = a[k]; assert v == 0; a[k] = 1; a[k] = 0;",
		"v = a[k]; a[k] = v + 1; v = a[k]; assert v == 1;")
	after := part("", "top = k;", "v = fetch_add(top, 0 - 1);", "c = cas(top, k + 1, k);", "k = k + 1; "+inside)
	body := "h = top; u = b;\n    if (0 <= h && h < 3) {\n      k = " + number + ";\n      if (0 <= k && k < 4) {\n        c = cas(top, h, " + step + ");\n" +
		"        if (" + part("c != 0", "c == 0", "1") + ") {\n          " + inside + " " + after + "\n        }\n      }\n    }\n"
	if r.IntN(2) == 0 {
		body = "loop {\n    " + body + "  }\n"
	}
	var b strings.Builder
	b.WriteString("var top = " + pick("0", "0", "1") + ", a[6], b;\nthread w * n {\n  reg h, k, c, u, v;\n  " + body + "}\n")
	if r.IntN(4) == 0 {
		b.WriteString("thread other { " + pick("top = 0;", "reg s; s = fetch_add(top, 1);", "b = 1;", "reg s; s = cas(top, 1, 0);") + " }\n")
	}
	return b.String()
}

// TestProofsOfTaking: what is proved about elements that threads take for themselves is true with one to four threads, and
// the invariants, among them that two threads have different elements, hold in all states of one and of two or three.
func TestProofsOfTaking(t *testing.T) {
	needsSolver(t)
	var c campaign
	apart := 0
	for i := range *programs {
		s := *seed + uint64(i)
		text := taking(rand.New(rand.NewPCG(s, 0x7a4)))
		flat, props := parse(t, text)
		opt := mover.Options{NoAbstraction: i%3 != 0, Reach: reach([]int64{8, 200, 5000}[i%3])}
		if i%2 == 0 {
			opt.Arithmetic = encode.BitVectors
		}
		c.try(t, trial{
			name: fmt.Sprintf("seed %d\n%s", s, text), prog: flat, props: props, opt: opt, sizes: []int{1, 2 + i%2},
			instance: func(n int) (*ir.Program, *property.Set) { return parseWith(t, text, n) },
			proved:   func(out *mover.Outcome) { apart += separated(out) },
		})
		c.tell(t, i)
	}
	c.end(t)
	t.Logf("%d facts that the elements of two threads differ", apart)
	if apart == 0 {
		t.Error("no facts about two threads were proved")
	}
}

// separated returns how many facts of a proof say that registers of two threads differ.
func separated(out *mover.Outcome) int {
	n := 0
	for _, inv := range out.Proof.Invariants {
		if inv.Form != nil && len(inv.Form.Registers) > 0 {
			n++
		}
	}
	return n
}
