package testkit

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The reference: all traces of a small program. Every step is tried in every state, where states
// with different histories are different. A history has, for every thread, its steps and the store
// that each byte of its loads was read from; for every byte, the order of the stores to it; and for
// every block, the order of frees and of allocations that use it again. It is the Shasha-Snir trace
// so far. Operations on a condition or a barrier read and write it. A wait that is woken right
// after it began was woken spuriously and does not access its condition.

// blockToken marks addresses that stand for blocks.
const blockToken = 1 << 63

// Tracker runs an execution and records its history.
type Tracker struct {
	y      *memory.System
	s      *memory.State
	logs   [][]string
	orders map[uint64][]string
	Split  bool // a load forwarded bytes and read others from memory or from another store
}

// NewTracker returns a tracker at the beginning of an execution.
func NewTracker(y *memory.System) *Tracker {
	r := &Tracker{y: y, s: y.NewState(), logs: make([][]string, y.Threads()), orders: map[uint64][]string{}}
	r.s.Record = true
	return r
}

// taken says how to undo a step.
type taken struct {
	mark   int
	thread int
	log    bool
	reach  []uint64
}

// Run takes the steps of an execution.
func (r *Tracker) Run(steps []memory.Step) {
	for i := 0; i < len(steps); i++ {
		spurious := i+1 < len(steps) && steps[i+1].Kind == memory.Wake && steps[i+1].Thread == steps[i].Thread
		r.step(steps[i], spurious)
		if spurious {
			i++
		}
	}
}

// step takes a step; spurious if it is a wait that is woken at once.
func (r *Tracker) step(st memory.Step, spurious bool) taken {
	t := int(st.Thread)
	k := taken{mark: r.s.Mark(), thread: t}
	name := stepName(t, len(r.logs[t]))
	r.s.Tag = int32(len(r.logs[t]))
	var op *ir.Op
	var synced []uint64
	if st.Kind != memory.Flush {
		op = &r.y.EdgeOf(r.s, st).Op
		synced = r.synced(st, op, spurious)
		k.reach = r.takenBack(st, op)
	}
	r.y.Apply(r.s, st)
	ev := r.s.Event
	if st.Kind == memory.Flush {
		if ev.Free {
			k.reach = r.reach(stepName(t, int(ev.From)), ev.Addr|blockToken, 1)
		} else {
			k.reach = r.reach(stepName(t, int(ev.From)), ev.Addr, ev.Size)
		}
		return k
	}
	text := fmt.Sprintf("%d/%d/%d/%v", st.Kind, st.Edge, st.Choice, spurious)
	if ev.Memory {
		text += fmt.Sprintf(" %x+%d", ev.Addr, ev.Size)
		reads := op.Kind != ir.Store && op.Kind != ir.Free && !op.Blind()
		for b := range ev.Size {
			if !reads {
				break
			}
			from := "init"
			if ev.Forwarded>>b&1 != 0 {
				from = stepName(t, int(ev.ForwardedFrom[b]))
			} else if o := r.orders[ev.Addr+uint64(b)]; len(o) > 0 {
				from = o[len(o)-1]
			}
			text += " " + from
			r.Split = r.Split || reads && ev.Forwarded != 0 && (ev.Forwarded>>b&1 == 0 || ev.ForwardedFrom[b] != ev.ForwardedFrom[bits.TrailingZeros8(ev.Forwarded)])
		}
		if op.Kind == ir.Store && !ev.Buffered || ev.Wrote {
			k.reach = r.reach(name, ev.Addr, ev.Size)
		}
	}
	switch {
	case op.Kind == ir.Spawn:
		text += fmt.Sprintf(" starts %d", ev.Other-1)
	case op.Kind == ir.Free && ev.Free && !ev.Buffered:
		k.reach = r.reach(name, ev.Addr|blockToken, 1)
	case op.Kind == ir.Alloc && st.Choice != 0:
		frees := r.orders[uint64(st.Choice)|blockToken]
		text += " " + frees[len(frees)-1]
		k.reach = append(k.reach, r.reach(name, uint64(st.Choice)|blockToken, 1)...)
	}
	for _, a := range synced {
		from := "init"
		if o := r.orders[a]; len(o) > 0 {
			from = o[len(o)-1]
		}
		text += fmt.Sprintf(" %x %s", a, from)
		k.reach = append(k.reach, r.reach(name, a, 1)...)
	}
	if spurious {
		r.y.Apply(r.s, memory.Step{Thread: st.Thread, Kind: memory.Wake, Edge: st.Edge})
	}
	r.logs[t] = append(r.logs[t], text)
	k.log = true
	return k
}

// synced returns the mutexes, conditions and barriers that a step is about to write and that
// package memory does not report as accesses, each by its first byte.
func (r *Tracker) synced(st memory.Step, op *ir.Op, spurious bool) []uint64 {
	t := int(st.Thread)
	switch op.Kind {
	case ir.CondWait:
		mutex := r.y.Thread(r.s, t).Mutex(st.Edge)
		if st.Kind == memory.Relock || spurious {
			return []uint64{mutex}
		}
		cond, _ := r.y.Thread(r.s, t).Address(st.Edge)
		return []uint64{cond, mutex}
	case ir.Signal, ir.Broadcast, ir.Barrier:
		addr, _ := r.y.Thread(r.s, t).Address(st.Edge)
		return []uint64{addr}
	}
	return nil
}

// takenBack lets a free reach memory whose block an allocation of the same thread is about to take
// back: the block is free for a moment.
func (r *Tracker) takenBack(st memory.Step, op *ir.Op) []uint64 {
	if op.Kind != ir.Alloc || st.Choice == 0 {
		return nil
	}
	for _, en := range r.s.Buffer(ir.ThreadID(st.Thread)) {
		if en.Kind == memory.FreeEntry && en.Addr == uint64(st.Choice) {
			return r.reach(stepName(int(st.Thread), int(en.Tag)), en.Addr|blockToken, 1)
		}
	}
	return nil
}

// stepName names a step of a thread.
func stepName(thread, step int) string { return strconv.Itoa(thread) + "." + strconv.Itoa(step) }

func (r *Tracker) reach(name string, addr uint64, size int) []uint64 {
	var out []uint64
	for b := range uint64(size) {
		r.orders[addr+b] = append(r.orders[addr+b], name)
		out = append(out, addr+b)
	}
	return out
}

func (r *Tracker) back(k taken) {
	r.s.Undo(k.mark)
	if k.log {
		r.logs[k.thread] = r.logs[k.thread][:len(r.logs[k.thread])-1]
	}
	for _, a := range k.reach {
		r.orders[a] = r.orders[a][:len(r.orders[a])-1]
	}
}

// ReadsFromKey names the reads-from class so far: the steps of each thread, and where each byte that
// was read came from.
func (r *Tracker) ReadsFromKey() string {
	var out strings.Builder
	for _, l := range r.logs {
		out.WriteString(strings.Join(l, "\n"))
		out.WriteString("\n--\n")
	}
	return out.String()
}

// Final reports whether the execution has come to its end.
func (r *Tracker) Final() bool { return r.y.Final(r.s) }

// Key names the trace so far.
func (r *Tracker) Key() string {
	out := []byte(r.ReadsFromKey())
	addrs := make([]uint64, 0, len(r.orders))
	for a, o := range r.orders {
		if len(o) > 0 {
			addrs = append(addrs, a)
		}
	}
	slices.Sort(addrs)
	for _, a := range addrs {
		out = strconv.AppendUint(out, a, 16)
		for _, name := range r.orders[a] {
			out = append(append(out, ' '), name...)
		}
		out = append(out, '\n')
	}
	if _, bad := r.s.Fault(); bad {
		out = append(out, "failed\n"...)
	}
	return string(out)
}

// Traces returns the set of traces of complete executions, or false if there are too many
// histories.
func (r *Tracker) Traces(limit int) (map[string]bool, bool) { return r.enumerate(limit, r.Key) }

// ReadsFrom returns the set of reads-from classes of complete executions, or false if there are
// too many histories.
func (r *Tracker) ReadsFrom(limit int) (map[string]bool, bool) {
	return r.enumerate(limit, r.ReadsFromKey)
}

// enumerate returns the set of keys of complete executions.
func (r *Tracker) enumerate(limit int, name func() string) (map[string]bool, bool) {
	y := r.y
	seen := map[string]bool{}
	out := map[string]bool{}
	var visit func() bool
	visit = func() bool {
		key := r.Key()
		if seen[key] {
			return true
		}
		seen[key] = true
		if len(seen) > limit {
			return false
		}
		if y.Final(r.s) {
			out[name()] = true
		}
		for _, st := range y.Enabled(r.s, nil) {
			if st.Kind == memory.Wake {
				continue
			}
			waits := st.Kind == memory.Exec && y.EdgeOf(r.s, st).Op.Kind == ir.CondWait
			choices := []bool{false}
			if waits {
				choices = append(choices, true)
			}
			for _, spurious := range choices {
				k := r.step(st, spurious)
				ok := visit()
				r.back(k)
				if !ok {
					return false
				}
			}
		}
		return true
	}
	ok := visit()
	return out, ok
}
