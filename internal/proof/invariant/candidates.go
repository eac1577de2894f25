package invariant

import (
	"fmt"
	"slices"
	"sort"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
)

// Inference of invariants. Simple candidates are proposed at every location: constants, ranges, and
// comparisons of a register with a variable, over the numbers that occur in the program. Candidates that
// are false in a state of a small instance are dropped (instances.go), and DropFalse removes candidates
// that are not inductive [FL01]. The rest is the largest inductive subset of the candidates, whatever
// the order of removal.

// maxNumbers bounds the constants in candidates.
const maxNumbers = 6

// maxSet bounds the numbers of a set.
const maxSet = 4

// maxRelated bounds the registers that each register is compared with.
const maxRelated = 4

// relation is a comparison in candidates.
type relation struct {
	text string
	op   ir.ExprOp
}

var relations = []relation{{"==", ir.Eq}, {"<=", ir.Le}, {">=", ir.Ge}, {"!=", ir.Ne}}

// equalities has the relations of candidates about a variable at a location.
var equalities = []relation{{"==", ir.Eq}, {"!=", ir.Ne}}

// bounds has the relations of global candidates about a variable.
var bounds = []relation{{"<=", ir.Le}, {">=", ir.Ge}}

// Effort says how many candidates are proposed. The zero value is unset.
type Effort uint8

const (
	_       Effort = iota
	Few            // registers and variables against numbers, registers against variables
	Mined          // counts, facts about two threads, tickets: what holds in small instances
	Clauses        // disjunctions that hold in small instances
	Many           // also registers against each other, and implications between variables
)

// Infer finds locks and invariants. With more effort it adds to the invariants that are proved.
func (k *Knowledge) Infer(how Effort) {
	numbers, scalars := constantsOf(k.pr), k.scalars()
	if how == Mined {
		k.mine(scalars, numbers)
		return
	}
	if how == Clauses {
		k.mineClauses(scalars)
		return
	}
	if how == Few {
		k.findSets(scalars)
		k.findLocks()
		for _, x := range scalars {
			k.global = append(k.global, k.onVariable(x, numbers)...)
		}
		k.global = append(k.global, k.onBlocks()...)
		k.atLocations(scalars, numbers, Few)
		k.proposeEverywhere()
		k.prune()
		k.DropFalse()
		return
	}
	k.retry()
	k.global = append(k.global, k.onPairs(scalars)...)
	k.atLocations(scalars, numbers, Many)
	k.prune()
	k.dropFalseNew()
	k.retry() // a given condition that was dropped may be inductive now
	k.atLocations(scalars, numbers, Few)
	k.proposeEverywhere()
	k.prune()
	k.dropFalseNew()
}

// proposeEverywhere proposes the given condition of one location at all locations of the thread: it may be
// needed on the paths to that location.
func (k *Knowledge) proposeEverywhere() {
	for _, s := range k.stated {
		if s.c == nil {
			continue
		}
		for l := range s.c.Code.Locs {
			if there := k.Local[s.c][l]; !s.c.Skips(ir.Loc(l)) && !slices.ContainsFunc(there, func(p *Condition) bool { return p.text == s.p.text }) {
				k.Local[s.c][l] = append(there, &Condition{text: s.p.text, bound: s.p.bound, term: s.p.term})
			}
		}
	}
}

// atLocations proposes candidates at all locations, unless they are there already.
func (k *Knowledge) atLocations(scalars []int, numbers []int64, how Effort) {
	for _, c := range k.pr.Classes {
		for l := range c.Code.Locs {
			if c.Skips(ir.Loc(l)) {
				continue
			}
			there := map[string]bool{}
			for _, p := range k.Local[c][l] {
				there[p.text] = true
			}
			for _, p := range k.atLocation(c, ir.Loc(l), scalars, numbers, how) {
				if !there[p.text] {
					k.Local[c][l] = append(k.Local[c][l], p)
				}
			}
		}
	}
}

// scalars returns the variables that are accessed.
func (k *Knowledge) scalars() []int {
	used := map[int]bool{}
	for _, c := range k.pr.Classes {
		for i := range c.Code.Edges {
			if op := &c.Code.Edges[i].Op; program.AccessesMemory(op) {
				if x, ok := k.pr.Variable(op); ok {
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

// constantsOf returns the constants of the program, the ones nearest to 0 first.
func constantsOf(pr *encode.Problem) []int64 {
	seen := map[int64]bool{0: true, 1: true}
	note := func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) {
			if e.Op == ir.Const {
				seen[e.Value] = true
			}
		})
	}
	for _, c := range pr.Classes {
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			note(op.Val)
			note(op.Val2)
			note(op.Cond)
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

// onVariable returns global candidates about a variable.
func (k *Knowledge) onVariable(x int, numbers []int64) []*Condition {
	w := k.say.variable(x)
	var out []*Condition
	for _, v := range numbers {
		for _, rel := range bounds {
			out = append(out, k.say.comparedWith(w, rel, v))
		}
	}
	for _, values := range append([][]int64{numbers}, k.sets...) {
		out = append(out, k.say.oneOf(w, values))
	}
	return out
}

// oneOf returns the fact that a word is one of some numbers.
func (v vocabulary) oneOf(w word, values []int64) *Condition {
	any := ir.Int(0)
	for i, n := range values {
		is := ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(n))
		if any = ir.Binary(ir.LOr, ir.S64, any, is); i == 0 {
			any = is
		}
	}
	return v.fact(fmt.Sprintf("%s is one of %v", w.name, values), any, w)
}

// findSets collects the constants that are stored to each variable, if there are few: candidates
// say that registers and variables stay in such a set.
func (k *Knowledge) findSets(scalars []int) {
	k.sets = nil
	stored := storedTo(k.pr)
	for _, x := range scalars {
		values := slices.Clone(stored[x])
		slices.Sort(values)
		if len(values) >= 2 && len(values) <= maxSet && !slices.ContainsFunc(k.sets, func(s []int64) bool { return slices.Equal(s, values) }) {
			k.sets = append(k.sets, values)
		}
	}
}

// atLocation returns candidates for a location of a thread.
func (k *Knowledge) atLocation(c *program.Class, l ir.Loc, scalars []int, numbers []int64, how Effort) []*Condition {
	pr := k.pr
	out := k.onBlocksAt(c, l)
	add := func(x, y word, list []relation) {
		for _, rel := range list {
			out = append(out, k.say.compared(x, rel, y))
		}
	}
	addNumbers := func(x word, list []relation) {
		for _, v := range numbers {
			for _, rel := range list {
				out = append(out, k.say.comparedWith(x, rel, v))
			}
		}
	}
	var variables, registers []word
	for _, x := range scalars {
		variables = append(variables, k.say.variable(x))
	}
	for _, op := range privateCells(pr, c) {
		if how == Few {
			addNumbers(k.say.cell(c, "the thread's own "+privateName(pr, c, op), op), relations)
		}
	}
	for _, r := range k.watched(c, l) {
		registers = append(registers, k.say.register(c, r))
	}
	onVariables, onRegisters := equalities, relations
	switch {
	case how == Many:
		onVariables = bounds
	case pr.Arith == encode.BitVectors:
		onRegisters = relations[:1]
	}
	for _, x := range variables {
		addNumbers(x, onVariables)
	}
	if how == Few {
		for _, r := range registers {
			for _, values := range k.sets {
				out = append(out, k.say.oneOf(r, values))
			}
		}
	}
	if how == Few {
		out = append(out, k.onCopies(c, l)...)
	}
	for i, r := range registers {
		if how == Many {
			for _, s := range registers[:min(i, maxRelated)] {
				add(r, s, relations)
			}
			if pr.Arith == encode.BitVectors {
				for _, x := range variables {
					add(r, x, relations[1:])
				}
			}
			continue
		}
		addNumbers(r, relations)
		for _, x := range variables {
			add(r, x, onRegisters)
		}
	}
	return out
}

// onCopies returns candidates that a register still equals the one that it is a copy of, or a copy of a copy.
func (k *Knowledge) onCopies(c *program.Class, l ir.Loc) []*Condition {
	var out []*Condition
	live := c.WithNamed(k.watched(c, l))
	of := c.Copies()
	for _, r := range live {
		for _, s := range of[r] {
			if slices.Contains(live, s) {
				out = append(out, k.say.compared(k.say.register(c, r), relations[0], k.say.register(c, s)))
			}
		}
	}
	return out
}

// maxPairs bounds the conditions on pairs of variables.
const maxPairs = 400

// onPairs returns candidates about two variables: while one has a certain value, the other has a
// certain value, as with a flag and its data.
func (k *Knowledge) onPairs(scalars []int) []*Condition {
	pr := k.pr
	stored := storedTo(pr)
	var out []*Condition
	for _, x := range scalars {
		for _, y := range scalars {
			for _, v := range stored[x] {
				for _, w := range stored[y] {
					if x == y || len(out) >= maxPairs {
						continue
					}
					text := fmt.Sprintf("%s == %d implies %s == %d", pr.Name(x), v, pr.Name(y), w)
					cond := ir.Binary(ir.LOr, ir.S64, ir.Binary(ir.Ne, ir.S64, ir.R(0), ir.Int(v)), ir.Binary(ir.Eq, ir.S64, ir.R(1), ir.Int(w)))
					out = append(out, k.say.fact(text, cond, k.say.variable(x), k.say.variable(y)))
				}
			}
		}
	}
	return out
}

// storedTo returns the constants that are stored to each variable, and its initial value.
func storedTo(pr *encode.Problem) map[int][]int64 {
	out := map[int][]int64{}
	add := func(x int, e *ir.Expr) {
		if v, ok := e.IsConst(); ok && !slices.Contains(out[x], v) {
			out[x] = append(out[x], v)
		}
	}
	for r := range pr.Regions {
		if g := &pr.Regions[r]; g.Shape == encode.Single {
			add(r, ir.Int(g.Type.Wrap(pr.First(uint64(g.Base), g.Size))))
		}
	}
	for _, c := range pr.Classes {
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			if !op.Writes() {
				continue
			}
			if x, ok := pr.Variable(op); ok {
				if add(x, op.Val); op.RMW == ir.Cas {
					add(x, op.Val2)
				}
			}
		}
	}
	return out
}

// privateCells returns accesses, one for each cell that belongs to a thread by its number.
func privateCells(pr *encode.Problem, c *program.Class) []*ir.Op {
	var list []*ir.Op
	for i := range c.Code.Edges {
		op := &c.Code.Edges[i].Op
		if c.Self == ir.NoReg || !op.Accesses() || !program.OnlyReads(op.Addr, c.Self) {
			continue
		}
		if _, fixed := pr.Constant(op.Addr); !fixed && !slices.ContainsFunc(list, func(x *ir.Op) bool { return x.Addr.Equal(op.Addr) }) {
			list = append(list, op)
		}
	}
	return list
}

// privateName returns the name of such a cell for users.
func privateName(pr *encode.Problem, c *program.Class, op *ir.Op) string {
	regs := make([]int64, len(c.Code.Regs))
	addr := op.Addr.Eval(ir.Env{Regs: regs, Prog: pr.Prog})
	return pr.Prog.LocationName(uint64(addr), op.Type.Size()) + " (of thread 0)"
}
