package robust

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Where one attacker is not enough. [BDM13 Lemma 2] says that in a violation with
// fewest delays one thread delays: if two did, the load of one of them could be
// left out, since no other action needs a load. A signal, an allocation or a recursive lock
// that counts as a load is needed by those it wakes or feeds, and cannot be left
// out. The argument then goes another way (docs/engines/robust.md): the first access
// that closes the cycle of either thread stays possible when the other one does not
// delay, except if it waits for a value that both delays together keep. Such an
// access is an await, a read-modify-write that waits, or a lock, of bytes that two
// other threads store. A program that has both is not called robust. Of stores into
// mutexes only those are looked for that surely may hit one: a store through a pointer that
// could point anywhere would make every program with mutexes suspect.

// incomplete is why the search does not prove the program robust, or "".
func incomplete(p *ir.Program, pl *plan) string {
	if !pl.effects(p) {
		return ""
	}
	facts := analysis.NewFacts(p, nil)
	for k := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(k))
		for i := range f.Edges {
			e := &f.Edges[i]
			if waits(&e.Op) && storers(p, facts, k, e) > 1 {
				return "a signal, allocation or recursive lock can overtake stores, and an access waits for a value that two other threads store: one delaying thread may not be enough to show a violation"
			}
		}
	}
	return ""
}

// waits reports whether the operation is possible only while memory has a value.
func waits(op *ir.Op) bool {
	switch op.Kind {
	case ir.Await, ir.Lock, ir.CondWait:
		return true
	}
	return op.Kind == ir.RMW && op.Cond != nil
}

// effects reports whether an attack is left whose load has an effect on others.
func (pl *plan) effects(p *ir.Program) bool {
	for t := range pl.threads {
		tp := &pl.threads[t]
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			col := tp.load[e.ID]
			if col == 0 || e.Op.Reads() {
				continue
			}
			for _, row := range tp.allow {
				if row[col-1] {
					return true
				}
			}
		}
	}
	return false
}

// storers is how many threads other than k may store what an operation accesses.
func storers(p *ir.Program, facts *analysis.Facts, k int, access *ir.Edge) int {
	n := 0
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		found := false
		for i := range f.Edges {
			e := &f.Edges[i]
			anywhere := facts.Footprint(e).Anything && !access.Op.Accesses()
			found = found || e.Op.Kind == ir.Store && !anywhere && facts.MayOverlap(e, access)
		}
		if found && t != k {
			n++
		}
	}
	return n
}
