//go:build !fencepost_small

package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Does SC, TSO or PSO have an execution with the events and reads of one that grows? Every order of the steps and of the
// flushes is tried by the rules of buffers, with a memo of what was tried before.
//
// What loses nothing is done at once: a load that can read its source now; a store that goes into the buffer; a fence
// whose buffer is empty; a read-modify-write whose source is in memory; a flush of a store that no read is left for, if
// no read is left for what it overwrites. Another flush is a choice. A store does not reach memory as long as a read is
// left for what it overwrites.
//
// An execution with these reads can always go on: a read of what memory holds in the end, a store that is flushed at
// once, a fence, the start of a thread and a join can come after everything else. So most steps need no search.

// act says how an event takes effect. The read of a read-modify-write does so with the write after it.
type act struct {
	kind    actKind
	drained bool // the buffer of the thread is empty
}

type actKind uint8

const (
	actAside actKind = iota // begins or ends something
	actLoad
	actStore
	actUpdate     // reads memory and writes it
	actPart       // the read of an update
	actMark       // a store-store fence
	actJoin       // the buffer of the thread that has ended is empty, too
	actDrainsOnly // a full fence, or the start of a thread
)

// noteActs notes how the events of the last step take effect.
func (x *Growing) noteActs(s *state, tr *transition) error {
	_, edge, ok := x.m.p.EdgeByID(tr.edge)
	if !ok {
		return errors.New("a step along no edge")
	}
	op := &edge.Op
	if x.last == nil {
		x.last = map[uint64]int{}
	}
	for i := x.fresh; i < len(x.g.events); i++ {
		e := &x.g.events[i]
		if err := x.oneSize(e); err != nil {
			return err
		}
		a := act{kind: actAside}
		switch {
		case e.kind == 'R' && i+1 < len(x.g.events) && x.g.events[i+1].update:
			a.kind = actPart
		case e.kind == 'R':
			a = act{actLoad, x.drainsToRead(op, tr)}
		case e.kind == 'W' && e.update:
			a = act{actUpdate, !againInside(op, tr)}
		case e.kind == 'W':
			a.kind = actStore
		case e.kind == 'F':
			a = map[ir.FenceKind]act{ir.FullFence: {actDrainsOnly, true}, ir.GlobalFence: {kind: actDrainsOnly}, ir.StoreStoreFence: {kind: actMark}}[op.Fence]
		case e.thread == tr.thread && op.Kind == ir.Join && i == x.joins():
			a = act{actJoin, true}
		case e.thread == tr.thread && op.Kind == ir.Spawn && i == len(x.g.events)-1:
			a = act{actDrainsOnly, true}
		}
		x.acts = append(x.acts, a)
	}
	return nil
}

// joins returns the event of the join in the last step: the event at which the other thread ends comes after it.
func (x *Growing) joins() int {
	n := len(x.g.events) - 1
	if x.g.events[n].thread != x.g.events[x.fresh].thread && n > x.fresh {
		n--
	}
	return n
}

// drainsToRead reports whether a step that reads without writing waits until the buffer is empty.
func (x *Growing) drainsToRead(op *ir.Op, tr *transition) bool {
	switch {
	case tr.kind == verdict.StepLoad:
		return false
	case op.Kind == ir.RMW || tr.fail != nil:
		return true
	}
	// A mutex that was never initialised is taken, for a check that follows; all else that writes nothing is refused.
	return op.Undef.Dst != ir.NoReg && tr.next.threads[tr.thread].regs[op.Undef.Dst] != 0
}

// againInside reports whether a recursive mutex is taken again, or given back in part.
func againInside(op *ir.Op, tr *transition) bool {
	if op.Mutex.Kind != ir.RecursiveMutex {
		return false
	}
	switch op.Kind {
	case ir.Lock, ir.TryLock:
		return tr.value != 0
	case ir.Unlock:
		return depth(tr.value) > 1
	}
	return false
}

// oneSize returns an error if other bytes than those of an event, but some of them, are accessed.
func (x *Growing) oneSize(e *event) error {
	for i := range x.g.events {
		f := &x.g.events[i]
		if e.size > 0 && f.size > 0 && overlap(e.addr, int64(e.size), f.addr, int64(f.size)) && (e.addr != f.addr || e.size != f.size) {
			return errSizes
		}
	}
	return nil
}

// takesMutex reports whether the next operation of a thread is one on a mutex. A recursive one that is taken again is read
// from memory while stores of the thread wait in its buffer.
func (x *Growing) takesMutex(t int) bool {
	f := x.m.p.ThreadFunc(ir.ThreadID(t))
	return slices.ContainsFunc(f.Out(x.s.threads[t].loc), func(i int32) bool {
		k := f.Edges[i].Op.Kind
		return k == ir.Lock || k == ir.TryLock || k == ir.Unlock
	})
}

// notOverwritten leaves out of the writes that a thread can read what it has overwritten itself.
func (x *Growing) notOverwritten(t int, writes []int) []int {
	last := -1
	for _, w := range writes {
		if w != Initially && x.g.events[w].thread == t {
			last = w
		}
	}
	if last < 0 {
		return writes
	}
	return slices.DeleteFunc(writes, func(w int) bool {
		return w != last && (w == Initially || x.g.events[w].thread == t)
	})
}

// consistent reports whether the model has an execution with these reads, after the last step.
func (x *Growing) consistent() (bool, error) {
	last := make(map[uint64]int, len(x.last)+1)
	for l, w := range x.last {
		last[l] = w
	}
	x.last = last
	for i := x.fresh; i < len(x.g.events); i++ {
		e := &x.g.events[i]
		switch {
		case e.kind == 'W':
			last[e.addr] = i
		case e.kind == 'R':
			now, wrote := last[e.addr]
			if !wrote {
				now = Initially
			}
			if now != e.from {
				return x.search()
			}
		}
	}
	return true, nil
}

// search looks for an execution, and notes its last writes.
func (x *Growing) search() (bool, error) {
	if x.takenTwice() {
		return false, nil
	}
	found := false
	err := x.lastWrites(nil, func(lasts []int) bool {
		found = true
		x.last = map[uint64]int{}
		for _, w := range lasts {
			x.last[x.g.events[w].addr] = w
		}
		return false
	})
	return found, err
}

// takenTwice reports whether two read-modify-writes read the same.
func (x *Growing) takenTwice() bool {
	for i := x.fresh; i < len(x.g.events); i++ {
		if x.acts[i].kind != actPart {
			continue
		}
		for k := range x.fresh {
			if x.acts[k].kind == actPart && x.g.events[k].addr == x.g.events[i].addr && x.g.events[k].from == x.g.events[i].from {
				return true
			}
		}
	}
	return false
}

// matters returns the function that says where the last write matters at the end: in the final condition, or where
// threads wait.
func (x *Growing) matters(final bool) func(addr uint64, size int) bool {
	if x.props.Endless {
		return func(uint64, int) bool { return true }
	}
	var where []part
	if final {
		for _, v := range x.props.Final.Cond.Vars {
			if v.IsMemory() {
				where = append(where, part{0, v.Addr, v.Type.Size()})
			}
		}
	}
	for t := range x.s.threads {
		if next, err := x.Next(t); err == nil && next.Does == Reads {
			where = append(where, part{0, next.Addr, int(next.Size)})
		}
	}
	return func(addr uint64, size int) bool {
		return slices.ContainsFunc(where, func(p part) bool { return overlap(addr, int64(size), p.addr, int64(p.size)) })
	}
}

// ordering is a search for orders.
type ordering struct {
	x       *Growing
	threads [][]int // per thread: its events in program order, without the reads of updates
	index   []int   // per event: its number there
	loc     []int   // per event: its location, -1 if there is none
	source  []int   // per event that reads: the event, or the number of events plus the location
	watched []bool  // per location
	seen    map[string]bool
	visit   func(lasts []int) bool
}

// frontier is how far an order has come.
type frontier struct {
	done []int   // per thread: the events that have taken effect
	buf  [][]int // per thread: stores that wait, and -1 for marks
	now  []int   // per location: the last write, -1 for none
	left []int   // per source: the reads that have not read it
}

// maxFrontiers bounds a search.
const maxFrontiers = 1 << 17

// errStop ends a search.
var errStop = errors.New("stop")

// lastWrites visits the last writes of the executions that the model has with these reads, until visit returns false.
// Executions that differ only at locations where matters is false are visited once; nil is false everywhere.
func (x *Growing) lastWrites(matters func(addr uint64, size int) bool, visit func(lasts []int) bool) error {
	n := len(x.g.events)
	o := &ordering{x: x, threads: make([][]int, len(x.s.threads)), index: make([]int, n), loc: make([]int, n), source: make([]int, n), seen: map[string]bool{}, visit: visit}
	at := map[uint64]int{}
	for i := range x.g.events {
		e := &x.g.events[i]
		o.loc[i], o.source[i] = -1, -1
		if e.size > 0 {
			l, ok := at[e.addr]
			if !ok {
				l = len(at)
				at[e.addr] = l
				o.watched = append(o.watched, matters != nil && matters(e.addr, e.size))
			}
			o.loc[i] = l
		}
		if o.index[i] = len(o.threads[e.thread]); x.acts[i].kind != actPart {
			o.threads[e.thread] = append(o.threads[e.thread], i)
		}
	}
	f := &frontier{done: make([]int, len(o.threads)), buf: make([][]int, len(o.threads)), now: make([]int, len(at)), left: make([]int, n+len(at))}
	for l := range f.now {
		f.now[l] = -1
	}
	for i := range x.g.events {
		e := &x.g.events[i]
		if e.kind != 'R' {
			continue
		}
		src := e.from
		if src < 0 {
			src = n + o.loc[i]
		}
		f.left[src]++
		if x.acts[i].kind == actPart {
			i++ // its write
		}
		o.source[i] = src
	}
	if err := o.goOn(f); err != nil && !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// current returns the source that a read of a location has now.
func (o *ordering) current(f *frontier, l int) int {
	if f.now[l] < 0 {
		return len(o.loc) + l
	}
	return f.now[l]
}

// goOn tries all orders from a frontier on.
func (o *ordering) goOn(f *frontier) error {
	o.runEager(f)
	ended := true
	for t := range o.threads {
		ended = ended && f.done[t] == len(o.threads[t]) && len(f.buf[t]) == 0
	}
	if ended {
		var lasts []int
		for _, w := range f.now {
			if w >= 0 {
				lasts = append(lasts, w)
			}
		}
		if !o.visit(lasts) {
			return errStop
		}
		return nil
	}
	key := o.key(f)
	if o.seen[key] {
		return nil
	}
	if o.seen[key] = true; len(o.seen) > maxFrontiers {
		return fmt.Errorf("an execution has more than %d orders", maxFrontiers)
	}
	for t := range o.threads {
		for i := range f.buf[t] {
			if !o.mayFlush(f, t, i) {
				continue
			}
			g := &frontier{slices.Clone(f.done), slices.Clone(f.buf), slices.Clone(f.now), slices.Clone(f.left)}
			o.flush(g, t, i)
			if err := o.goOn(g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *ordering) key(f *frontier) string {
	var b []byte
	for t, n := range f.done {
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendUvarint(b, uint64(len(f.buf[t])))
		for _, w := range f.buf[t] {
			b = binary.AppendUvarint(b, uint64(w+1))
		}
	}
	for l, w := range f.now {
		if o.watched[l] {
			b = binary.AppendUvarint(b, uint64(w+1))
		}
	}
	return string(b)
}

// mayFlush reports whether a store may reach memory next. No read is left for what it overwrites.
func (o *ordering) mayFlush(f *frontier, t, i int) bool {
	w := f.buf[t][i]
	if w < 0 || f.left[o.current(f, o.loc[w])] > 0 {
		return false
	}
	if o.x.model != PSO {
		return i == 0
	}
	for _, older := range f.buf[t][:i] {
		if older < 0 || o.loc[older] == o.loc[w] {
			return false
		}
	}
	return true
}

func (o *ordering) flush(f *frontier, t, i int) {
	w := f.buf[t][i]
	f.now[o.loc[w]] = w
	var buf []int
	for k, v := range f.buf[t] {
		if k == i || v < 0 && (len(buf) == 0 || buf[len(buf)-1] < 0) { // a mark that orders nothing
			continue
		}
		buf = append(buf, v)
	}
	f.buf[t] = buf
}

// runEager takes all steps that lose nothing.
func (o *ordering) runEager(f *frontier) {
	for changed := true; changed; {
		changed = false
		for t := range o.threads {
			for f.done[t] < len(o.threads[t]) && o.take(f, t, o.threads[t][f.done[t]]) {
				f.done[t]++
				changed = true
			}
			for i := 0; i < len(f.buf[t]); i++ {
				if w := f.buf[t][i]; w >= 0 && f.left[w] == 0 && !o.watched[o.loc[w]] && o.mayFlush(f, t, i) {
					o.flush(f, t, i)
					changed, i = true, -1
				}
			}
		}
	}
}

// take lets an event take effect, and returns false if it cannot now.
func (o *ordering) take(f *frontier, t, i int) bool {
	a := o.x.acts[i]
	if a.drained && !o.empty(f, t) || o.x.model == SC && len(f.buf[t]) > 0 {
		return false
	}
	for _, by := range o.x.g.events[i].after {
		u := o.x.g.events[by].thread
		if f.done[u] <= o.index[by] || a.kind == actJoin && by > i && !o.empty(f, u) {
			return false
		}
	}
	l := o.loc[i]
	switch a.kind {
	case actAside, actDrainsOnly, actJoin:
	case actMark:
		if n := len(f.buf[t]); o.x.model == PSO && n > 0 && f.buf[t][n-1] >= 0 {
			f.buf[t] = append(slices.Clip(f.buf[t]), -1)
		}
	case actStore:
		f.buf[t] = append(slices.Clip(f.buf[t]), i)
	case actLoad:
		if o.reads(f, t, l) != o.source[i] {
			return false
		}
		f.left[o.source[i]]--
	case actUpdate:
		if o.current(f, l) != o.source[i] || f.left[o.source[i]] > 1 {
			return false
		}
		f.left[o.source[i]]--
		f.now[l] = i
	default:
		panic("BUG: an event takes effect in no way")
	}
	return true
}

// empty reports whether no store of a thread waits.
func (o *ordering) empty(f *frontier, t int) bool {
	return !slices.ContainsFunc(f.buf[t], func(w int) bool { return w >= 0 })
}

// reads returns what a load of thread t reads now.
func (o *ordering) reads(f *frontier, t, l int) int {
	for k := len(f.buf[t]) - 1; k >= 0; k-- {
		if w := f.buf[t][k]; w >= 0 && o.loc[w] == l {
			return w
		}
	}
	return o.current(f, l)
}
