package transform

import "fencepost/internal/ir"

// Sections. An atomic section is one node of the trace, so a section of a helper that
// is not involved may begin with accesses that are not behind the attacker's load, if
// one of the later ones is; then all of them are, the earlier ones too. The helper runs
// it tentatively, in a third copy of its code. Levels are raised as if it were
// behind; if no access makes it so, the section never ends, and that way is lost.
//
// What an access finds must not come from the section itself. A place that the
// section is the first to touch is marked with the helper's number, once, and does not
// count. One that others only loaded counts when the section stores to it, and one
// that others stored at the first access: then nothing is left to find out. Marks
// of other helpers mean nothing; a helper runs at most one section tentatively that
// ends.
//
// Success is tested at the end.

// inSection weaves an edge inside a section.
func (w *threadWeaver) inSection() {
	from, to := w.e.From, w.e.To
	op := &w.e.Op
	switch {
	case op.Kind == ir.AtomicEnd:
		w.edge(from, *op, to, true)
		w.block(w.tentative[from])
		w.edge(w.copies[from], *op, w.copies[to], true)
		w.edge(w.then(w.copies[from], assume(ir.Binary(ir.Ne, ir.S64, ir.R(w.reg("hit")), ir.Int(0)))), *op, w.goal(), true)
	case touches(op):
		w.plain(from, to, 1)
		w.try(w.valid(w.tentative[from], op))
		w.keep(w.valid(w.copies[from], op))
	default:
		w.plain(from, to, 1)
		w.plain(w.tentative[from], w.tentative[to], 1)
		w.plain(w.copies[from], w.copies[to], 2)
	}
}

// clearHit begins a section: nothing of it has touched what the delayed store
// writes.
func (w *threadWeaver) clearHit(at ir.Loc) ir.Loc {
	return w.then(at, assign(w.reg("hit"), ir.Int(0)))
}

// hit notes whether an access touches what the delayed store writes.
func (w *threadWeaver) hit(at ir.Loc, op *ir.Op, addr *ir.Expr) ir.Loc {
	cond, inMemory := w.hits(op, addr)
	r := w.reg("hit")
	if v, ok := cond.IsConst(); ok {
		if v != 0 {
			at = w.then(at, assign(r, ir.Int(1)))
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
	return w.then(at, assign(r, ir.Binary(ir.LOr, ir.S64, ir.R(r), cond)))
}

// keep is an access of an involved helper's section.
func (w *threadWeaver) keep(at ir.Loc) {
	op := w.e.Op
	always, cond := w.wrote(&op)
	at, addr := w.address(at, &op)
	at = w.do(at, op)
	at = w.hit(at, &op, addr)
	w.edge(at, w.raise(&op, addr, w.levelOf(w.sh.word(&op), always, cond)), w.copies[w.e.To], false)
}

// try is an access of a section that runs tentatively.
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
	var behind *ir.Expr
	switch {
	case always:
		behind = count(accessed)
	case cond != nil:
		behind = either(both(cond, count(accessed)), count(stored))
	default:
		behind = count(stored)
	}
	raise := w.raise(&op, addr, w.levelOf(word, always, cond))
	w.edge(w.nowInvolved(w.then(at, assume(behind))), raise, w.copies[w.e.To], false)
	at = w.then(at, assume(ir.Negate(behind)))
	put := w.sh.access(ir.Store, &op, addr, mark)
	put.Val = word.marked(ir.R(marks), ir.R(levels), me)
	w.edge(w.then(at, put), raise, w.tentative[w.e.To], false)
}
