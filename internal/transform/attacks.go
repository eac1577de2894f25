package transform

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Attacks. An attack is a thread, a store of it and a load of it [BDM13 Def. 1]. The
// store is delayed past the load, so some way must lead from the one to the other
// that does not drain the buffer; that, and what the addresses say, rules most pairs
// out before anything is asked [BDM13 §8].

// Attack is an attacker, the store it delays (stinst) and the load it delays it
// past (ldinst).
type Attack struct {
	Thread ir.ThreadID
	Store  ir.EdgeID
	Load   ir.EdgeID
}

// AttackList is what Attacks finds.
type AttackList struct {
	Attacks []Attack // that must be asked about, in program order
	// Fenced is the pairs of a store and a load of one thread between which every
	// way drains, Apart those whose addresses rule a cycle out.
	Fenced, Apart int
}

// Attacks lists the attacks of a flat program that may be feasible.
func Attacks(p *ir.Program) AttackList {
	l := &attackLister{p: p, facts: analysis.NewFacts(p, nil)}
	for t := range p.Threads {
		l.thread(ir.ThreadID(t))
	}
	return l.list
}

type attackLister struct {
	p     *ir.Program
	facts *analysis.Facts
	list  AttackList
}

func (l *attackLister) thread(t ir.ThreadID) {
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
		reached := analysis.Undrained(f, st.To, nil)
		for j := range f.Edges {
			ld := &f.Edges[j]
			switch {
			case !loads(ld.Op.Kind) || inside[ld.From]:
			case !reached[ld.From]:
				l.list.Fenced++
			case l.apart(t, st, ld):
				l.list.Apart++
			default:
				l.list.Attacks = append(l.list.Attacks, Attack{Thread: t, Store: st.ID, Load: ld.ID})
			}
		}
	}
}

func loads(k ir.OpKind) bool { return k == ir.Load || k == ir.Await || k == ir.AbstractLoad }

// apart reports whether addresses rule an attack out: the delayed store has all bytes
// that the load reads, so that none comes from memory (W5), nobody else writes what the load reads, or nobody
// else touches what the store writes. The first helper behind the load can only be
// a writer of the load's bytes, and the last one touches the store's [BDM13 Lemma 3].
func (l *attackLister) apart(t ir.ThreadID, st, ld *ir.Edge) bool {
	if at, ok := fixedAddress(l.p, &st.Op); ok {
		if from, ok := fixedAddress(l.p, &ld.Op); ok && analysis.Covers(at, uint64(sizeOf(&st.Op)), from, uint64(sizeOf(&ld.Op))) {
			return true
		}
	}
	written, touched := false, false
	for u := range l.p.Threads {
		if ir.ThreadID(u) == t {
			continue
		}
		f := l.p.ThreadFunc(ir.ThreadID(u))
		for i := range f.Edges {
			e := &f.Edges[i]
			if !touches(&e.Op) {
				continue
			}
			touched = touched || l.facts.MayOverlap(e, st)
			written = written || !loads(e.Op.Kind) && l.facts.MayOverlap(e, ld)
		}
	}
	return !written || !touched
}

// touches reports whether the operation accesses memory, mutexes included.
func touches(op *ir.Op) bool { return op.Accesses() || isMutex(op.Kind) }

func isMutex(k ir.OpKind) bool { return k == ir.Lock || k == ir.TryLock || k == ir.Unlock }

// mutexSize is how many bytes a mutex has.
const mutexSize = 8

// sizeOf is how many bytes an operation accesses.
func sizeOf(op *ir.Op) int {
	if isMutex(op.Kind) {
		return mutexSize
	}
	return op.Type.Size()
}

// fixedAddress is the address of an operation that has one address only.
func fixedAddress(p *ir.Program, op *ir.Op) (uint64, bool) {
	if !isFixed(op.Addr) {
		return 0, false
	}
	return uint64(op.Addr.Eval(ir.Env{Prog: p})), true
}

// isFixed reports whether an expression reads no register.
func isFixed(e *ir.Expr) bool {
	fixed := true
	e.Walk(func(e *ir.Expr) { fixed = fixed && e.Op != ir.RegRef && e.Op != ir.Seen })
	return fixed
}
