package rf

import (
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// The exploration. It has the shape of TruSt's [KMGV22]: a read that is added tries every write of
// its cell in the graph, and a write that is added is also given to each read that came before it
// and does not happen before it, whereupon everything that was added after the read, and does not
// happen before the write, is taken away. This revisit is made only if what is taken away, and the
// read itself, had canonical sources: then it is made from exactly one graph.
//
// Differs from TruSt: there is no order of writes, so "added maximally" has another meaning. The
// canonical source of a read is the write that memory holds at the end of a witness of what a revisit keeps, extended by
// what was added before the read. It is a function of these, and reading from there is always
// consistent. docs/engines/rf.md has the argument.

// explorer explores the graphs of one task.
type explorer struct {
	g     *graph
	run   runner
	model consistency
	mem   []ref    // the last write of each cell in the witness
	spare []*graph // whose memory can be used again
	end   []ref    // the same of a witness that a revisit needs
	out   outcome

	pool   *pool    // nil: one worker
	number int      // of the worker
	left   [][]byte // graphs that are put off, encoded
	noPart bool     // a task has a graph that has no witness

	spans  []span // for fingerprints: the cells
	hashed []byte

	progress

	kept, most int64 // bytes of copies, now and at their largest

	traits
	walk *walk // the choices of a random execution; nil: all classes are explored

	hooks
}

// hooks are called during an exploration.
type hooks struct {
	// tick is called for every graph, leaf for every graph to which nothing can be added, with a
	// witness.
	tick func()
	leaf func(seq []node)
	// failsNext, if not nil, reports that the next step of a thread fails at the end of a witness.
	failsNext func(t int, seq []node)
}

// traits says what a program does.
type traits struct {
	wakes   bool       // threads start or wake others
	frees   bool       // blocks are freed
	inOrder bool       // what a thread has read from tells that all its earlier stores are in memory
	peers   beginnings // of threads that can be exchanged
}

// stopped reports whether the exploration is over.
func (x *explorer) stopped() bool {
	return x.out.Stopped || x.run.err != "" || x.run.m.Failure() != nil || x.run.cells.split()
}

// visit explores everything that the graph, which has a witness, can become.
func (x *explorer) visit(seq []node) {
	x.tick()
	if x.stopped() || putOff(x) {
		return
	}
	x.out.counts.graphs++
	stamp := x.g.stamp
	if x.walk != nil {
		x.walk.moved = true
		x.walk.extend(x, seq)
		x.walk.moved = true
	} else {
		x.extend(seq)
	}
	x.g.stamp = stamp
}

// extend adds to the graph.
func (x *explorer) extend(seq []node) {
	for t := range x.g.threads {
		if o := x.g.last(t); o != nil && !o.complete() && o.unit.stalled == 0 && !x.joining(o) {
			x.resume(t, seq)
			return
		}
	}
	x.run.seek(x.g, seq)
	x.out.counts.depth = max(x.out.counts.depth, len(x.run.ran))
	for t := range x.g.threads {
		o := x.g.last(t)
		if o != nil && !o.complete() {
			if o.unit.stalled == 0 && x.run.thread(int(o.join)-1).Ended() {
				x.joinEnded(t, seq)
				return
			}
			continue
		}
		if _, held := x.peers.before(x.g, t); held {
			continue
		}
		alts := x.run.alternatives(t, o != nil && o.waits)
		if len(alts) > 0 {
			x.begin(t, alts, seq)
			return
		}
	}
	if !x.stopped() {
		x.leaf(seq)
		x.skip()
	}
}

// begin adds an operation to thread t.
func (x *explorer) begin(t int, alts []machine.Label, seq []node) {
	i := len(x.g.threads[t])
	width := x.width
	x.width = width / float64(len(alts))
	for k, lb := range alts {
		o := op{label: lb, picked: lb, later: k > 0}
		if len(alts) > 1 {
			o.pick = x.g.next()
			x.run.seek(x.g, seq)
		}
		x.run.describe(t, &o)
		if x.wakes {
			o.causes = x.wakers(t, nil)
		}
		if r, _ := x.peers.before(x.g, t); r != initial {
			o.causes = append(o.causes, r)
		}
		x.g.threads[t] = append(x.g.threads[t], o)
		m := x.model.mark()
		if !x.model.begin(t, i) {
			panic("BUG: an operation that comes last has no witness")
		}
		// What is appended to seq stays there only until the next alternative, or another caller, does
		// the same: no caller looks at more of seq than was there before.
		x.resume(t, append(seq, node{thread: int32(t), index: int32(i)}))
		x.model.undo(m)
		x.g.threads[t] = x.g.threads[t][:i]
		if x.stopped() || x.walk.over() {
			break
		}
	}
	x.width = width
}

// wakers appends the operations that started or woke thread t after its last operation.
func (x *explorer) wakers(t int, out []ref) []ref {
	last := x.g.last(t)
	for _, r := range x.g.woken[t] {
		if last == nil || r.index >= last.past[r.t()] {
			out = append(out, r)
		}
	}
	return out
}

// resume adds the next part of the last operation of thread t. The operation is in seq.
func (x *explorer) resume(t int, seq []node) {
	if x.stopped() {
		return
	}
	i := len(x.g.threads[t]) - 1
	o := &x.g.threads[t][i]
	switch {
	case len(o.reads) < len(o.cells):
		x.read(t, i, seq)
	case x.joining(o):
		x.visit(seq) // the other threads go on
	case o.unit.is && !o.known:
		x.inside(t, i, seq)
	case !o.known:
		x.learn(t, i, seq)
	default:
		x.write(t, i, seq)
	}
}

// read adds the next read of operation i of thread t, with each source.
func (x *explorer) read(t, i int, seq []node) {
	o := &x.g.threads[t][i]
	k := len(o.reads)
	c := o.cells[k]
	r := read{cell: c, stamp: x.g.next()}
	old := *o
	at := node{thread: int32(t), index: int32(i)}
	r.pool = x.run.cells.pool(c)
	now, sources := initial, x.sources(c)
	var blocks []uint64
	if r.pool {
		sources, blocks = x.untaken(c, sources)
		for _, b := range x.run.freedInside(o, c) {
			sources, blocks = append(sources, initial), append(blocks, b)
		}
	} else if seq[len(seq)-1].is(at) {
		now = lastOf(x, c)
	} else {
		now = x.model.holds(seq, at, c)
	}
	if !r.pool {
		x.walk.sources(sources, now)
	}
	width := x.width
	x.width = width / float64(len(sources))
	for n, from := range sources {
		if !r.pool && x.overwritten(t, i, c, from) {
			x.skip()
			continue
		}
		r.from = from
		if r.pool {
			r.block = blocks[n]
		}
		o := &x.g.threads[t][i]
		*o = old
		o.reads = append(o.reads[:k:k], r)
		x.drain(t, o)
		x.readFrom(t, i, seq, from == now && (o.drains == old.drains || seq[len(seq)-1].is(at)))
		if x.stopped() || x.walk.over() {
			break
		}
	}
	x.width = width
	x.g.threads[t][i] = old
}

// readFrom goes on with the read that was just added to operation i of thread t. fits says that seq is a witness.
func (x *explorer) readFrom(t, i int, seq []node, fits bool) {
	c := x.g.last(t).reads[len(x.g.last(t).reads)-1].cell
	m := x.model.mark()
	x.g.noteRead(t, i)
	if ok := x.model.read(t, i); fits && !ok {
		panic("BUG: a read of the last write has no witness")
	} else if fits {
		x.resume(t, seq)
	} else if !ok {
		x.skip()
	} else if next, ok := x.change(seq); !ok {
		x.skip()
	} else if !x.share(int32(t) + 1) {
		x.keep(len(next), 0)
		mem := x.mem
		x.resume(t, x.adopt(next))
		x.mem = mem
		x.keep(-len(next), 0)
	}
	x.g.dropRead(c)
	x.model.undo(m)
}

// lastOf returns the last write of a cell in the witness.
func lastOf(x *explorer, c int32) ref {
	if int(c) < len(x.mem) {
		return x.mem[c]
	}
	return initial
}

// adopt returns a copy of the witness that was just found, which is the witness from now on.
func (x *explorer) adopt(next []node) []node {
	x.mem = make([]ref, x.run.cells.count())
	for c := range x.mem {
		x.mem[c] = x.model.last(int32(c))
	}
	return append(make([]node, 0, len(next)+8), next...)
}

// sources returns what a read of a cell can read from.
func (x *explorer) sources(c int32) []ref {
	out := []ref{initial}
	for u, list := range x.g.cell(c).by {
		for _, j := range list {
			out = append(out, refOf(u, int(j)))
		}
	}
	return out
}

// overwritten reports whether operation i of thread t cannot read a cell from a source because a newer
// write is in memory by then, as far as that follows without a search: the newer write is of the
// source's thread and happens before the operation. Where stores leave buffers in program order,
// what happens before an operation of another thread is in memory.
func (x *explorer) overwritten(t, i int, c int32, from ref) bool {
	at := x.g.cell(c)
	if n := len(at.by[t]); n > 0 && !x.g.threads[t][i].again && (from == initial || from.t() == t) { // of its own thread, only the newest write can be read
		if j := int(at.by[t][n-1]); from != refOf(t, j) && !x.g.threads[t][j].direct() {
			return true
		}
	}
	if !x.inOrder || i == 0 {
		return false
	}
	past := x.g.threads[t][i-1].past
	for u, list := range at.by {
		if u == t || len(list) == 0 || from != initial && u != from.t() {
			continue
		}
		first := 0
		if from != initial {
			first = at.after(u, from.index+1)
		}
		if first < len(list) && list[first] < past[u] {
			return true
		}
	}
	return false
}

// drain decides whether an operation on a recursive mutex drains: not if the thread has the mutex, and
// has it afterwards.
func (x *explorer) drain(t int, o *op) {
	if !o.again {
		return
	}
	o.drains = x.run.m.Sys.Model != memory.SC
	word := x.run.m.Sys.ReadRaw(x.run.first, x.run.cells.address(o.cells[0]), memory.WordSize)
	if from := o.reads[0].from; from != initial {
		p := x.g.op(from)
		word = p.words[p.at(o.cells[0])]
	}
	mine := int(uint32(word))-1 == t
	if mine && (!o.unlock || word>>32 > 0) {
		o.drains = false
	}
}

// last returns the last index of a node, or -1. What is looked for is mostly near the end.
func last(seq []node, n node) int {
	for k := len(seq) - 1; k >= 0; k-- {
		if seq[k].is(n) {
			return k
		}
	}
	return -1
}

// learn finds out what operation i of thread t does, which has all its reads.
func (x *explorer) learn(t, i int, seq []node) {
	o := &x.g.threads[t][i]
	old := *o
	at := last(seq, node{thread: int32(t), index: int32(i)})
	x.run.seek(x.g, seq[:at])
	if len(o.choices) == 0 && !o.unit.is {
		all := x.run.choices(t, o)
		if x.stopped() { // there are too many, or too large ones
			return
		}
		if all != nil && len(all) == 0 {
			x.skip()
			return
		}
		if len(all) > 1 {
			x.choose(t, i, all, seq)
			return
		} else if len(all) == 1 {
			o.label = all[0]
		}
	}
	x.run.outcome(t, i, o)
	if !o.waits {
		x.run.note(&seq[at])
	}
	if x.walk.delays(x, t, o) || x.frees && !x.ordered(t, i) {
		x.g.threads[t][i] = old
		return
	}
	m := x.model.mark()
	if o.ended != nil && !x.model.join(t, i) {
		panic("BUG: a join of a thread that has ended has no witness")
	}
	if len(o.writes) > 0 {
		x.write(t, i, seq)
	} else {
		o.done = x.g.lastStamp(o)
		o.past = x.g.pastOf(t, i)
		x.g.noteDone(t, i)
		complete(x, t, i, seq)
		x.g.dropDone(t, i)
	}
	x.model.undo(m)
	x.g.threads[t][i] = old
}

// choose adds a choice of operation i of thread t, which depends on what was read, or is made inside a section.
func (x *explorer) choose(t, i int, all []machine.Label, seq []node) {
	stamp, width := x.g.next(), x.width
	old := x.g.threads[t][i]
	x.width = width / float64(len(all))
	for k, lb := range all {
		o := &x.g.threads[t][i]
		*o = old
		o.label, o.choices = lb, append(old.choices[:len(old.choices):len(old.choices)], choice{stamp, k > 0, old.label})
		x.resume(t, seq)
		if x.stopped() || x.walk.over() {
			break
		}
	}
	x.width = width
	x.g.threads[t][i] = old
}

// write adds the write of operation i of thread t, and then gives it to earlier reads.
func (x *explorer) write(t, i int, seq []node) {
	o := &x.g.threads[t][i]
	o.done = x.g.next()
	o.past = x.g.pastOf(t, i)
	width, stalls := x.width, o.mayStall()
	x.width = width / float64(1+bit(stalls)+readers(x, o))
	m := x.model.mark()
	x.g.noteDone(t, i)
	ok := x.model.write(t, i)
	x.goOn(t, i, seq, ok)
	x.g.dropDone(t, i)
	x.model.undo(m)
	if stalls {
		stall(x, t, i, seq)
	}
	for c := range o.written() {
		for n := 0; x.walk == nil && n < len(x.g.cell(c).reads) && !x.stopped(); n++ {
			if r := x.g.cell(c).reads[n]; r.index >= o.past[r.thread] {
				x.revisit(t, i, int(r.thread), int(r.index), int(r.k), seq)
			}
		}
	}
	x.width = width
	x.g.threads[t][i].done = 0
}

// goOn visits the graph to which the write of operation i of thread t was added. ok says that it may have a witness.
func (x *explorer) goOn(t, i int, seq []node, ok bool) {
	o := &x.g.threads[t][i]
	mem := x.mem
	if comesLast(x, t, i, seq) {
		if !ok {
			panic("BUG: a write that comes last has no witness")
		}
		next := seq
		if o.buffered {
			next = append(seq, node{thread: int32(t), index: int32(i), update: true})
		}
		old := overwrite(x, o, refOf(t, i))
		x.visit(next)
		for k, c := range o.writes {
			x.mem[c] = old[k]
		}
	} else if !ok {
		x.skip()
	} else if next, ok := x.change(seq); ok {
		x.visit(x.adopt(next))
	} else {
		x.skip()
	}
	x.mem = mem
}

// overwrite lets a write be the last one of its cells. It returns those before.
func overwrite(x *explorer, o *op, by ref) []ref {
	var old []ref
	for _, c := range o.writes {
		for int(c) >= len(x.mem) {
			x.mem = append(x.mem, initial)
		}
		old = append(old, x.mem[c])
	}
	for _, c := range o.writes {
		x.mem[c] = by
	}
	return old
}

// change looks for a witness of the graph, given one of the graph before the last change. The slice is valid
// until the next call.
func (x *explorer) change(seq []node) ([]node, bool) {
	x.out.counts.checks++
	return x.model.change(seq)
}

// witness looks for an execution of a part of the graph. The slice is valid until the next call.
func (x *explorer) witness(c cut, d *demand) ([]node, bool) {
	x.out.counts.checks++
	return x.model.witness(c, d)
}
