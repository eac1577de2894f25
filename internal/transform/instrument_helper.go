package transform

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Helpers [BDM13 Fig. 7]: their own code, which stands still when the attacker has
// stopped (7), the accesses that come behind its load and lead into the copy (8),
// (9), and the copy (10)-(12).
//
// A read-modify-write or mutex operation is a load and a store in one node. If it
// writes, it is behind a load or a store of its place, as a store is; if it does not (a
// failed compare-exchange or trylock), it is a load.

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
	case touches(op):
		w.plain(w.running(from), to, 1)
		w.follow(w.behind(w.valid(from, op)), w.copies[to], true)
		w.follow(w.valid(w.copies[from], op), w.copies[to], false)
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

// running goes on only while the attacker has not stopped (7).
func (w *threadWeaver) running(from ir.Loc) ir.Loc {
	return w.then(from, awaitCell(w.stopped, ir.Int(0), ir.Eq, 0))
}

// wrote tells whether an access writes: always, never, or when the condition holds
// behind it. What it needs for the condition it adds to the operation.
func (w *threadWeaver) wrote(op *ir.Op) (always bool, cond *ir.Expr) {
	switch {
	case op.Kind == ir.RMW && op.RMW == ir.Cas:
		if op.Dst2 == ir.NoReg {
			op.Dst2 = w.reg("wrote")
		}
		return false, ir.R(op.Dst2)
	case isMutex(op.Kind):
		if op.Dst == ir.NoReg {
			op.Dst = w.reg("result")
		}
		return false, ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst), ir.Int(0))
	}
	return op.Writes(), nil
}

// behind goes on only if the edge may come behind the attacker's load: its place was stored, or
// accessed if the edge writes [BDM13 Lemma 3].
func (w *threadWeaver) behind(from ir.Loc) ir.Loc {
	op := w.e.Op
	word := w.sh.word(&op)
	test := w.sh.access(ir.Await, &op, op.Addr, level)
	test.Cond = word.isAccessed(ir.SeenValue())
	if always, cond := w.wrote(&op); !always && cond == nil {
		test.Cond = word.isStored(ir.SeenValue())
	}
	return w.then(from, test)
}

// follow is an access in the copy, or the one that leads there (first).
func (w *threadWeaver) follow(from, to ir.Loc, first bool) {
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
		// behind has seen to it that the place was accessed.
		at = w.then(at, assume(either(cond, word.isStored(ir.R(level)))))
	}
	at = w.then(at, w.raise(&op, addr, w.levelOf(word, always, cond)))
	if first {
		at = w.nowInvolved(at)
	}
	w.success(at, &op, addr)
	w.edge(at, ir.NewOp(ir.AtomicEnd), to, false)
}

func (w *threadWeaver) readLevel(op *ir.Op, into ir.Reg) ir.Op {
	out := w.sh.access(ir.Load, op, op.Addr, level)
	out.Dst = into
	return out
}

// levelOf is the level an access has.
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

// nowInvolved tells whoever joins the thread.
func (w *threadWeaver) nowInvolved(at ir.Loc) ir.Loc {
	if w.involved == ir.NoObject {
		return at
	}
	return w.then(at, setCell(w.involved, ir.Int(int64(w.t)), ir.Int(2)))
}

// joins leads into the copy behind an involved thread's end.
func (w *threadWeaver) joins(from, to ir.Loc) {
	op := w.e.Op
	r := w.reg("handle")
	at := w.then(from, assign(r, op.Val))
	op.Val = ir.R(r)
	if op.Dst == r {
		panic("BUG: an auxiliary register in the program")
	}
	at = w.do(at, op)
	at = w.then(at, awaitCell(w.involved, ir.R(r), ir.Eq, 2))
	w.edge(w.nowInvolved(at), ir.NewOp(ir.Nop), to, false)
}

// hits is whether an access touches what the delayed store writes: the condition
// under which it does, where Seen is the store's key if that is in memory.
func (w *threadWeaver) hits(op *ir.Op, addr *ir.Expr) (cond *ir.Expr, inMemory bool) {
	st := &w.store.Op
	n, m := sizeOf(op), sizeOf(st)
	if !isFixed(st.Addr) {
		return w.sh.meets(w.sh.key(addr), n, ir.SeenValue(), m), true
	}
	if isFixed(addr) {
		env := ir.Env{Prog: w.p}
		if analysis.Overlap(uint64(addr.Eval(env)), uint64(n), uint64(st.Addr.Eval(env)), uint64(m)) {
			return ir.Int(1), false
		}
		return ir.Int(0), false
	}
	return w.sh.meets(w.sh.key(addr), n, w.sh.key(st.Addr), m), false
}

// success leads to the goal, out of the section, if an access closes the cycle (13).
func (w *threadWeaver) success(at ir.Loc, op *ir.Op, addr *ir.Expr) {
	cond, inMemory := w.hits(op, addr)
	if v, ok := cond.IsConst(); ok && v == 0 {
		return
	}
	test := assume(cond)
	if inMemory {
		test = cell(ir.Await, w.target, ir.Int(0))
		test.Cond = cond
	}
	w.edge(w.then(at, test), ir.NewOp(ir.AtomicEnd), w.goal(), false)
}

// goal is the location of success.
func (w *threadWeaver) goal() ir.Loc {
	if w.won < 0 {
		w.f.Locs = append(w.f.Locs, ir.Location{Name: w.unique("l:", "success")})
		w.won = ir.Loc(len(w.f.Locs) - 1)
	}
	return w.won
}
