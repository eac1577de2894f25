package promela

// Mutexes, and starting and joining threads. A mutex is a slot: 0 if it is free,
// else 1 + its owner, plus lockDepth for every time the owner has locked it again.

import (
	"fmt"

	"fencepost/internal/ir"
)

const lockDepth = 256 // larger than 1 + any thread

// mutex returns the alternatives of a lock, trylock or unlock.
func (w *promela) mutex(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	addr, ok := w.address(op, in)
	if !ok {
		return nil
	}
	if addr.bytes > 0 {
		w.Refuse(e.Pos, "a mutex in an object that is accessed in pieces cannot be written in Promela")
		return nil
	}
	alone, drained := w.alone(t, e), t.drained(e)
	out, valid := w.checked(&addr, join(alone, drained))
	if addr.fails {
		return out
	}
	word := fmt.Sprintf("mem[%s]", addr.slot)
	held := fmt.Sprintf("%s %% %d == %d", word, lockDepth, t.id+1)
	free := word + " == 0"
	add := func(drains bool, result int64, act string, conds ...string) {
		guard := join(valid, alone, conds)
		if drains {
			guard = append(guard, drained...)
		}
		var acts []string
		if act != "" {
			acts = []string{act}
		}
		out = append(out, alternative{guard: guard, acts: append(acts, w.set(t, op.Dst, literal(result))...)})
	}
	recursive, checks := op.Mutex.Kind == ir.RecursiveMutex, op.Mutex.Kind == ir.ErrorCheckMutex
	if w.destroys {
		gone := fmt.Sprintf("%s == %d", word, ir.DestroyedMutex)
		out = append(out, alternative{guard: join(valid, alone, drained, []string{gone}), acts: []string{failure}, stops: true})
		valid = append(valid[:len(valid):len(valid)], "!("+gone+")")
	}
	if op.Kind == ir.Unlock {
		deep := fmt.Sprintf("%s >= %d", word, lockDepth)
		add(!recursive, 0, fmt.Sprintf("%s = %s - %d", word, word, lockDepth), held, deep)
		add(true, 0, word+" = 0", held, "!("+deep+")")
		if checks {
			add(true, ir.EPERM, "", "!("+held+")")
		} else {
			out = append(out, alternative{
				guard: join(valid, alone, drained, []string{"!(" + held + ")"}), acts: []string{failure}, stops: true,
			})
		}
		return out
	}
	add(true, 0, fmt.Sprintf("%s = %d", word, t.id+1), free)
	if recursive {
		add(false, 0, fmt.Sprintf("%s = %s + %d", word, word, lockDepth), held)
	}
	switch {
	case op.Kind == ir.TryLock && recursive:
		add(true, ir.EBUSY, "", "!("+free+")", "!("+held+")")
	case op.Kind == ir.TryLock:
		add(true, ir.EBUSY, "", "!("+free+")")
	case checks:
		add(true, ir.EDEADLK, "", held)
	}
	return out
}

// mutexTest returns the condition of a load that finds out about a mutex, given the value it sees. What it says in
// ir is about another word.
func (w *promela) mutexTest(t *thread, op *ir.Op, seen string) string {
	mine := fmt.Sprintf("%s %% %d == %d", seen, lockDepth, t.id+1)
	gone := fmt.Sprintf("%s == %d", seen, ir.DestroyedMutex)
	switch {
	case op.Mutex.Test == ir.MutexMine:
		return mine
	case op.Mutex.Test == ir.MutexUnlocks:
		return fmt.Sprintf("(%s || %s)", mine, gone)
	case op.Mutex.Test == ir.MutexNotMine:
		return fmt.Sprintf("!(%s || %s)", mine, gone)
	case op.Mutex.Kind == ir.RecursiveMutex:
		return fmt.Sprintf("!(%s == 0 || %s || %s)", seen, mine, gone)
	}
	return fmt.Sprintf("!(%s == 0 || %s)", seen, gone)
}

// spawn returns the alternatives of a spawn: it starts the first of its threads that has
// not started.
func (w *promela) spawn(t *thread, e *ir.Edge) []alternative {
	op, in := &e.Op, t.env()
	var out []alternative
	var taken []string
	for _, id := range op.Call.Threads {
		u := w.threads[id]
		if u.started == "" {
			continue
		}
		acts := []string{u.started + " = 1"}
		for i, a := range op.Call.Args {
			if w.facts.IsLive(u.fn, u.f.Entry, ir.Reg(i)) {
				acts = append(acts, fmt.Sprintf("%s = %s", u.regs[i], w.expr(a, in)))
			}
		}
		if u.atCode(u.f.Entry) != 0 {
			acts = append(acts, fmt.Sprintf("%s = %d", u.atVar, u.atCode(u.f.Entry)))
		}
		if u.f.Ends(u.f.Entry) {
			acts = append(acts, w.ending(u)...)
		} else if w.ends {
			acts = append(acts, "running++")
		}
		out = append(out, alternative{
			guard: join(w.alone(t, e), t.drained(e), taken, []string{"!" + u.started}),
			acts:  append(acts, w.set(t, op.Dst, literal(int64(id)))...),
		})
		taken = append(taken, u.started)
	}
	return out
}

// join returns the alternatives of a join, which waits until the thread has ended and its
// buffer is empty.
func (w *promela) join(t *thread, e *ir.Edge) []alternative {
	op := &e.Op
	handle := w.expr(op.Val, t.env())
	guard := join(w.alone(t, e), t.drained(e))
	out := []alternative{{guard: join(guard, []string{"!" + inRange(handle, int64(len(w.threads)))}), acts: []string{failure}, stops: true}}
	for _, u := range w.threads {
		is := fmt.Sprintf("%s == %d", handle, u.id)
		if u.started != "" {
			out = append(out, alternative{guard: join(guard, []string{is, "!" + u.started}), acts: []string{failure}, stops: true})
		}
		out = append(out, alternative{guard: join(guard, []string{is, u.joined}), acts: []string{failure}, stops: true})
		conds := []string{is, u.ended, "!" + u.joined}
		if u.room > 0 {
			conds = append(conds, u.pending+" == 0")
		}
		acts := []string{u.joined + " = 1"}
		if op.Dst != ir.NoReg {
			acts = append(acts, w.set(t, op.Dst, u.result)...)
		}
		out = append(out, alternative{guard: join(guard, conds), acts: acts})
	}
	return out
}
