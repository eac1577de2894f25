package mover

import (
	"fmt"
	"sort"

	"fencepost/internal/ir"
)

// Invariants that need no author. Simple conditions are put up at every place:
// constants, ranges, and how a register compares with a variable, over the numbers
// that occur in the program. Those that are none fall in settle; what is left is
// the strongest set of them that is inductive, whatever the order of falling.

// maxNumbers bounds the constants that conditions are made of.
const maxNumbers = 6

// relations that are put up.
var relations = []struct{ text, term string }{{"==", "="}, {"<=", "<="}, {">=", ">="}, {"!=", "distinct"}}

// infer finds locks and invariants.
func (k *knowledge) infer() {
	k.findLocks()
	numbers := k.pr.numbers()
	scalars := k.scalars()
	for _, x := range scalars {
		k.global = append(k.global, k.onVariable(x, numbers)...)
	}
	for _, c := range k.pr.classes {
		for l := range c.f.Locs {
			if !c.inside[l] {
				k.local[c][l] = append(k.local[c][l], k.onPlace(c, ir.Loc(l), scalars, numbers)...)
			}
		}
	}
	k.settle()
}

// scalars lists the variables that are accessed at all.
func (k *knowledge) scalars() []int {
	used := map[int]bool{}
	for _, c := range k.pr.classes {
		for i := range c.f.Edges {
			if op := &c.f.Edges[i].Op; op.Accesses() {
				if x, ok := k.pr.variable(op); ok {
					used[x] = true
				}
			}
		}
	}
	var list []int
	for x := range used {
		list = append(list, x)
	}
	sort.Ints(list)
	return list
}

// numbers lists the constants of the program, those nearest to 0 first.
func (pr *prover) numbers() []int64 {
	seen := map[int64]bool{0: true, 1: true}
	look := func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) {
			if e.Op == ir.Const {
				seen[e.Value] = true
			}
		})
	}
	for _, c := range pr.classes {
		for i := range c.f.Edges {
			op := &c.f.Edges[i].Op
			look(op.Val)
			look(op.Val2)
			look(op.Cond)
		}
	}
	var list []int64
	for v := range seen {
		list = append(list, v)
	}
	size := func(v int64) uint64 {
		if v < 0 {
			return uint64(-v)*2 + 1
		}
		return uint64(v) * 2
	}
	sort.Slice(list, func(i, j int) bool { return size(list[i]) < size(list[j]) })
	return list[:min(len(list), maxNumbers)]
}

// onVariable is conditions on a variable everywhere.
func (k *knowledge) onVariable(x int, numbers []int64) []*pred {
	name := k.pr.name(x)
	var out []*pred
	for _, v := range numbers {
		for _, op := range []string{"<=", ">="} {
			out = append(out, &pred{text: fmt.Sprintf("%s %s %d", name, op, v), term: func(_ []string, m memory) string {
				return apply(op, m[x], integer(v))
			}})
		}
	}
	return append(out, &pred{text: fmt.Sprintf("%s is one of %v", name, numbers), term: func(_ []string, m memory) string {
		var alternatives []string
		for _, v := range numbers {
			alternatives = append(alternatives, equal(m[x], integer(v)))
		}
		return apply("or", append(alternatives, "false")...)
	}})
}

// onPlace is conditions on a place of a thread.
func (k *knowledge) onPlace(c *class, l ir.Loc, scalars []int, numbers []int64) []*pred {
	var out []*pred
	add := func(text string, term func(regs []string, m memory) string) {
		out = append(out, &pred{text: text, term: term})
	}
	for _, x := range scalars {
		name := k.pr.name(x)
		for _, v := range numbers {
			add(fmt.Sprintf("%s == %d", name, v), func(_ []string, m memory) string { return equal(m[x], integer(v)) })
			add(fmt.Sprintf("%s != %d", name, v), func(_ []string, m memory) string { return apply("distinct", m[x], integer(v)) })
		}
	}
	for _, r := range k.pr.facts.Live(k.pr.prog.Threads[c.thread].Func, l) {
		name := c.f.Regs[r].Name
		for _, v := range numbers {
			for _, op := range relations {
				add(fmt.Sprintf("%s %s %d", name, op.text, v), func(regs []string, _ memory) string { return apply(op.term, regs[r], integer(v)) })
			}
		}
		for _, x := range scalars {
			for _, op := range relations {
				add(fmt.Sprintf("%s %s %s", name, op.text, k.pr.name(x)), func(regs []string, m memory) string { return apply(op.term, regs[r], m[x]) })
			}
		}
	}
	return out
}
