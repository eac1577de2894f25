package instrument

import (
	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// The attacker [BDM13 Fig. 5]: its code, the store that begins the delay (1), the
// copy in which stores are delayed (3)-(6), and the load at which it stops (2).

// attacker weaves the attacker.
func (w *threadWeaver) attacker() error {
	for i := range w.src.Edges {
		w.e = &w.src.Edges[i]
		w.plain(w.e.From, w.e.To, 1)
		if w.in[w.e.From] {
			continue
		}
		if w.e.ID == w.attack.Store {
			w.delay(w.e.From)
		}
		if w.e.ID == w.attack.Load {
			w.stop(w.copies[w.e.From])
		}
		if err := w.delayed(w.copies[w.e.From], w.copies[w.e.To]); err != nil {
			return err
		}
	}
	w.e = nil
	for l := range w.src.Locs {
		// The attacker ends, but its stores have not reached memory: no thread can join it.
		if w.src.Ends(ir.Loc(l)) {
			w.block(w.copies[l])
		}
	}
	return nil
}

// delay weaves the store of the attack, which leads to the copy (1).
func (w *threadWeaver) delay(from ir.Loc) {
	op := &w.e.Op
	at := w.valid(from, op)
	if !op.Addr.IsFixed() {
		at = w.then(at, setCell(w.target, ir.Int(0), w.sh.key(op.Addr)))
	}
	at = w.then(at, w.enqueued(op))
	w.res.Delays[w.out.NextEdge] = true
	w.edge(at, w.buffered(op), w.copies[w.e.To], true)
}

// buffered returns the store of a delayed value to auxiliary memory, which only the
// attacker reads.
func (w *threadWeaver) buffered(op *ir.Op) ir.Op {
	out := w.sh.access(ir.Store, op, op.Addr, value)
	out.Type, out.Val = op.Type, op.Val
	return out
}

// enqueued returns the store that marks the bytes of a store as delayed.
func (w *threadWeaver) enqueued(op *ir.Op) ir.Op {
	out := w.sh.access(ir.Store, op, op.Addr, delayed)
	out.Val = w.sh.word(op).entry()
	return out
}

// hasEntry returns an await that cond holds for the marks of delayed bytes at the address
// of an access.
func (w *threadWeaver) hasEntry(op *ir.Op, cond *ir.Expr) ir.Op {
	out := w.sh.access(ir.Await, op, op.Addr, delayed)
	out.Cond = cond
	return out
}

// loadInCopy weaves a load in the copy (4): delayed bytes come from auxiliary memory, the
// others from memory. Auxiliary memory may be read before the load, because only the
// attacker writes to it.
func (w *threadWeaver) loadInCopy(at, to ir.Loc) {
	op := &w.e.Op
	seen, word := ir.SeenValue(), w.sh.word(op)
	w.edge(w.then(at, w.hasEntry(op, ir.Negate(word.isAccessed(seen)))), *op, to, true)
	aux := *op
	aux.Addr = w.sh.addr(op.Addr, value)
	if aux.Obj != ir.NoObject {
		aux.Obj = w.sh.copies[value][aux.Obj]
	}
	w.edge(w.then(at, w.hasEntry(op, word.isCovered(seen))), aux, to, true)
	if !word.bytes || word.size == 1 {
		return
	}
	rest, at := w.partly(at, both(word.isAccessed(seen), ir.Negate(word.isCovered(seen))))
	if op.Kind == ir.AbstractLoad || op.Dst == ir.NoReg {
		w.edge(at, rest, to, true)
		return
	}
	mix := ir.Unary(ir.Cast, op.Type, word.mixed(w.reg("delayed"), w.reg("value"), ir.R(op.Dst)))
	w.edge(w.do(at, rest), ir.NewAssign(op.Dst, mix), to, false)
}

// partly adds a test that cond holds for the marks of the load's delayed bytes, and reads
// these bytes into a register. It returns the load of memory and its location. The
// condition of the returned load is on the value that includes the delayed bytes.
func (w *threadWeaver) partly(at ir.Loc, cond *ir.Expr) (ir.Op, ir.Loc) {
	op := w.e.Op
	entry := w.hasEntry(&op, cond)
	entry.Dst = w.reg("delayed")
	at = w.then(at, entry)
	get := w.sh.access(ir.Load, &op, op.Addr, value)
	get.Dst = w.reg("value")
	at = w.then(at, get)
	if op.Cond != nil {
		word := w.sh.word(&op)
		op.Cond = op.Cond.WithSeen(ir.Unary(ir.Cast, op.Type, word.mixed(w.reg("delayed"), w.reg("value"), ir.SeenValue())))
	}
	return op, at
}

// delayed weaves the edge in the copy.
func (w *threadWeaver) delayed(from, to ir.Loc) error {
	op := &w.e.Op
	switch {
	case op.Kind == ir.Store: // (3)
		at := w.valid(from, op)
		w.edge(w.then(at, w.enqueued(op)), w.buffered(op), to, true)
	case op.ReadsOnly(): // (4)
		w.loadInCopy(w.valid(from, op), to)
	case op.MustDrain() && !analysis.Drains(op):
		if w.close {
			return &engine.Unsupported{Pos: engine.Pos(w.e), What: "a recursive mutex of the attacker cannot be exported"}
		}
		at := w.then(w.valid(from, op), w.holdsMutex(op, op.Kind == ir.Unlock))
		w.edge(at, *op, to, true)
	case op.MustDrain(), op.Kind == ir.Exit, op.Kind == ir.Return, op.Kind == ir.ThreadExit: // (6)
		w.block(from)
	default: // (5)
		w.plain(from, to, 1)
	}
	return nil
}

// stop weaves the load of the attack (2), which reads memory and is the last step of the
// attacker. Only bytes that the load takes from memory get a level: delayed stores reach
// memory after all steps of the helpers, so that a helper's store to a delayed byte does
// not come after the load in happens-before.
func (w *threadWeaver) stop(from ir.Loc) {
	op := w.e.Op
	word := w.sh.word(&op)
	at := w.valid(from, &op)
	level := word.loaded()
	if !word.bytes || word.size == 1 {
		at = w.then(at, w.hasEntry(&op, ir.Negate(word.isAccessed(ir.SeenValue()))))
	} else {
		op, at = w.partly(at, ir.Negate(word.isCovered(ir.SeenValue())))
		level = ir.Binary(ir.And, word.typ(), level, ir.Unary(ir.BitNot, word.typ(), ir.R(w.reg("delayed"))))
	}
	at, addr := w.address(at, &op)
	at = w.then(at, ir.NewOp(ir.AtomicBegin))
	at = w.do(at, op)
	at = w.then(at, setCell(w.stopped, ir.Int(0), ir.Int(1)))
	at = w.then(at, w.raise(&op, addr, level))
	at = w.then(at, ir.NewOp(ir.AtomicEnd))
	w.block(at)
}

// raise returns the operation that raises the level at the address of an access.
func (w *threadWeaver) raise(op *ir.Op, addr, to *ir.Expr) ir.Op {
	out := w.sh.access(ir.RMW, op, addr, level)
	out.Sync.Order, out.RMW, out.Val = ir.SeqCst, ir.FetchOr, to
	return out
}
