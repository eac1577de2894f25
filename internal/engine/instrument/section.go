package instrument

import "fencepost/internal/ir"

// Sections. An atomic section is one node of the trace. So if one access of a section
// comes after the attacker's load in happens-before, all accesses of the section do, the
// earlier ones too. A helper that is not involved therefore runs a section tentatively, in
// a third copy of its code. Levels are raised as if the section came after the load. If no
// access shows that it does, the section never ends, and no other thread sees the levels.
//
// The levels that an access finds must not come from the section itself. An address that
// the section is the first to access is marked with the helper's number, once, and does
// not count. An address that other threads only loaded counts when the section stores to
// it. An address that other threads stored counts at the first access; then the question
// is decided. Marks of other helpers have no meaning: of all sections that a helper runs
// tentatively, at most one ends.
//
// Success is tested at the end of the section.

// inSection weaves an edge inside a section.
func (w *threadWeaver) inSection() {
	from, to := w.e.From, w.e.To
	op := &w.e.Op
	switch {
	case op.Kind == ir.AtomicEnd:
		w.edge(from, *op, to, true)
		w.block(w.tentative[from])
		w.edge(w.copies[from], *op, w.copies[to], true)
		w.edge(w.then(w.copies[from], ir.NewAssume(ir.Binary(ir.Ne, ir.S64, ir.R(w.reg("hit")), ir.Int(0)))), *op, w.goal(), true)
	case op.AccessSize() > 0:
		w.plain(from, to, 1)
		w.try(w.valid(w.tentative[from], op))
		w.keep(w.valid(w.copies[from], op))
	default:
		w.plain(from, to, 1)
		w.plain(w.tentative[from], w.tentative[to], 1)
		w.plain(w.copies[from], w.copies[to], 2)
	}
}

// clearHit begins a section: no access of it has overlapped the delayed store.
func (w *threadWeaver) clearHit(at ir.Loc) ir.Loc {
	return w.then(at, ir.NewAssign(w.reg("hit"), ir.Int(0)))
}

// hit records in a register whether an access overlaps the delayed store.
func (w *threadWeaver) hit(at ir.Loc, op *ir.Op, addr *ir.Expr) ir.Loc {
	cond, inMemory := w.hits(op, addr)
	r := w.reg("hit")
	if v, ok := cond.IsConst(); ok {
		if v != 0 {
			at = w.then(at, ir.NewAssign(r, ir.Int(1)))
		}
		return at
	}
	if inMemory {
		t := w.reg("target")
		get := cell(ir.Load, w.target, ir.Int(0))
		get.Dst = t
		at = w.then(at, get)
		cond = cond.Map(func(e *ir.Expr) *ir.Expr {
			if e.Op == ir.Seen {
				return ir.R(t)
			}
			return e
		})
	}
	return w.then(at, ir.NewAssign(r, ir.Binary(ir.LOr, ir.S64, ir.R(r), cond)))
}

// keep weaves an access in a section of an involved helper.
func (w *threadWeaver) keep(at ir.Loc) {
	op := w.e.Op
	always, cond := w.wrote(&op)
	at, addr := w.address(at, &op)
	at = w.do(at, op)
	at = w.hit(at, &op, addr)
	w.edge(at, w.raise(&op, addr, w.levelOf(w.sh.word(&op), always, cond)), w.copies[w.e.To], false)
}

// try weaves an access of a section that runs tentatively.
func (w *threadWeaver) try(at ir.Loc) {
	op := w.e.Op
	always, cond := w.wrote(&op)
	word := w.sh.word(&op)
	me := int64(w.t) + 1
	levels, marks := w.reg("level"), w.reg("mark")
	at, addr := w.address(at, &op)
	at = w.then(at, w.readLevel(&op, levels))
	get := w.sh.access(ir.Load, &op, op.Addr, mark)
	get.Dst = marks
	at = w.then(at, get)
	at = w.do(at, op)
	at = w.hit(at, &op, addr)

	others := word.others(ir.R(marks), me)
	count := func(levels *ir.Expr) *ir.Expr {
		if !word.bytes {
			return both(levels, others)
		}
		return ir.Binary(ir.Ne, word.typ(), ir.Binary(ir.And, word.typ(), levels, others), ir.Int(0))
	}
	accessed, stored := ir.R(levels), ir.Binary(ir.Shr, word.typ(), ir.R(levels), ir.Int(1))
	if !word.bytes {
		accessed, stored = word.isAccessed(ir.R(levels)), word.isStored(ir.R(levels))
	}
	var after *ir.Expr
	switch {
	case always:
		after = count(accessed)
	case cond != nil:
		after = either(both(cond, count(accessed)), count(stored))
	default:
		after = count(stored)
	}
	raise := w.raise(&op, addr, w.levelOf(word, always, cond))
	w.edge(w.nowInvolved(w.then(at, ir.NewAssume(after))), raise, w.copies[w.e.To], false)
	at = w.then(at, ir.NewAssume(ir.Negate(after)))
	put := w.sh.access(ir.Store, &op, addr, mark)
	put.Val = word.marked(ir.R(marks), ir.R(levels), me)
	w.edge(w.then(at, put), raise, w.tentative[w.e.To], false)
}
