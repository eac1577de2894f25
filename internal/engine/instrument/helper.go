package instrument

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Helpers [BDM13 Fig. 7]: their code, which does not go on once the attacker has
// stopped (7), the accesses that come after the attacker's load and lead into the copy
// (8), (9), and the copy (10)-(12).
//
// A read-modify-write or mutex operation is a load and a store in one node. If it writes,
// it comes after every earlier load or store of its address, as a store does. If it does
// not write (a failed compare-exchange or trylock), it counts as a load.

// helper weaves a helper.
func (w *threadWeaver) helper() error {
	w.tentative = make([]ir.Loc, len(w.src.Locs))
	for l := range w.src.Locs {
		if w.in[l] {
			w.tentative[l] = w.locLike(ir.Loc(l), "?")
		}
	}
	for i := range w.src.Edges {
		w.e = &w.src.Edges[i]
		if w.in[w.e.From] {
			w.inSection()
		} else {
			w.outside()
		}
	}
	if w.won >= 0 {
		name := fmt.Sprintf("%s closes the cycle", w.p.Threads[w.t].Name)
		w.res.Props.Goals = append(w.res.Props.Goals, property.Goal{
			Name: name, At: []property.At{{Thread: w.t, Locs: []ir.Loc{w.won}}},
		})
	}
	return nil
}

// outside weaves an edge that begins outside a section.
func (w *threadWeaver) outside() {
	from, to := w.e.From, w.e.To
	op := &w.e.Op
	switch {
	case op.Kind == ir.AtomicBegin:
		w.edge(w.running(from), *op, to, true)
		w.edge(w.clearHit(w.do(from, *op)), ir.NewOp(ir.Nop), w.tentative[to], false)
		w.edge(w.clearHit(w.do(w.copies[from], *op)), ir.NewOp(ir.Nop), w.copies[to], false)
	case op.AccessSize() > 0:
		w.plain(w.running(from), to, 1)
		w.accessInCopy(w.afterLoad(w.valid(from, op)), w.copies[to], true)
		w.accessInCopy(w.valid(w.copies[from], op), w.copies[to], false)
	case op.Kind == ir.Join:
		w.plain(w.running(from), to, 1)
		w.joins(w.joinable(from), w.copies[to])
		w.plain(w.copies[from], w.copies[to], 2)
	case op.Kind == ir.Spawn:
		w.plain(w.running(from), to, 1)
		w.plain(w.copies[from], w.copies[to], 2)
	default:
		w.plain(from, to, 1)
		w.plain(w.copies[from], w.copies[to], 2)
	}
}

// running adds a test that the attacker has not stopped, and returns the location after it
// (7).
func (w *threadWeaver) running(from ir.Loc) ir.Loc {
	return w.then(from, awaitCell(w.stopped, ir.Int(0), ir.Eq, 0))
}

// wrote reports whether an access writes: always, never (cond is nil), or if cond holds
// after it. It adds the result registers that cond needs to the operation.
func (w *threadWeaver) wrote(op *ir.Op) (always bool, cond *ir.Expr) {
	switch {
	case op.Kind == ir.RMW && op.RMW == ir.Cas:
		if op.Dst2 == ir.NoReg {
			op.Dst2 = w.reg("wrote")
		}
		return false, ir.R(op.Dst2)
	case op.Kind.IsMutex():
		if op.Dst == ir.NoReg {
			op.Dst = w.reg("result")
		}
		return false, ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst), ir.Int(0))
	}
	return op.Writes(), nil
}

// afterLoad adds a test that the access may come after the attacker's load in
// happens-before, and returns the location after the test. The level at its address must
// be stored or, if the access may write, at least loaded [BDM13 Lemma 3].
func (w *threadWeaver) afterLoad(from ir.Loc) ir.Loc {
	op := w.e.Op
	word := w.sh.word(&op)
	test := w.sh.access(ir.Await, &op, op.Addr, level)
	test.Cond = word.isAccessed(ir.SeenValue())
	if always, cond := w.wrote(&op); !always && cond == nil {
		test.Cond = word.isStored(ir.SeenValue())
	}
	return w.then(from, test)
}

// accessInCopy weaves an access in the copy or, if first is set, the access that leads
// into the copy.
func (w *threadWeaver) accessInCopy(from, to ir.Loc, first bool) {
	op := w.e.Op
	always, cond := w.wrote(&op)
	word := w.sh.word(&op)
	at := w.then(from, ir.NewOp(ir.AtomicBegin))
	at, addr := w.address(at, &op)
	level := w.reg("level")
	if first && cond != nil {
		at = w.then(at, w.readLevel(&op, level))
	}
	at = w.do(at, op)
	if first && cond != nil {
		// afterLoad has tested that the address was accessed.
		at = w.then(at, ir.NewAssume(either(cond, word.isStored(ir.R(level)))))
	}
	at = w.then(at, w.raise(&op, addr, w.levelOf(word, always, cond)))
	if first {
		at = w.nowInvolved(at)
	}
	w.success(at, &op, addr)
	w.edge(at, ir.NewOp(ir.AtomicEnd), to, false)
}

// readLevel returns a load of the level at the address of an access.
func (w *threadWeaver) readLevel(op *ir.Op, into ir.Reg) ir.Op {
	out := w.sh.access(ir.Load, op, op.Addr, level)
	out.Dst = into
	return out
}

// levelOf returns the level of an access, given the results of wrote.
func (w *threadWeaver) levelOf(word word, always bool, cond *ir.Expr) *ir.Expr {
	switch {
	case always:
		return word.stored()
	case cond != nil:
		return ir.Conditional(cond, word.stored(), word.loaded())
	default:
		return word.loaded()
	}
}

// nowInvolved marks the thread as involved, for the threads that join it.
func (w *threadWeaver) nowInvolved(at ir.Loc) ir.Loc {
	if w.involved == ir.NoObject {
		return at
	}
	return w.then(at, setCell(w.involved, ir.Int(int64(w.t)), ir.Int(2)))
}

// joins weaves a join of an involved thread, which leads into the copy.
func (w *threadWeaver) joins(from, to ir.Loc) {
	op := w.e.Op
	r := w.reg("handle")
	at := w.then(from, ir.NewAssign(r, op.Val))
	op.Val = ir.R(r)
	if op.Dst == r {
		panic("BUG: an auxiliary register in the program")
	}
	at = w.do(at, op)
	at = w.then(at, awaitCell(w.involved, ir.R(r), ir.Eq, 2))
	w.edge(w.nowInvolved(at), ir.NewOp(ir.Nop), to, false)
}

// hits returns the condition under which an access overlaps the bytes of the delayed
// store. If inMemory is set, Seen in the condition stands for the store's key, which has
// to be read from the object target.
func (w *threadWeaver) hits(op *ir.Op, addr *ir.Expr) (cond *ir.Expr, inMemory bool) {
	st := &w.store.Op
	n, m := op.AccessSize(), st.AccessSize()
	if !st.Addr.IsFixed() {
		return w.sh.meets(w.sh.key(addr), n, ir.SeenValue(), m), true
	}
	if addr.IsFixed() {
		env := ir.Env{Prog: w.p}
		if analysis.Overlap(uint64(addr.Eval(env)), uint64(n), uint64(st.Addr.Eval(env)), uint64(m)) {
			return ir.Int(1), false
		}
		return ir.Int(0), false
	}
	return w.sh.meets(w.sh.key(addr), n, w.sh.key(st.Addr), m), false
}

// success adds a path to the goal, out of the section, for an access that closes the
// cycle (13).
func (w *threadWeaver) success(at ir.Loc, op *ir.Op, addr *ir.Expr) {
	cond, inMemory := w.hits(op, addr)
	if v, ok := cond.IsConst(); ok && v == 0 {
		return
	}
	test := ir.NewAssume(cond)
	if inMemory {
		test = cell(ir.Await, w.target, ir.Int(0))
		test.Cond = cond
	}
	w.edge(w.then(at, test), ir.NewOp(ir.AtomicEnd), w.goal(), false)
}

// goal returns the location of success, and adds it if needed.
func (w *threadWeaver) goal() ir.Loc {
	if w.won < 0 {
		w.f.Locs = append(w.f.Locs, ir.Location{Name: w.unique("l:", "success")})
		w.won = ir.Loc(len(w.f.Locs) - 1)
	}
	return w.won
}
