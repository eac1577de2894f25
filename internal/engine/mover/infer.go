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

// maxRelated bounds the registers that each register is compared with.
const maxRelated = 4

// relation is a comparison that is put up.
type relation struct {
	text string
	op   ir.ExprOp
}

var relations = []relation{{"==", ir.Eq}, {"<=", ir.Le}, {">=", ir.Ge}, {"!=", ir.Ne}}

// bounds are those that are put up of a variable everywhere.
var bounds = []relation{{"<=", ir.Le}, {">=", ir.Ge}}

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
			if op := &c.f.Edges[i].Op; touches(op) {
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
	pr := k.pr
	name := pr.name(x)
	var out []*pred
	for _, v := range numbers {
		for _, rel := range bounds {
			out = append(out, &pred{text: fmt.Sprintf("%s %s %d", name, rel.text, v), term: func(_ []string, m memory, _ []string) string {
				return pr.arith.compare(rel.op, ir.S64, pr.value(m, x), pr.arith.num(v))
			}})
		}
	}
	return append(out, &pred{text: fmt.Sprintf("%s is one of %v", name, numbers), term: func(_ []string, m memory, _ []string) string {
		var alternatives []string
		for _, v := range numbers {
			alternatives = append(alternatives, equal(pr.value(m, x), pr.arith.num(v)))
		}
		return or(alternatives)
	}})
}

// onPlace is conditions on a place of a thread.
func (k *knowledge) onPlace(c *class, l ir.Loc, scalars []int, numbers []int64) []*pred {
	pr := k.pr
	var out []*pred
	type word struct {
		name string
		term func(regs []string, m memory) string
	}
	add := func(x, y word, list []relation) {
		for _, rel := range list {
			out = append(out, &pred{text: fmt.Sprintf("%s %s %s", x.name, rel.text, y.name), term: func(regs []string, m memory, _ []string) string {
				return pr.arith.compare(rel.op, ir.S64, x.term(regs, m), y.term(regs, m))
			}})
		}
	}
	var variables, constants, registers []word
	for _, x := range scalars {
		variables = append(variables, word{pr.name(x), func(_ []string, m memory) string { return pr.value(m, x) }})
	}
	for _, v := range numbers {
		constants = append(constants, word{fmt.Sprint(v), func([]string, memory) string { return pr.arith.num(v) }})
	}
	for _, r := range pr.facts.Live(pr.prog.Threads[c.thread].Func, l) {
		registers = append(registers, word{c.f.Regs[r].Name, func(regs []string, _ memory) string { return regs[r] }})
	}
	for _, x := range variables {
		for _, v := range constants {
			add(x, v, relations)
		}
	}
	for i, r := range registers {
		for _, v := range constants {
			add(r, v, relations)
		}
		for _, x := range variables {
			add(r, x, relations)
		}
		for _, s := range registers[:min(i, maxRelated)] {
			add(r, s, relations)
		}
	}
	return out
}
