package lin

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"fencepost/internal/memory"
)

// Statements that wait, for brute force:
//
//	w  until a variable has a value
//	k  until the mutex is free, and takes it; u gives it back
//	v  until a variable has a value, at the condition of the mutex, which n broadcasts to
//
// An operation may forget to give the mutex back. Waking up for no reason does not count as going on.

// waits reports whether a statement can wait.
func (s statement) waits() bool { return s.kind == 'w' || s.kind == 'k' || s.kind == 'v' }

// ready reports whether a statement that can wait goes on, alone.
func (s statement) ready(mem *bruteMem) bool {
	if s.kind == 'k' {
		return mem[2] == 0
	}
	return mem[s.at] == s.value
}

// waitC returns the statement in C.
func (s statement) waitC(v, order string) string {
	switch s.kind {
	case 'w':
		return fmt.Sprintf("while (atomic_load_explicit(&%s, memory_order_%s) != %d) ;", v, order, s.value)
	case 'k':
		return "pthread_mutex_lock(&m);"
	case 'u':
		return "pthread_mutex_unlock(&m);"
	case 'v':
		return fmt.Sprintf("while (atomic_load_explicit(&%s, memory_order_%s) != %d) pthread_cond_wait(&condition, &m);", v, order, s.value)
	case 'n':
		return "pthread_cond_broadcast(&condition);"
	}
	panic("BUG: a statement without a kind")
}

// addWaits adds statements that wait. Under c11 no thread waits at a condition: waking up for no reason again and again meets the bound of
// loops.
func addWaits(r *rand.Rand, ops []randomOp, model memory.Model) {
	for i, op := range ops {
		random := func() statement { return statement{kind: 'w', at: r.IntN(2), value: r.IntN(3)} }
		insert := func(at int, s statement) { op = slices.Insert(op, at, s) }
		switch r.IntN(6) {
		case 0, 1:
			insert(r.IntN(len(op)+1), random())
		case 2: // in a section
			insert(0, statement{kind: 'k'})
			insert(len(op), statement{kind: 'u'})
		case 3: // that may not end
			at := r.IntN(len(op) + 1)
			insert(at, statement{kind: 'k'})
			if r.IntN(2) == 0 {
				insert(at+1+r.IntN(len(op)-at), statement{kind: 'u'})
			}
		case 4: // with a condition
			wait := random()
			if model != memory.C11 {
				wait.kind = 'v'
			}
			insert(r.IntN(len(op)+1), wait)
			insert(0, statement{kind: 'k'})
			insert(len(op), statement{kind: 'u'})
		}
		if model != memory.C11 && r.IntN(4) == 0 {
			insert(len(op), statement{kind: 'n'})
		}
		ops[i] = op
	}
}

// visible returns the value of a variable that a thread sees.
func (b *brute) visible(s *bruteState, t, at int) int {
	for _, w := range slices.Backward(s.threads[t].buffer) {
		if w.at == at {
			return w.value
		}
	}
	return s.mem[at]
}

// broadcast wakes all threads at the condition.
func (b *brute) broadcast(s *bruteState) {
	for t := range s.threads {
		if s.threads[t].sleep == 1 {
			s.threads[t].sleep = 2
		}
	}
}

// wakes wakes a thread at the condition for no reason.
func (b *brute) wakes(s *bruteState, t int) bool {
	if s.threads[t].sleep != 1 {
		return false
	}
	s.threads[t].sleep = 2
	return true
}

// atCondition lets a thread fall asleep, which gives the mutex back, or take the mutex again after it was woken.
func (b *brute) atCondition(s *bruteState, t int) bool {
	th := &s.threads[t]
	switch {
	case th.sleep == 3 && len(th.buffer) == 0:
		th.sleep, s.mem[2] = 1, 0
	case th.sleep == 2 && s.mem[2] == 0:
		th.sleep, s.mem[2] = 0, 1
	default:
		return false
	}
	return true
}

// alwaysEnds reports whether all calls come to their end one at a time, if calls that would wait let others go first.
func (b *brute) alwaysEnds() bool {
	var from func(next []int, mem bruteMem) bool
	from = func(next []int, mem bruteMem) bool {
		over, goesOn := true, false
		for t := range next {
			if next[t] == len(b.threads[t]) {
				continue
			}
			over = false
			after := mem
			if _, ends := run(b.ops[b.threads[t][next[t]]], &after); !ends {
				continue
			}
			goesOn = true
			then := slices.Clone(next)
			then[t]++
			if !from(then, after) {
				return false
			}
		}
		return over || goesOn
	}
	return from(make([]int, len(b.threads)), b.start)
}
