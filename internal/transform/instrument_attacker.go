package transform

import "fencepost/internal/ir"

// The attacker [BDM13 Fig. 5]: its own code, the store that begins the delay (1), the
// copy in which stores are delayed (3)-(6), and the load at which it stops (2).

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
		// It ends, but what it has written has not arrived: nobody can join it.
		if w.src.Ends(ir.Loc(l)) {
			w.block(w.copies[l])
		}
	}
	return nil
}

// delay is the store of the attack (1).
func (w *threadWeaver) delay(from ir.Loc) {
	op := &w.e.Op
	at := w.valid(from, op)
	if !isFixed(op.Addr) {
		at = w.then(at, setCell(w.target, ir.Int(0), w.sh.key(op.Addr)))
	}
	at = w.then(at, w.enqueued(op))
	w.res.Delays[w.out.NextEdge] = true
	w.edge(at, w.buffered(op), w.copies[w.e.To], true)
}

// buffered is the store of a value to where only the attacker sees it.
func (w *threadWeaver) buffered(op *ir.Op) ir.Op {
	out := w.sh.access(ir.Store, op, op.Addr, value)
	out.Type, out.Val = op.Type, op.Val
	return out
}

// enqueued notes that there is a value.
func (w *threadWeaver) enqueued(op *ir.Op) ir.Op {
	out := w.sh.access(ir.Store, op, op.Addr, delayed)
	out.Val = w.sh.word(op).entry()
	return out
}

// hasEntry waits until auxiliary memory says what cond says.
func (w *threadWeaver) hasEntry(op *ir.Op, cond *ir.Expr) ir.Op {
	out := w.sh.access(ir.Await, op, op.Addr, delayed)
	out.Cond = cond
	return out
}

// delayed is what an edge becomes in the copy.
func (w *threadWeaver) delayed(from, to ir.Loc) error {
	op := &w.e.Op
	seen, word := ir.SeenValue(), w.sh.word(op)
	switch {
	case op.Kind == ir.Store: // (3)
		at := w.valid(from, op)
		w.edge(w.then(at, w.enqueued(op)), w.buffered(op), to, true)
	case loads(op.Kind): // (4)
		at := w.valid(from, op)
		w.edge(w.then(at, w.hasEntry(op, ir.Negate(word.isAccessed(seen)))), *op, to, true)
		own := *op
		own.Addr = w.sh.addr(op.Addr, value)
		if own.Obj != ir.NoObject {
			own.Obj = w.sh.copies[value][own.Obj]
		}
		w.edge(w.then(at, w.hasEntry(op, word.isCovered(seen))), own, to, true)
	case relocks(op):
		if w.close {
			return &Unsupported{Pos: w.e.Pos, What: "a recursive mutex of the attacker cannot be exported"}
		}
		at := w.then(w.valid(from, op), w.owned(op, op.Kind == ir.Unlock))
		w.edge(at, *op, to, true)
	case op.MustDrain(), op.Kind == ir.Exit, op.Kind == ir.Return, op.Kind == ir.ThreadExit: // (6)
		w.block(from)
	default: // (5)
		w.plain(from, to, 1)
	}
	return nil
}

// stop is the load of the attack (2): it reads memory and is the last thing the
// attacker does.
func (w *threadWeaver) stop(from ir.Loc) {
	op := &w.e.Op
	word := w.sh.word(op)
	at := w.then(w.valid(from, op), w.hasEntry(op, ir.Negate(word.isAccessed(ir.SeenValue()))))
	at, addr := w.address(at, op)
	at = w.then(at, ir.NewOp(ir.AtomicBegin))
	at = w.do(at, *op)
	at = w.then(at, setCell(w.stopped, ir.Int(0), ir.Int(1)))
	at = w.then(at, w.raise(op, addr, word.loaded()))
	at = w.then(at, ir.NewOp(ir.AtomicEnd))
	w.block(at)
}

// raise lifts the level of an access.
func (w *threadWeaver) raise(op *ir.Op, addr, to *ir.Expr) ir.Op {
	out := w.sh.access(ir.RMW, op, addr, level)
	out.Order, out.RMW, out.Val = ir.SeqCst, ir.FetchOr, to
	return out
}
