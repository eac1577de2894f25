package instrument

import (
	"context"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Attacks. An attack is a thread, a store of it and a load of it [BDM13 Def. 1]. The
// store is delayed past the load, so some path must lead from the store to the load
// that does not drain the buffer. This condition and the addresses rule out most pairs
// before an engine is asked [BDM13 §8].

// Attack is a thread (the attacker), the store that it delays (stinst) and the load
// that it delays the store past (ldinst).
type Attack struct {
	Thread ir.ThreadID
	Store  ir.EdgeID
	Load   ir.EdgeID
}

// AttackList is the result of Attacks.
type AttackList struct {
	Attacks []Attack // the attacks that may be feasible, in program order
	// Fenced counts the pairs of a store and a load of one thread between which every
	// path drains the buffer. Apart counts the pairs whose addresses rule out a cycle.
	Fenced, Apart int
}

// Attacks returns the attacks of a flat program that may be feasible, and counts the
// pairs that it rules out. The error is that of the context.
func Attacks(ctx context.Context, p *ir.Program) (AttackList, error) {
	l := &attackLister{p: p, facts: analysis.NewFacts(p, nil)}
	for t := range p.Threads {
		if err := l.thread(ctx, ir.ThreadID(t)); err != nil {
			return AttackList{}, err
		}
	}
	return l.list, nil
}

type attackLister struct {
	p     *ir.Program
	facts *analysis.Facts
	list  AttackList
}

func (l *attackLister) thread(ctx context.Context, t ir.ThreadID) error {
	f := l.p.ThreadFunc(t)
	inside, err := ir.SectionLocs(f)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for i := range f.Edges {
		st := &f.Edges[i]
		if st.Op.Kind != ir.Store || inside[st.From] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		reached := analysis.Undrained(f, st.To, nil)
		for j := range f.Edges {
			ld := &f.Edges[j]
			switch {
			case !ld.Op.ReadsOnly() || inside[ld.From]:
			case !reached[ld.From]:
				l.list.Fenced++
			case l.apart(t, st, ld):
				l.list.Apart++
			default:
				l.list.Attacks = append(l.list.Attacks, Attack{Thread: t, Store: st.ID, Load: ld.ID})
			}
		}
	}
	return nil
}

// apart reports whether the addresses rule out an attack. There are three cases: the
// delayed store writes all bytes that the load reads, so that no byte comes from memory
// (W5); no other thread writes a byte that the load reads; or no other thread accesses a
// byte that the store writes. The last two suffice because the first helper after the
// load can only be a writer of the load's bytes, and the last helper accesses the
// store's [BDM13 Lemma 3].
func (l *attackLister) apart(t ir.ThreadID, st, ld *ir.Edge) bool {
	if at, ok := fixedAddress(l.p, &st.Op); ok {
		if from, ok := fixedAddress(l.p, &ld.Op); ok && analysis.Covers(at, uint64(st.Op.AccessSize()), from, uint64(ld.Op.AccessSize())) {
			return true
		}
	}
	written, accessed := false, false
	for u := range l.p.Threads {
		if ir.ThreadID(u) == t {
			continue
		}
		f := l.p.ThreadFunc(ir.ThreadID(u))
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.AccessSize() == 0 {
				continue
			}
			accessed = accessed || l.facts.MayOverlap(e, st)
			written = written || !e.Op.ReadsOnly() && l.facts.MayOverlap(e, ld)
			if written && accessed {
				return false
			}
		}
	}
	return !written || !accessed
}

// fixedAddress returns the address of an operation if it is the same in every execution.
func fixedAddress(p *ir.Program, op *ir.Op) (uint64, bool) {
	if !op.Addr.IsFixed() {
		return 0, false
	}
	return uint64(op.Addr.Eval(ir.Env{Prog: p})), true
}
