package export

// Operations as guarded steps. Each follows the rule of docs/models.md: what it
// waits for is the guard, what it does are the acts.

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// alone is the guard against other threads' atomic sections.
func (w *promela) alone(t *thread, e *ir.Edge) []string {
	if !w.sections || t.inside[e.From] {
		return nil
	}
	return []string{"holder == 0"}
}

// drained is the guard of operations that need an empty buffer.
func (t *thread) drained(e *ir.Edge) []string {
	if t.room == 0 || t.inside[e.From] {
		return nil
	}
	return []string{t.pending + " == 0"}
}

func join(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// edge is the ways an edge can go.
func (w *promela) edge(t *thread, e *ir.Edge) []alternative {
	ways := w.allWays(t, e)
	if !w.opt.FaultsStop {
		return ways
	}
	return slices.DeleteFunc(ways, func(a alternative) bool {
		return a.stops && len(a.acts) == 1 && a.acts[0] == failure
	})
}

// failure is what a thread does that makes an error.
const failure = "assert(false)"

// allWays is edge with the ways to errors.
func (w *promela) allWays(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	switch op.Kind {
	case ir.Nop:
		return []alternative{{}}
	case ir.Assign:
		return []alternative{{acts: w.set(t, op.Dst, w.expr(op.Val, in))}}
	case ir.Assume:
		return []alternative{{guard: []string{w.expr(op.Val, in)}}}
	case ir.Assert:
		return []alternative{{acts: []string{fmt.Sprintf("assert(%s)", w.expr(op.Val, in))}}}
	case ir.Fence:
		if op.Fence == ir.FullFence {
			return []alternative{{guard: t.drained(e)}}
		}
		return []alternative{{}}
	case ir.Havoc:
		return w.pick(t, op, in, nil)
	case ir.Bound:
		return nil
	case ir.Load, ir.Await, ir.AbstractLoad:
		return w.load(t, e)
	case ir.Store:
		return w.store(t, e)
	case ir.RMW:
		return w.rmw(t, e)
	case ir.AtomicBegin:
		return []alternative{{guard: join(w.alone(t, e), t.drained(e)), acts: []string{fmt.Sprintf("holder = %d", t.id+1)}}}
	case ir.AtomicEnd:
		return []alternative{{acts: []string{"holder = 0"}}}
	case ir.Return, ir.ThreadExit:
		if op.Val != nil && t.result != "" {
			return []alternative{{acts: []string{fmt.Sprintf("%s = %s", t.result, w.expr(op.Val, in))}}}
		}
		return []alternative{{}}
	case ir.Exit:
		return []alternative{{acts: []string{"over = 1"}}}
	case ir.Lock, ir.TryLock, ir.Unlock:
		return w.mutex(t, e)
	case ir.Spawn:
		return w.spawn(t, e)
	case ir.Join:
		return w.join(t, e)
	default:
		w.refuse(e.Pos, "%s cannot be exported to Promela", describe[op.Kind])
		return nil
	}
}

// describe names the operations that are refused.
var describe = map[ir.OpKind]string{
	ir.CondWait: "waiting on a condition", ir.Signal: "signalling a condition", ir.Broadcast: "signalling a condition",
	ir.Barrier: "a barrier", ir.Alloc: "allocation", ir.Free: "allocation", ir.Call: "a call",
}

// set assigns to a register, if there is one.
func (w *promela) set(t *thread, r ir.Reg, text string) []string {
	if r == ir.NoReg {
		return nil
	}
	return []string{t.regs[r] + " = " + text}
}

// checked splits an access: what fails comes as alternatives of its own, under
// the guard in which the access would be made; the rest of the guard is returned.
func (w *promela) checked(pl *place, guard []string) (fails []alternative, valid []string) {
	if pl.window != "" {
		fails = append(fails, alternative{
			guard: join(guard, []string{"!" + pl.window}), stops: true,
			acts: []string{"outside_window = 1", "assert(!outside_window)"},
		})
		valid = append(valid, pl.window)
	}
	if ok := pl.ok(); ok != "" {
		fails = append(fails, alternative{guard: join(guard, []string{"!" + ok}), acts: []string{failure}, stops: true})
		valid = append(valid, ok)
	}
	return fails, valid
}

// read is the value an access of a type gives.
func (w *promela) read(typ ir.Type, pl *place, text string) string {
	if typ.Bits < 64 && typ != pl.typ {
		return w.wrap(typ, text)
	}
	return text
}

// value is what a slot keeps of an expression.
func (w *promela) value(e *ir.Expr, pl *place, in env) string {
	return w.cut(pl.typ, e, in)
}

// cut is an expression cut to a type.
func (w *promela) cut(t ir.Type, e *ir.Expr, in env) string {
	if isConstant(e) && t.Bits < 64 {
		return w.number(t.Wrap(e.Eval(ir.Env{Prog: w.p})))
	}
	return w.wrap(t, w.expr(e, in))
}

func (w *promela) load(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	pl, ok := w.place(op, in)
	if !ok {
		return nil
	}
	out, valid := w.checked(&pl, w.alone(t, e))
	if pl.fails {
		return out
	}
	guard := join(valid, w.alone(t, e))
	load, own := "", t.own
	if t.room > 0 && !t.inside[e.From] {
		if load = t.load; pl.bytes > 0 {
			load, own = t.byteLoad, t.byteOwn
		}
		if w.sections {
			guard = join(valid, []string{fmt.Sprintf("(holder == 0 || %s)", pl.all(own))})
		}
	}
	in.seen = w.seen(op.Type, &pl, load)
	switch op.Kind {
	case ir.Await:
		guard = append(guard, w.expr(op.Cond, in))
	case ir.AbstractLoad:
		if uses(op.Addr, op.Dst) {
			w.refuse(e.Pos, "a read abstraction whose place depends on the register it sets cannot be written in Promela")
			return nil
		}
		return append(out, w.pick(t, op, in, guard)...)
	}
	return append(out, alternative{guard: guard, acts: w.set(t, op.Dst, in.seen)})
}

func (w *promela) store(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	pl, ok := w.place(op, in)
	if !ok {
		return nil
	}
	buffered := t.room > 0 && !t.inside[e.From]
	guard := w.alone(t, e)
	if buffered {
		guard = nil
		if t.bounded {
			guard = []string{fmt.Sprintf("%s < %d", t.pending, t.room)}
		}
	}
	out, valid := w.checked(&pl, guard)
	if pl.fails {
		return out
	}
	v := w.value(op.Val, &pl, in)
	acts := pl.write(v)
	if buffered {
		acts = []string{
			fmt.Sprintf("%s[%s] = %s", t.slots, t.pending, pl.slot),
			fmt.Sprintf("%s[%s] = %s", t.values, t.pending, v),
		}
		if pl.bytes > 0 {
			acts = append(acts, fmt.Sprintf("%s[%s] = %d", t.sizes, t.pending, pl.bytes))
		}
		acts = append(acts, t.pending+"++")
	}
	return append(out, alternative{guard: join(valid, guard), acts: acts})
}

func (w *promela) rmw(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	pl, ok := w.place(op, in)
	if !ok {
		return nil
	}
	guard := join(w.alone(t, e), t.drained(e))
	out, valid := w.checked(&pl, guard)
	if pl.fails {
		return out
	}
	w.temps = true
	old := w.seen(op.Type, &pl, "")
	guard = join(valid, guard)
	if op.Cond != nil {
		in.seen = old
		guard = append(guard, w.expr(op.Cond, in))
	}
	acts := []string{"old_value = " + old}
	wrote := "1"
	if op.RMW == ir.Cas {
		wrote = "wrote"
		acts = append(acts, fmt.Sprintf("wrote = (old_value == %s)", w.cut(op.Type, op.Val, in)),
			fmt.Sprintf("new_value = (wrote -> %s : old_value)", w.cut(op.Type, op.Val2, in)))
	} else if op.RMW == ir.Xchg {
		acts = append(acts, "new_value = "+w.cut(op.Type, op.Val, in))
	} else {
		acts = append(acts, "new_value = "+w.wrap(op.Type, w.modified(op, w.expr(op.Val, in))))
	}
	if pl.bytes > 0 {
		acts = append(acts, pl.write("new_value")...)
	} else {
		acts = append(acts, pl.write(w.read(pl.typ, &place{typ: op.Type}, "new_value"))...)
	}
	acts = join(acts, w.set(t, op.Dst, "old_value"), w.set(t, op.Dst2, wrote))
	return append(out, alternative{guard: guard, acts: acts})
}

// modified is the new value of a read-modify-write.
func (w *promela) modified(op *ir.Op, val string) string {
	switch op.RMW {
	case ir.FetchAdd:
		return fmt.Sprintf("(old_value + %s)", val)
	case ir.FetchAnd:
		return fmt.Sprintf("(old_value & %s)", val)
	case ir.FetchOr:
		return fmt.Sprintf("(old_value | %s)", val)
	case ir.FetchXor:
		return fmt.Sprintf("(old_value ^ %s)", val)
	default:
		panic("BUG: unknown read-modify-write")
	}
}

// uses reports whether e reads register r.
func uses(e *ir.Expr, r ir.Reg) bool {
	found := false
	e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.RegRef && e.Reg == r })
	return found
}
