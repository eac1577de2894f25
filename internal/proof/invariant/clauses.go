package invariant

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
)

// Clauses that hold in all states of small instances: "the number was read before and is still the same, or ...", "the
// pointer is null or the data is there", "the lock is held or the flag is 0". A clause has one or two literals about the
// words of a location: variables, and registers of the thread. While a lock is free, what its holders restore holds: its
// resource invariant, a clause about variables.
//
// The literals of a location are evaluated in every state that is seen there; a clause is proposed if no state makes all
// its literals false, and each of them alone is false in some state. The solver then drops what is not inductive, as with all
// candidates.

// Bounds on candidates: literals and clauses of one location, constants and partners of one word.
const (
	maxLiterals  = 96
	maxClauses   = 160
	maxConstants = 4
	maxDeltas    = 3
)

// literal is a condition on words: RegRef number i in the expression is words[i].
type literal struct {
	text  string
	expr  *ir.Expr
	words []word
	weak  bool // it is an inequality
	alone bool // it is proposed by itself only
}

// or returns the clause of literals.
func (v vocabulary) or(list ...literal) *Condition {
	var texts []string
	var words []word
	var expr *ir.Expr
	for _, l := range list {
		shift := ir.Reg(len(words))
		e := l.expr.Map(func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef {
				return ir.R(x.Reg + shift)
			}
			return x
		})
		if expr == nil {
			expr = e
		} else {
			expr = ir.Binary(ir.LOr, ir.S64, expr, e)
		}
		texts, words = append(texts, l.text), append(words, l.words...)
	}
	return v.fact(strings.Join(texts, " || "), expr, words...)
}

// sorted is a word and its sort.
type sorted struct {
	word
	sort int
	typ  ir.Type // of a variable; no bits: it is a register
}

// clauseGrammar makes the literals of clauses.
type clauseGrammar struct {
	k         *Knowledge
	sorts     *sorts
	variables []sorted
	fields    []sorted // of the blocks that variables point to
}

func newClauseGrammar(k *Knowledge, scalars []int) *clauseGrammar {
	g := &clauseGrammar{k: k, sorts: newSorts(k.pr)}
	for _, x := range scalars {
		g.variables = append(g.variables, sorted{k.say.variable(x), g.sorts.variable(x), k.pr.Regions[x].Type})
	}
	for _, p := range k.blockVariables() {
		g.fields = append(g.fields, g.fieldsOf(p)...)
	}
	return g
}

// always returns the literals about variables.
func (g *clauseGrammar) always() []literal {
	return g.literals(append(slices.Clone(g.variables), g.fields...))
}

// at returns the literals of a location.
func (g *clauseGrammar) at(c *program.Class, l ir.Loc) []literal {
	words := slices.Clone(g.variables)
	fields := slices.Clone(g.fields)
	for _, r := range g.k.watched(c, l) {
		words = append(words, sorted{g.k.say.register(c, r), g.sorts.register(c, r), ir.Type{}})
		if p, ok := g.k.blockRegister(c, r); ok {
			fields = append(fields, g.fieldsOf(p)...)
		}
	}
	return g.literals(append(words, fields...))
}

// stored returns the clauses with certain texts.
func (g *clauseGrammar) stored(list []literal, wanted map[string]bool) []*Condition {
	named := map[string]literal{}
	for _, l := range list {
		named[l.text] = l
	}
	for _, lk := range g.k.Locks {
		held := lk.isHeld(g.k.say)
		named[held.text] = held
	}
	var out []*Condition
	for text := range wanted {
		var cl []literal
		parts := strings.Split(text, " || ")
		for _, part := range parts {
			if l, ok := named[part]; ok {
				cl = append(cl, l)
			}
		}
		if len(cl) == len(parts) {
			out = append(out, g.k.say.or(cl...))
		}
	}
	slices.SortFunc(out, func(p, q *Condition) int { return strings.Compare(p.text, q.text) })
	return out
}

// literals returns the literals about words, each followed by its negation.
func (g *clauseGrammar) literals(words []sorted) []literal {
	s := g.sorts
	var out []literal
	add := func(text, opposite string, expr *ir.Expr, words ...word) {
		if len(out) < maxLiterals {
			out = append(out, literal{text, expr, words, false, false}, literal{opposite, ir.Negate(expr), words, true, false})
		}
	}
	single := func(text, opposite string, expr *ir.Expr, words ...word) {
		if n := len(out); n < maxLiterals {
			add(text, opposite, expr, words...)
			out[n].alone, out[n+1].alone = true, true
		}
	}
	for i, x := range words {
		for _, y := range words[:i] {
			if x.sort == y.sort {
				add(x.name+" == "+y.name, x.name+" != "+y.name, ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.R(1)), x.word, y.word)
			}
		}
	}
	for _, x := range words {
		for _, y := range words {
			if x.typ.Bits == 0 || y.typ.Bits != 0 || x.sort != y.sort {
				continue
			}
			single(y.name+" <= "+x.name, y.name+" > "+x.name, ir.Binary(ir.Le, ir.S64, ir.R(0), ir.R(1)), y.word, x.word)
			for _, d := range s.deltas[x.sort][:min(len(s.deltas[x.sort]), maxDeltas)] {
				sum := ir.Binary(ir.Add, x.typ, ir.R(1), ir.Int(d))
				single(fmt.Sprintf("%s == %s + %d", x.name, y.name, d), fmt.Sprintf("%s != %s + %d", x.name, y.name, d), ir.Binary(ir.Eq, ir.S64, ir.R(0), sum), x.word, y.word)
			}
		}
	}
	for _, x := range words {
		for _, y := range words {
			if x.name == y.name || x.typ.Bits == 0 || x.typ != y.typ || x.sort != y.sort {
				continue
			}
			for _, n := range s.gaps[x.sort][:min(len(s.gaps[x.sort]), maxDeltas)] {
				gap := ir.Binary(ir.Sub, ir.Type{Bits: x.typ.Bits}, ir.R(0), ir.R(1))
				for _, n := range []int64{n, n - 1} {
					single(fmt.Sprintf("%s - %s <= %d", x.name, y.name, n), fmt.Sprintf("%s - %s > %d", x.name, y.name, n), ir.Binary(ir.Le, ir.U64, gap, ir.Int(n)), x.word, y.word)
				}
			}
		}
	}
	for _, x := range words {
		for _, m := range s.moduli[x.sort] {
			rem := ir.Binary(ir.Rem, ir.U64, ir.R(0), ir.Int(m))
			add(fmt.Sprintf("%s %% %d == 0", x.name, m), fmt.Sprintf("%s %% %d != 0", x.name, m), ir.Binary(ir.Eq, ir.S64, rem, ir.Int(0)), x.word)
		}
		list := s.consts[x.sort]
		for _, v := range list[:min(len(list), maxConstants)] {
			add(fmt.Sprintf("%s == %d", x.name, v), fmt.Sprintf("%s != %d", x.name, v), ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(v)), x.word)
		}
	}
	return out
}

// bitset is a set of small numbers.
type bitset []uint64

func (b *bitset) set(i int) {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

// meets reports whether two sets have a common element.
func (b bitset) meets(c bitset) bool {
	for i := range min(len(b), len(c)) {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b bitset) empty() bool {
	return !slices.ContainsFunc(b, func(w uint64) bool { return w != 0 })
}

// observed has literals and the states that were seen, without states that they do not tell apart.
type observed struct {
	literals []literal
	seen     map[string]bool
	fails    []bitset // by literal: the states in which it is false
	words    []word
	at       [][]int // by literal: the numbers of its words
}

func observe(literals []literal) *observed {
	o := &observed{literals: literals, seen: map[string]bool{}, fails: make([]bitset, len(literals))}
	number := map[string]int{}
	for _, l := range literals {
		var at []int
		for _, w := range l.words {
			n, known := number[w.name]
			if !known {
				n = len(o.words)
				number[w.name] = n
				o.words = append(o.words, w)
			}
			at = append(at, n)
		}
		o.at = append(o.at, at)
	}
	return o
}

// maxSeen bounds the states that are told apart at one location.
const maxSeen = 4096

// add notes a state.
func (o *observed) add(st *concrete) {
	if len(o.literals) == 0 || len(o.seen) >= maxSeen {
		return
	}
	values := make([]int64, len(o.words))
	for i, w := range o.words {
		values[i] = w.value(st)
	}
	key := make([]byte, len(o.literals)/2)
	args := make([]int64, 2)
	for i := 0; i < len(o.literals); i += 2 {
		for j, n := range o.at[i] {
			args[j] = values[n]
		}
		if o.literals[i].expr.Eval(ir.Env{Regs: args}) != 0 {
			key[i/2] = 1
		}
	}
	if o.seen[string(key)] {
		return
	}
	n := len(o.seen)
	o.seen[string(key)] = true
	for i := range key {
		o.fails[2*i+int(key[i])].set(n)
	}
}

// clauses returns the clauses that hold in all states and say more than their parts: those with two literals of which
// at least one is an equation.
func (o *observed) clauses() [][]literal {
	if len(o.seen) == 0 {
		return nil
	}
	var out [][]literal
	for i := range o.literals {
		if o.fails[i].empty() {
			out = append(out, []literal{o.literals[i]})
			continue
		}
		for j := range i {
			if i/2 != j/2 && !o.literals[i].alone && !o.literals[j].alone && !(o.literals[i].weak && o.literals[j].weak) && !o.fails[j].empty() && !o.fails[i].meets(o.fails[j]) {
				out = append(out, []literal{o.literals[j], o.literals[i]})
			}
		}
	}
	return out[:min(len(out), maxClauses)]
}

// clausesBut returns the clauses that do not hold in all states that another one has seen. The two have the same
// literals.
func (o *observed) clausesBut(all *observed) [][]literal {
	known := map[string]bool{}
	text := func(cl []literal) string {
		out := ""
		for _, l := range cl {
			out += "|" + l.text
		}
		return out
	}
	for _, cl := range all.clauses() {
		known[text(cl)] = true
	}
	return slices.DeleteFunc(o.clauses(), func(cl []literal) bool { return known[text(cl)] })
}

// mineClauses proposes clauses at locations and for all states, and adds to the invariants that are proved.
func (k *Knowledge) mineClauses(scalars []int) {
	k.retry()
	k.mineCounts(scalars) // with clauses more of them are inductive
	k.minePairs()
	g := newClauseGrammar(k, scalars)
	at := map[standing]*observed{}
	for _, c := range k.pr.Classes {
		seen := program.Reachable(c.Code, c.Code.Entry)
		for l := range c.Code.Locs {
			if c.Skips(ir.Loc(l)) || !seen[l] {
				continue
			}
			at[standing{c, ir.Loc(l)}] = observe(g.at(c, ir.Loc(l)))
		}
	}
	always := observe(g.always())
	free := make([]*observed, len(k.Locks))
	for i := range free {
		free[i] = observe(always.literals)
	}
	for _, in := range k.instances() {
		in.each(k.pr.Ctx, k.Reach, func(st program.State, threads []ir.ThreadID) {
			state := &concrete{State: st}
			always.add(state)
			for i, lk := range k.Locks {
				if lk.isFree(k.pr, st) {
					free[i].add(state)
				}
			}
			for _, t := range threads {
				l, _ := st.At(t)
				if o := at[standing{in.of[t], l}]; o != nil {
					o.add(&concrete{State: st, thread: t})
				}
			}
		})
		k.pr.Poll()
	}
	k.global = unlessThere(g.propose(k.global, always.clauses(), nil), g.rings())
	for i, lk := range k.Locks {
		held := lk.isHeld(k.say)
		k.global = g.propose(k.global, free[i].clausesBut(always), &held)
	}
	for _, c := range k.pr.Classes {
		for l := range c.Code.Locs {
			if o := at[standing{c, ir.Loc(l)}]; o != nil {
				k.Local[c][l] = unlessThere(g.propose(k.Local[c][l], o.clauses(), nil), g.fillingAt(c, ir.Loc(l)))
			}
		}
	}
	k.prune()
	k.dropFalseNew()
}

// propose adds clauses to a list that does not have them, each with one more literal if there is one.
func (g *clauseGrammar) propose(list []*Condition, clauses [][]literal, more *literal) []*Condition {
	var preds []*Condition
	for _, cl := range clauses {
		if more != nil {
			cl = append([]literal{*more}, cl...)
		}
		preds = append(preds, g.k.say.or(cl...))
	}
	return unlessThere(list, preds)
}

// isFree reports whether no thread holds the lock in a state.
func (lk *Lock) isFree(pr *encode.Problem, st program.State) bool {
	g := &pr.Regions[lk.Region]
	return lk.frees(st.Read(uint64(g.Base), g.Type))
}

// isHeld returns the literal that a thread holds the lock.
func (lk *Lock) isHeld(say vocabulary) literal {
	w := say.variable(lk.Region)
	if lk.counter {
		return literal{w.name + " < 1", ir.Binary(ir.Lt, ir.S64, ir.R(0), ir.Int(1)), []word{w}, true, false}
	}
	return literal{w.name + " != 0", ir.Binary(ir.Ne, ir.S64, ir.R(0), ir.Int(0)), []word{w}, true, false}
}
