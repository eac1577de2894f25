package sat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Proofs that clauses have no model, in the format LRAT: each derived clause comes with the clauses that show it by unit
// propagation, one after the other.
//
// The solver logs which clauses it derives: learnt ones, shorter ones from simplification, and resolvents of
// eliminated variables. What it drops is not logged, since more clauses do no harm. The hints are found afterwards by
// propagation of our own.

// Proof has what a solver was given and what it derived.
type Proof struct {
	inputs  [][]Lit
	derived [][]Lit
}

// Log makes the solver keep a proof. It is called before clauses are added.
func (s *Embedded) Log(p *Proof) { s.proof = p }

// Inputs returns the clauses that were added, numbered from 1 on as in the proof.
func (p *Proof) Inputs() [][]Lit { return p.inputs }

func (p *Proof) input(c []Lit) {
	if p != nil {
		p.inputs = append(p.inputs, slices.Clone(c))
	}
}

// derive logs a clause that follows.
func (p *Proof) derive(c []lit) {
	if p == nil {
		return
	}
	out := make([]Lit, len(c))
	for i, l := range c {
		out[i] = Lit(l.v() + 1)
		if l&1 == 1 {
			out[i] = -out[i]
		}
	}
	p.derived = append(p.derived, out)
}

// errNoHints says that a clause does not follow by propagation: the solver is wrong.
var errNoHints = errors.New("a clause of the proof does not follow by unit propagation")

// Write writes the proof that one of the assumptions of a call that found no model is false. The assumptions must not
// contradict each other.
func (p *Proof) Write(w io.Writer, assumptions ...Lit) error {
	id := len(p.inputs)
	return p.Steps(context.Background(), assumptions, func(clause []Lit, hints []int) error {
		id++
		text := []byte(fmt.Sprint(id))
		for _, l := range clause {
			text = fmt.Appendf(text, " %d", l)
		}
		text = append(text, " 0"...)
		for _, id := range hints {
			text = fmt.Appendf(text, " %d", id)
		}
		_, err := w.Write(append(text, " 0\n"...))
		return err
	})
}

// Steps visits the clauses of such a proof that are needed, with the numbers of the clauses that show them: first the inputs
// have numbers, then the clauses that are visited.
func (p *Proof) Steps(ctx context.Context, assumptions []Lit, visit func(clause []Lit, hints []int) error) error {
	h := &hinter{}
	for _, c := range p.inputs {
		h.add(c)
	}
	last := make([]Lit, len(assumptions))
	for i, a := range assumptions {
		last[i] = -a
	}
	var all [][]Lit
	var shown [][]int
	show := func(c []Lit) error {
		hints, ok := h.hints(c)
		if !ok {
			return errNoHints
		}
		all, shown = append(all, c), append(shown, hints)
		h.add(c)
		return nil
	}
	for _, c := range p.derived {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := show(c); err != nil {
			return err
		}
		if h.empty > 0 { // whatever comes later follows from this
			break
		}
	}
	if err := show(last); err != nil {
		return err
	}
	return visitNeeded(len(p.inputs), all, shown, visit)
}

// visitNeeded visits the derived clauses that the last one needs, after n clauses that are given.
func visitNeeded(n int, all [][]Lit, shown [][]int, visit func(clause []Lit, hints []int) error) error {
	needed, number := make([]bool, len(all)), make([]int, len(all))
	needed[len(all)-1] = true
	for k, hints := range slices.Backward(shown) {
		for _, id := range hints {
			if needed[k] && id > n {
				needed[id-n-1] = true
			}
		}
	}
	next := n
	for k, c := range all {
		if !needed[k] {
			continue
		}
		next++
		number[k] = next
		hints := slices.Clone(shown[k])
		for i, id := range hints {
			if id > n {
				hints[i] = number[id-n-1]
			}
		}
		if err := visit(c, hints); err != nil {
			return err
		}
	}
	return nil
}

// hinter propagates over all clauses, of which it watches two literals each.
type hinter struct {
	clauses [][]Lit // by number; number 0 is none
	watches [][]int // by literal
	value   []int   // by literal: if it is true, the clause that says so, or assumed; else 0
	marked  []bool  // by literal; all are false between calls
	trail   []Lit
	head    int
	empty   int // a clause that is false whatever is assumed
}

const assumed = -1

// at returns the index of a literal, for which there is room.
func (h *hinter) at(l Lit) int {
	i := 2 * int(max(l, -l))
	if l < 0 {
		i++
	}
	for len(h.value) <= i|1 {
		h.value, h.watches, h.marked = append(h.value, 0), append(h.watches, nil), append(h.marked, false)
	}
	return i
}

// add adds a clause. Nothing is assumed.
func (h *hinter) add(given []Lit) {
	if len(h.clauses) == 0 {
		h.clauses = append(h.clauses, nil)
	}
	c := slices.Clone(given)
	slices.Sort(c)
	c = slices.Compact(c)
	id := len(h.clauses)
	h.clauses = append(h.clauses, c)
	// Literals that are not false come first, so that they are watched.
	slices.SortStableFunc(c, func(a, b Lit) int { return h.rank(a) - h.rank(b) })
	for _, l := range c[:min(2, len(c))] {
		at := h.at(-l)
		h.watches[at] = append(h.watches[at], id)
	}
	switch {
	case h.empty > 0:
	case len(c) == 0 || h.isTrue(-c[0]):
		h.empty = id
	case (len(c) == 1 || h.isTrue(-c[1])) && !h.isTrue(c[0]):
		h.assign(c[0], id)
		h.empty = max(h.empty, h.propagate())
	}
}

func (h *hinter) rank(l Lit) int {
	if h.isTrue(-l) {
		return 1
	}
	return 0
}

func (h *hinter) isTrue(l Lit) bool {
	return h.value[h.at(l)] != 0
}

func (h *hinter) assign(l Lit, by int) {
	h.value[h.at(l)] = by
	h.trail = append(h.trail, l)
}

// propagate returns a clause that is false, 0 if there is none.
func (h *hinter) propagate() int {
	for ; h.head < len(h.trail); h.head++ {
		p := h.trail[h.head]
		at := h.at(p)
		ws := h.watches[at]
		kept := ws[:0]
		for k, id := range ws {
			c := h.clauses[id]
			if len(c) > 1 && c[0] == -p {
				c[0], c[1] = c[1], c[0]
			}
			if h.isTrue(c[0]) && c[0] != -p {
				kept = append(kept, id)
				continue
			}
			if next := slices.IndexFunc(c[min(2, len(c)):], func(l Lit) bool { return !h.isTrue(-l) }); next >= 0 {
				c[1], c[2+next] = c[2+next], c[1]
				to := h.at(-c[1])
				h.watches[to] = append(h.watches[to], id)
				continue
			}
			kept = append(kept, id)
			if h.isTrue(-c[0]) {
				h.watches[at] = append(kept, ws[k+1:]...)
				return id
			}
			h.assign(c[0], id)
		}
		h.watches[at] = kept
	}
	return 0
}

// hints returns the clauses that show that a clause follows.
func (h *hinter) hints(c []Lit) ([]int, bool) {
	begin := len(h.trail)
	conflict := h.empty
	if slices.ContainsFunc(c, h.isTrue) {
		// The negation of the literal that was true first is a conflict with the clause that made it so.
		first := slices.IndexFunc(h.trail, func(l Lit) bool { return slices.Contains(c, l) })
		conflict = h.value[h.at(h.trail[first])]
	}
	if conflict == 0 {
		for _, l := range c {
			if !h.isTrue(-l) {
				h.assign(-l, assumed)
			}
		}
		conflict = h.propagate()
	}
	var out []int
	if conflict > 0 {
		out = h.needed(conflict)
	}
	for _, l := range h.trail[begin:] {
		h.value[h.at(l)] = 0
	}
	h.trail, h.head = h.trail[:begin], min(h.head, begin)
	return out, conflict > 0
}

// needed returns the clauses that lead to a false one, in the order in which they became units, and that one.
func (h *hinter) needed(conflict int) []int {
	for _, l := range h.clauses[conflict] {
		h.marked[h.at(-l)] = true
	}
	out := []int{conflict}
	for _, l := range slices.Backward(h.trail) {
		by := h.value[h.at(l)]
		if !h.marked[h.at(l)] || by == assumed || by == conflict {
			continue
		}
		out = append(out, by)
		for _, k := range h.clauses[by] {
			h.marked[h.at(-k)] = true
		}
	}
	for _, id := range out {
		for _, k := range h.clauses[id] {
			h.marked[h.at(k)], h.marked[h.at(-k)] = false, false
		}
	}
	slices.Reverse(out)
	return out
}
