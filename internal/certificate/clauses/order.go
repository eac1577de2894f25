package clauses

import (
	"math"

	"fencepost/internal/ir"
)

// The order in which the locations of a thread are visited: a weak topological order [Bou93]. Each edge goes to a later
// location, or back to the head of a loop around it.

// element is a location, or a loop: its head, and what comes after it in the loop.
type element struct {
	loc   ir.Loc
	loop  bool
	inner []element
}

// orderer finds the elements by a search in depth.
type orderer struct {
	f      *ir.Func
	number []int
	n      int
	stack  []ir.Loc
}

// elementsOf returns the elements of a function from its entry on.
func elementsOf(f *ir.Func) []element {
	o := &orderer{f: f, number: make([]int, len(f.Locs))}
	var out []element
	o.visit(f.Entry, &out)
	return reversed(out)
}

func reversed(list []element) []element {
	out := make([]element, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}

// visit adds the elements that can be reached, in reverse order.
func (o *orderer) visit(v ir.Loc, out *[]element) int {
	o.stack = append(o.stack, v)
	o.n++
	o.number[v] = o.n
	head, loop := o.n, false
	for _, i := range o.f.Out(v) {
		w := o.f.Edges[i].To
		least := o.number[w]
		if least == 0 {
			least = o.visit(w, out)
		}
		if least <= head {
			head, loop = least, true
		}
	}
	if head != o.number[v] {
		return head
	}
	o.number[v] = math.MaxInt
	for {
		w := o.stack[len(o.stack)-1]
		o.stack = o.stack[:len(o.stack)-1]
		if w == v {
			break
		}
		o.number[w] = 0
	}
	if !loop {
		*out = append(*out, element{loc: v})
		return head
	}
	var inner []element
	for _, i := range o.f.Out(v) {
		if w := o.f.Edges[i].To; o.number[w] == 0 {
			o.visit(w, &inner)
		}
	}
	*out = append(*out, element{loc: v, loop: true, inner: reversed(inner)})
	return head
}
