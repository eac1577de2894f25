package promela

// Operations as guarded steps. Each operation obeys its rule in docs/models.md: the guard
// is the condition that it waits for, the acts are its effects.

import (
	"fmt"
	"slices"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// alone returns the guard that no other thread is in an atomic section.
func (w *promela) alone(t *thread, e *ir.Edge) []string {
	if !w.sections || t.inside[e.From] {
		return nil
	}
	return []string{"holder == 0"}
}

// drained returns the guard of operations that need an empty buffer.
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

// edge returns the alternatives of an edge, without errors if Options.FaultsStop is set.
func (w *promela) edge(t *thread, e *ir.Edge) []alternative {
	ways := w.allWays(t, e)
	if !w.opt.FaultsStop {
		return ways
	}
	return slices.DeleteFunc(ways, func(a alternative) bool {
		return a.stops && len(a.acts) == 1 && a.acts[0] == failure
	})
}

// failure is the act of a thread that makes an error.
const failure = "assert(false)"

// allWays returns all alternatives of an edge, including errors.
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
		if op.Fence == ir.GlobalFence {
			w.Refuse(e.Pos, "membarrier cannot be exported to Promela")
			return nil
		}
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
		if op.Loads && w.opt.Model != SC {
			w.Refuse(e.Pos, "an atomic load of 16 bytes cannot be written in Promela")
		}
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
	case ir.Unsupported:
		w.Refuse(e.Pos, "%s", op.Report.Msg)
		return nil
	default:
		w.Refuse(e.Pos, "%s cannot be exported to Promela", describe[op.Kind])
		return nil
	}
}

// describe names the operations that are refused.
var describe = map[ir.OpKind]string{
	ir.CondWait: "waiting on a condition", ir.Signal: "signalling a condition", ir.Broadcast: "signalling a condition",
	ir.Barrier: "a barrier", ir.Alloc: "allocation", ir.Free: "allocation", ir.Call: "a call",
}

// set returns the assignment to a register, nothing for NoReg.
func (w *promela) set(t *thread, r ir.Reg, text string) []string {
	if r == ir.NoReg {
		return nil
	}
	return []string{t.regs[r] + " = " + text}
}

// checked returns the alternatives in which an access fails, under the guard of the
// access, and the conditions under which it does not fail.
func (w *promela) checked(addr *address, guard []string) (fails []alternative, valid []string) {
	if addr.window != "" {
		fails = append(fails, alternative{
			guard: join(guard, []string{"!" + addr.window}), stops: true,
			acts: []string{"outside_window = 1", "assert(!outside_window)"},
		})
		valid = append(valid, addr.window)
	}
	if ok := addr.ok(); ok != "" {
		fails = append(fails, alternative{guard: join(guard, []string{"!" + ok}), acts: []string{failure}, stops: true})
		valid = append(valid, ok)
	}
	return fails, valid
}

// read returns the value that an access of a type reads, given the text of its slot.
func (w *promela) read(typ ir.Type, addr *address, text string) string {
	if typ.Bits < 64 && typ != addr.typ {
		return w.wrap(typ, text)
	}
	return text
}

// value returns the value of an expression as a slot keeps it.
func (w *promela) value(e *ir.Expr, addr *address, in env) string {
	return w.cut(addr.typ, e, in)
}

// cut returns an expression cut to a type.
func (w *promela) cut(t ir.Type, e *ir.Expr, in env) string {
	if export.IsConstant(e) && t.Bits < 64 {
		return w.number(t.Wrap(e.Eval(ir.Env{Prog: w.p})))
	}
	return w.wrap(t, w.expr(e, in))
}

// load returns the alternatives of a load, an await or an abstract load.
func (w *promela) load(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	addr, ok := w.address(op, in)
	if !ok {
		return nil
	}
	out, valid := w.checked(&addr, w.alone(t, e))
	if addr.fails {
		return out
	}
	guard := join(valid, w.alone(t, e))
	load, forwards := "", t.forwards
	if t.room > 0 && !t.inside[e.From] {
		if load = t.load; addr.bytes > 0 {
			load, forwards = t.byteLoad, t.byteForwards
		}
		if w.sections {
			guard = join(valid, []string{fmt.Sprintf("(holder == 0 || %s)", addr.all(forwards))})
		}
	}
	in.seen = w.seen(op.Type, &addr, load)
	switch op.Kind {
	case ir.Await:
		if op.Mutex.Test != ir.MutexUntested {
			guard = append(guard, w.mutexTest(t, op, in.seen))
			break
		}
		guard = append(guard, w.expr(op.Cond, in))
	case ir.AbstractLoad:
		if uses(op.Addr, op.Dst) {
			w.Refuse(e.Pos, "a read abstraction whose address depends on the register it sets cannot be written in Promela")
			return nil
		}
		return append(out, w.pick(t, op, in, guard)...)
	}
	return append(out, alternative{guard: guard, acts: w.set(t, op.Dst, in.seen)})
}

// store returns the alternatives of a store.
func (w *promela) store(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	addr, ok := w.address(op, in)
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
	out, valid := w.checked(&addr, guard)
	if addr.fails {
		return out
	}
	v := w.value(op.Val, &addr, in)
	acts := addr.write(v)
	if buffered {
		acts = []string{
			fmt.Sprintf("%s[%s] = %s", t.slots, t.pending, addr.slot),
			fmt.Sprintf("%s[%s] = %s", t.values, t.pending, v),
		}
		if addr.bytes > 0 {
			acts = append(acts, fmt.Sprintf("%s[%s] = %d", t.sizes, t.pending, addr.bytes))
		}
		acts = append(acts, t.pending+"++")
	}
	return append(out, alternative{guard: join(valid, guard), acts: acts})
}

// rmw returns the alternatives of a read-modify-write.
func (w *promela) rmw(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	addr, ok := w.address(op, in)
	if !ok {
		return nil
	}
	guard := join(w.alone(t, e), t.drained(e))
	out, valid := w.checked(&addr, guard)
	if addr.fails {
		return out
	}
	w.temps = true
	old := w.seen(op.Type, &addr, "")
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
	if addr.bytes > 0 {
		acts = append(acts, addr.write("new_value")...)
	} else {
		acts = append(acts, addr.write(w.read(addr.typ, &address{typ: op.Type}, "new_value"))...)
	}
	acts = join(acts, w.set(t, op.Dst, "old_value"), w.set(t, op.Dst2, wrote))
	return append(out, alternative{guard: guard, acts: acts})
}

// modified returns the new value of a read-modify-write.
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
