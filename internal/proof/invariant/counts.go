package invariant

import (
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Counting. The difference of two variables, or one variable, may be the number of threads at some
// locations: next - serving of a ticket lock is the number of threads that have a ticket, a
// reference count the number of threads that hold a reference. This is inductive if it holds
// initially and every step changes the difference by as much as the number of threads at these
// locations: by what the step's own thread contributes before and after.
//
// Differs from a location invariant in what it says of one thread: if it is at such a location the
// number is at least 1, with another one there as well it is at least 2. And it is at most the
// number of all threads. Numbers of 32 bits wrap around, and a ticket lock with 2^32 threads is
// none; so a proof that needs a count is for fewer than 2^31 threads then, and says so.
//
// The locations come from instances: every state is a linear equation over unknowns, one for each
// location of a class, that say how much a thread there contributes.

// count is a number that counts threads.
type count struct {
	x, y   int // variables; y < 0: x alone
	bits   uint8
	weight map[*program.Class][]int64 // what a thread at a location contributes: 0 to maxWeight
	proved bool
}

func (ct *count) text(pr *encode.Problem) string {
	value := pr.Name(ct.x)
	if ct.y >= 0 {
		value += " - " + pr.Name(ct.y)
	}
	return value + " is the number of threads at some locations"
}

// value returns the number in a memory.
func (ct *count) value(pr *encode.Problem, m encode.Memory) smt.Term {
	x := pr.Value(m, ct.x)
	if ct.y < 0 {
		return pr.Arith.Narrow(x, ir.Type{Bits: ct.bits})
	}
	return pr.Arith.Binary(ir.Sub, ir.Type{Bits: ct.bits}, x, pr.Value(m, ct.y))
}

// MaxThreads returns the largest number of threads that the counts are stated for; 0: any.
func (k *Knowledge) MaxThreads() int64 {
	out := int64(0)
	for _, ct := range k.counts {
		many := slices.ContainsFunc(k.pr.Classes, func(c *program.Class) bool { return c.Many && slices.Max(ct.weight[c]) > 0 })
		if n := ct.most(); many && !k.countsOne(ct) && k.pr.Arith == encode.BitVectors && (out == 0 || n < out) {
			out = n
		}
	}
	return out
}

// countsOne reports whether the separations exclude that two threads are counted. Then the number is that of one thread
// at most in every state that the invariants allow, and does not wrap around, however many threads there are.
func (k *Knowledge) countsOne(ct *count) bool {
	for c, list := range ct.weight {
		for l, w := range list {
			if w != 0 && !k.alone(ct, c, ir.Loc(l)) {
				return false
			}
		}
	}
	return true
}

// maxWeight bounds what one thread contributes: a writer of a sequence lock counts up twice.
const maxWeight = 2

// heaviest returns the largest weight.
func (ct *count) heaviest() int64 {
	most := int64(0)
	for _, list := range ct.weight {
		most = max(most, slices.Max(list))
	}
	return most
}

// most returns the largest number of threads that a count in bit-vectors is stated for.
func (ct *count) most() int64 { return (1<<min(ct.bits-1, 62) - 1) / ct.heaviest() }

// says returns what is known of the count if these threads exist.
func (ct *count) says(pr *encode.Problem, m encode.Memory, at ...standing) []smt.Term {
	in := int64(0)
	for _, p := range at {
		in += ct.weight[p.c][p.l]
	}
	value := ct.value(pr, m)
	out := []smt.Term{pr.Arith.Le(pr.Arith.Num(in), value)}
	if pr.Arith == encode.BitVectors {
		out = append(out, pr.Arith.Le(value, pr.Arith.Num((ct.most()-int64(len(at)))*ct.heaviest()+in)))
	}
	return out
}

// exactly returns what the counts are if no other thread can be where threads are counted while a
// thread of class c is at l: what this thread and the threads that it has joined contribute. It follows from the counts and
// the separations about two threads in the same state, so that it may be used of the state after a step as well.
func (k *Knowledge) exactly(c *program.Class, l ir.Loc, m encode.Memory) []smt.Term {
	var out []smt.Term
	for _, ct := range k.counts {
		if n, ok := ct.sum(k, c, l); ok {
			out = append(out, encode.Equal(ct.value(k.pr, m), k.pr.Arith.Num(n)))
		}
	}
	return out
}

// sum returns what a count is while a thread of class c is at l, if no running thread but this one can be counted then. A
// thread that has ended is still counted where it ended.
func (ct *count) sum(k *Knowledge, c *program.Class, l ir.Loc) (n int64, ok bool) {
	n = ct.weight[c][l]
	for _, d := range k.pr.Against(c) {
		if k.pr.Lifetimes.Over(c, l, d) {
			at := d.Ends()
			for _, e := range at {
				if ct.weight[d][e] != ct.weight[d][at[0]] {
					return 0, false
				}
			}
			if len(at) > 0 {
				n += ct.weight[d][at[0]]
			}
			continue
		}
		for e, w := range ct.weight[d] {
			if w != 0 && k.pr.Lifetimes.Beside(c, l, d, ir.Loc(e)) && !k.excluded(c, l, d, ir.Loc(e)) {
				return 0, false
			}
		}
	}
	return n, true
}

// alone reports whether no other thread is counted while a thread of class c is at l.
func (k *Knowledge) alone(ct *count, c *program.Class, l ir.Loc) bool {
	n, ok := ct.sum(k, c, l)
	return ok && n == ct.weight[c][l]
}

// standing is a location of a thread of a class.
type standing struct {
	c *program.Class
	l ir.Loc
}

// countsAtStart drops the counts that are wrong initially. A class of many threads, and a thread
// that another one starts, must not be counted at their entries.
func (k *Knowledge) countsAtStart() {
	k.counts = slices.DeleteFunc(k.counts, func(ct *count) bool {
		sum := int64(0)
		for _, c := range k.pr.Classes {
			w := ct.weight[c][c.Code.Entry]
			if w != 0 && (c.Many || !c.Start) {
				return true
			}
			sum += w
		}
		k.pr.Obligations++
		return !k.pr.Implied(nil, encode.Equal(ct.value(k.pr, k.pr.Initial()), k.pr.Arith.Num(sum)))
	})
}

// countStep drops the counts that a step of a thread does not keep.
func (k *Knowledge) countStep(c *program.Class, a *program.Action) (changed bool) {
	pr := k.pr
	for _, ct := range slices.Clone(k.counts) {
		delta := ct.weight[c][a.To()] - ct.weight[c][a.From()]
		changes := a.Writes() && a.Any(func(op *ir.Op) bool {
			if !op.Writes() && !program.UsesMutex(op) {
				return false
			}
			x, single := pr.Variable(op)
			return !single || x == ct.x || x == ct.y
		})
		if ct.proved || delta == 0 && !changes {
			continue
		}
		id := counted{ct, a}
		assumed := k.stampStep(c, a)
		if last, ok := k.counted[id]; ok && last == assumed {
			continue
		}
		k.counted[id] = assumed
		m, regs := pr.Memory("m"), pr.Registers(c, "a")
		after := pr.Run(a, "a", encode.Run{Regs: regs, Mem: m})
		given := append(k.At(c, a.From(), regs, m, k.Numbers(after)...), after.Guard...)
		want := pr.Arith.Binary(ir.Add, ir.Type{Bits: ct.bits}, ct.value(pr, m), pr.Arith.Num(delta))
		pr.Obligations++
		if !pr.Implied(given, encode.Equal(ct.value(pr, after.Mem), want)) {
			k.counts = slices.DeleteFunc(slices.Clone(k.counts), func(x *count) bool { return x == ct })
			k.changed()
			changed = true
		}
	}
	return changed
}

// counted identifies a question of countStep, as obligation does.
type counted struct {
	ct *count
	a  *program.Action
}

// mineCounts proposes the counts that are right in all states of small instances.
func (k *Knowledge) mineCounts(scalars []int) {
	var list []*equations
	for _, x := range scalars {
		for _, y := range append([]int{-1}, scalars...) {
			if y >= 0 && (x == y || k.pr.Regions[x].Size != k.pr.Regions[y].Size || !k.moves(x) || !k.moves(y)) {
				continue
			}
			list = append(list, newEquations(k, &count{x: x, y: y, bits: uint8(8 * k.pr.Regions[x].Size)}))
		}
	}
	for _, in := range k.instances() {
		in.each(k.pr.Ctx, k.Reach, func(s program.State, threads []ir.ThreadID) {
			list = slices.DeleteFunc(list, func(q *equations) bool { return !q.add(in, s, threads) })
		})
		k.pr.Poll()
	}
	for _, q := range list {
		if q.solve() && !slices.ContainsFunc(k.counts, q.ct.equals) {
			k.counts = append(k.counts, q.ct)
		}
	}
}

// equals reports whether two counts say the same.
func (ct *count) equals(other *count) bool {
	return ct.x == other.x && ct.y == other.y && maps.EqualFunc(ct.weight, other.weight, slices.Equal)
}

// moves reports whether a variable is counted up or down: something other than constants is stored
// to it.
func (k *Knowledge) moves(x int) bool {
	for _, c := range k.pr.Classes {
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			if !op.Writes() || !k.LockFinder.Accesses(op, x) {
				continue
			}
			if _, fixed := op.Val.IsConst(); !fixed || op.Kind == ir.RMW && op.RMW == ir.FetchAdd {
				return true
			}
		}
	}
	return false
}

// equations finds the weights of a count: a system of linear equations, modulo a prime.
type equations struct {
	k         *Knowledge
	ct        *count
	unknown   map[standing]int
	standings []standing
	rows      [][]int64 // in echelon form: coefficients, then the value
}

// prime is the modulus. Weights are 0 or 1, and a wrong solution is found out by the induction.
const prime = 1<<31 - 1

func newEquations(k *Knowledge, ct *count) *equations {
	q := &equations{k: k, ct: ct, unknown: map[standing]int{}}
	for _, c := range k.pr.Classes {
		for l := range c.Code.Locs {
			p := standing{c, ir.Loc(l)}
			q.unknown[p] = len(q.standings)
			q.standings = append(q.standings, p)
		}
	}
	return q
}

// add adds the equation of a state. It returns false if there is no solution.
func (q *equations) add(in *instance, s program.State, threads []ir.ThreadID) bool {
	row := make([]int64, len(q.standings)+1)
	for _, t := range threads {
		l, _ := s.At(t)
		row[q.unknown[standing{in.of[t], l}]]++
	}
	g := &q.k.pr.Regions[q.ct.x]
	value := g.SeenIn(s)
	if q.ct.y >= 0 {
		h := &q.k.pr.Regions[q.ct.y]
		value = ir.Type{Bits: q.ct.bits, Signed: true}.Wrap(value - h.SeenIn(s))
	}
	row[len(q.standings)] = ((value % prime) + prime) % prime
	for _, r := range q.rows {
		eliminate(row, r)
	}
	first := slices.IndexFunc(row, func(v int64) bool { return v != 0 })
	switch first {
	case -1:
		return true
	case len(q.standings):
		return false
	}
	scale(row, inverse(row[first]))
	for _, r := range q.rows {
		eliminate(r, row)
	}
	q.rows = append(q.rows, row)
	return true
}

// eliminate subtracts a multiple of r, whose first coefficient is 1, so that row has 0 there.
func eliminate(row, r []int64) {
	i := slices.IndexFunc(r, func(v int64) bool { return v != 0 })
	f := row[i]
	if f == 0 {
		return
	}
	for j := i; j < len(row); j++ {
		row[j] = ((row[j]-f*r[j])%prime + prime) % prime
	}
}

func scale(row []int64, f int64) {
	for j := range row {
		row[j] = row[j] * f % prime
	}
}

// inverse returns the inverse modulo the prime, by Fermat's little theorem.
func inverse(v int64) int64 {
	out := int64(1)
	for e := prime - 2; e > 0; e >>= 1 {
		if e&1 == 1 {
			out = out * v % prime
		}
		v = v * v % prime
	}
	return out
}

// solve sets the weights, with 0 wherever the equations leave a choice. It returns false if a weight
// is more than maxWeight, or if all are 0.
func (q *equations) solve() bool {
	weights := make([]int64, len(q.standings))
	some := false
	for _, r := range q.rows {
		i := slices.IndexFunc(r, func(v int64) bool { return v != 0 })
		v := r[len(q.standings)]
		if v > maxWeight {
			return false
		}
		weights[i], some = v, some || v > 0
	}
	q.ct.weight = map[*program.Class][]int64{}
	for i, p := range q.standings {
		if p.l == 0 {
			q.ct.weight[p.c] = make([]int64, len(p.c.Code.Locs))
		}
		q.ct.weight[p.c][p.l] = weights[i]
	}
	return some
}
