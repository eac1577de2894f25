package sequential

// Threads, mutexes, conditions, barriers and blocks of a sequential program.

import (
	"fmt"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
)

// spawn starts the first thread of a list that has not been started.
func (t *sequentialThread) spawn(op *ir.Op) {
	t.drain()
	for i, u := range op.Call.Threads {
		word := "else if"
		if i == 0 {
			word = "if"
		}
		t.emit("  %s (!s.started[%d]) {", word, u)
		t.emit("  s.started[%d] = 1;", u)
		t.emit("  s.at[%d] = %d;", u, t.w.threads[u].f.Entry)
		for k, a := range op.Call.Args {
			t.emit("  %s = %s;", t.w.threads[u].names.Regs[k], t.expr(a).Text)
		}
		t.set(op.Dst, fmt.Sprint(u))
		t.emit("  }")
	}
	t.emit("  else {")
	t.cut("    ")
	t.emit("  }")
}

// join waits for a thread.
func (t *sequentialThread) join(op *ir.Op) {
	t.drain()
	t.emit("  seen = %s;", t.expr(op.Val).Text)
	t.fails("seen >= 0 && seen < THREADS && s.started[seen] && !s.joined[seen]", ir.BadJoin.String())
	t.emit("  __VERIFIER_assume(s.ended[seen]);\n  drained((int)seen);\n  s.joined[seen] = 1;")
	t.set(op.Dst, "s.result[seen]")
}

// mutexType is the type of the word of a mutex: 0 when it is free, else the thread that has it plus one in the low half
// and the depth minus one in the high half.
var mutexType = ir.S64

// mutex writes lock, trylock and unlock. All of them drain, except for taking a recursive mutex again and giving that back.
func (t *sequentialThread) mutex(op *ir.Op) {
	t.tick()
	done := t.word(op.Addr, op.Obj)
	if done == nil {
		return
	}
	defer done()
	t.emit("  int UNUSED mine = (uint32_t)seen == %d;", t.id+1)
	const depth = "((int64_t)1 << 32)"
	drains := "1"
	if op.Mutex.Kind == ir.RecursiveMutex {
		drains = "!mine"
		if op.Kind == ir.Unlock {
			drains = "!mine || seen < " + depth
		}
	}
	t.emit("  if (%s)\n    drained(%d);", drains, t.id)
	t.fails(fmt.Sprintf("seen != %d", ir.DestroyedMutex), ir.Destroyed.String())
	if op.Kind == ir.Unlock {
		t.unlock(op, depth)
		return
	}
	free := fmt.Sprintf("%d", t.id+1)
	takes := "seen == 0"
	if op.Mutex.Kind == ir.RecursiveMutex {
		takes, free = "(seen == 0 || mine)", fmt.Sprintf("(mine ? seen + %s : %s)", depth, free)
	}
	if op.Kind == ir.Lock {
		can := takes
		if op.Mutex.Kind == ir.ErrorCheckMutex {
			can += " || mine"
		}
		t.emit("  __VERIFIER_assume(%s);", can)
	}
	t.emit("  if (%s)\n    put(c, (uint64_t)%s, ~(uint64_t)0);", takes, free)
	switch {
	case op.Kind == ir.TryLock:
		t.set(op.Dst, fmt.Sprintf("%s ? 0 : %d", takes, ir.EBUSY))
	case op.Mutex.Kind == ir.ErrorCheckMutex:
		t.set(op.Dst, fmt.Sprintf("mine ? %d : 0", ir.EDEADLK))
	default:
		t.set(op.Dst, "0")
	}
}

func (t *sequentialThread) unlock(op *ir.Op, depth string) {
	next, result := "0", "0"
	if op.Mutex.Kind == ir.RecursiveMutex {
		next = fmt.Sprintf("(seen >= %[1]s ? seen - %[1]s : 0)", depth)
	}
	if op.Mutex.Kind == ir.ErrorCheckMutex {
		result = fmt.Sprintf("mine ? 0 : %d", ir.EPERM)
	} else {
		t.fails("mine", ir.BadUnlock.String())
	}
	t.emit("  if (mine)\n    put(c, (uint64_t)%s, ~(uint64_t)0);", next)
	t.set(op.Dst, result)
}

// word writes that seen is the word of a mutex or barrier, whose cell is c. It returns what ends the scope of these
// names, or nil if there is no such word.
func (t *sequentialThread) word(addr *ir.Expr, obj ir.ObjectID) func() {
	b := t.bytes(target{addr: addr, obj: obj, size: mutexType.Size()})
	if b.fails {
		t.fails("0", "address")
		t.cut("  ")
		return nil
	}
	if b.opened {
		t.emit("  seen = (int64_t)memory(c);")
		return func() { t.emit("  }") }
	}
	t.emit("  {\n  int c = %s;\n  uint64_t UNUSED address = cells[c].address;\n  seen = (int64_t)memory(c);", b.cell)
	return func() { t.emit("  }") }
}

// present writes that there must be memory at the address of a condition.
func (t *sequentialThread) present(op *ir.Op) func() {
	b := t.bytes(target{addr: op.Addr, obj: op.Obj, size: mutexType.Size()})
	if b.fails {
		t.fails("0", "address")
		t.cut("  ")
		return nil
	}
	if b.opened {
		return func() { t.emit("  }") }
	}
	t.emit("  {\n  uint64_t UNUSED address = cells[%s].address;", b.cell)
	return func() { t.emit("  }") }
}

// secondStep writes the location in which a thread waits inside an operation.
func (t *sequentialThread) secondStep() {
	code := ir.Loc(len(t.f.Locs)) + ir.Loc(t.f.Out(t.loc)[t.index])
	t.second = append(t.second, code)
	t.waits = true
	t.lines = append(t.lines, cexpr.Line{Label: true, Loc: code})
	t.emit("  if (stop(%d, %d, %d))\n    return;", t.id, code, t.site(SiteStop))
}

// wait writes a wait for a condition. The thread may wake at any time, so signals matter for deadlocks only.
func (t *sequentialThread) wait(op *ir.Op) {
	t.drain()
	done := t.present(op)
	if done == nil {
		return
	}
	if t.w.Props.Deadlock {
		t.emit("  s.sleeps[%d] = address;", t.id)
	}
	unlocked := t.word(op.Val2, ir.NoObject)
	if unlocked == nil {
		done()
		return
	}
	t.fails(fmt.Sprintf("(uint32_t)seen == %d", t.id+1), ir.BadWait.String())
	t.emit("  put(c, 0, ~(uint64_t)0);")
	unlocked()
	done()
	t.secondStep()
	t.tick()
	locked := t.word(op.Val2, ir.NoObject)
	t.fails(fmt.Sprintf("seen != %d", ir.DestroyedMutex), ir.Destroyed.String())
	t.emit("  __VERIFIER_assume(seen == 0);\n  put(c, %d, ~(uint64_t)0);", t.id+1)
	if t.w.Props.Deadlock {
		t.emit("  s.sleeps[%d] = 0;", t.id)
	}
	locked()
	t.set(op.Dst, "0")
}

// barrier writes the arrival at a barrier, where the last thread releases the others, and the departure.
func (t *sequentialThread) barrier(op *ir.Op) {
	t.drain()
	done := t.word(op.Addr, op.Obj)
	if done == nil {
		return
	}
	t.fails("seen > 0", ir.BadWait.String())
	t.emit("  int64_t here = 1;")
	t.emit("  for (int u = 0; u < THREADS; u++)\n    here += s.meets[u] == address;")
	t.emit("  if (here < seen)\n    s.meets[%d] = address;", t.id)
	t.emit("  else\n    for (int u = 0; u < THREADS; u++)\n      if (s.meets[u] == address)\n        s.meets[u] = 0;")
	t.set(op.Dst, "here >= seen")
	done()
	t.secondStep()
	t.emit("  __VERIFIER_assume(s.meets[%d] == 0);", t.id)
}

// signal writes a signal or broadcast.
func (t *sequentialThread) signal(op *ir.Op) {
	if len(t.w.Blocks) > 0 {
		t.tick()
	}
	done := t.present(op)
	if done == nil {
		return
	}
	switch {
	case !t.w.Props.Deadlock:
		t.emit("  (void)address;")
	case op.Kind == ir.Broadcast:
		t.emit("  for (int u = 0; u < THREADS; u++)\n    if (s.sleeps[u] == address)\n      s.sleeps[u] = 0;")
	default:
		t.emit("  int any = 0, woken;\n  for (int u = 0; u < THREADS; u++)\n    any |= s.sleeps[u] == address;")
		t.emit("  if (any) {\n    woken = (int)choose(%d, 1, THREADS + 1) - 1;\n    __VERIFIER_assume(s.sleeps[woken] == address);\n    s.sleeps[woken] = 0;\n  }", t.site(SiteWake))
	}
	done()
}

// alloc writes an allocation: of the next block of the thread, or of one that was freed.
func (t *sequentialThread) alloc(op *ir.Op) {
	t.tick()
	align := op.Block.Align
	if align == 0 {
		align = 16
	}
	t.set(op.Dst, fmt.Sprintf("(int64_t)allocate(%d, %d, (uint64_t)%s, %d, %d, %d)", t.id, t.site(SiteBlock), t.expr(op.Val).Operand(), export.Truth(op.Block.Stack), align, op.Block.Lead))
}

// free writes a free, which is a store.
func (t *sequentialThread) free(op *ir.Op) {
	t.tick()
	t.emit("  if (%s) {", t.expr(op.Addr).Text)
	if len(t.w.Blocks) == 0 { // nothing is allocated
		t.fails("0", ir.InvalidFree.String())
		t.emit("  }")
		return
	}
	t.emit("  int b = beginning((uint64_t)%s, %d);", t.expr(op.Addr).Operand(), export.Truth(op.Block.Stack))
	t.fails("b >= 0", ir.InvalidFree.String())
	t.fails(fmt.Sprintf("!is_freed(%d, b)", t.id), ir.DoubleFree.String())
	if t.inside[t.loc] || t.w.Model == "sc" {
		t.emit("  s.dead[b] = 1;")
	} else {
		t.w.entries++
		t.emit("  free_later(%d, %d, b, %s);", t.id, t.site(SiteTime), t.where(ir.DoubleFree.String()))
	}
	t.emit("  }")
}
