package rf

import "fencepost/internal/memory"

// The question of a memory model.
//
// Everything else in this package is the same for all models: graphs, parts, revisits, canonical sources. What differs
// is one question: given the operations of a graph and the source of each read, is there an order of the writes that
// satisfies the model's axioms? A further model is a further implementation of consistency.

// consistency answers the question for one model. It follows the exploration: parts of operations are added, and taken
// away in the opposite order.
type consistency interface {
	// enter begins with another graph, which has an index, and leave goes back to the one before. enter returns false if
	// the graph is found to have no order of writes; leave is called in any case.
	enter(g *graph) bool
	leave()

	// begin is called when an operation was added to a thread, read when a read was added to its last operation, join
	// when the thread that it joins has ended, write when its write was added. They return false if there is no
	// order of writes then, as far as that is known without a search; undo is called in any case.
	begin(t, i int) bool
	read(t, i int) bool
	join(t, i int) bool
	write(t, i int) bool
	mark() moment
	undo(moment)

	// change looks for an order of the writes of the whole graph. seq is a witness of the graph before the last change; it
	// is kept as far as possible.
	change(seq []node) ([]node, bool)
	// witness looks for an order of the writes of a part of the graph that is closed under porf, which meets a demand if
	// that is not nil. Without a demand it is a function of the operations and sources in the part.
	witness(c cut, d *demand) ([]node, bool)
	// last returns the last write of a cell in the order that was just found. A further read that reads from there, and a
	// further write that comes last, are consistent.
	last(c int32) ref
	// holds returns what an operation that is in a witness reads from a cell there. The machine runs witnesses, so a
	// read with another source cannot be there.
	holds(seq []node, at node, c int32) ref
}

// buffers answers the question for SC, TSO and PSO, where a witness is an execution of the model: clocks say what must
// come before what, and order finds the execution.
type buffers struct {
	cells *cells
	find  order
	now   *clocks
	outer []*clocks // of the graphs that were entered before
	spare []*clocks
}

// newBuffers returns the answer to the question for a model. It counts its work in *work.
func newBuffers(m memory.Model, cs *cells, work *int64) *buffers {
	return &buffers{cells: cs, find: order{model: m, work: work}}
}

func (b *buffers) enter(g *graph) bool {
	b.outer = append(b.outer, b.now)
	if n := len(b.spare); n > 0 {
		b.now, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		b.now = &clocks{model: b.find.model}
	}
	return b.now.build(g, &cut{})
}

func (b *buffers) leave() {
	n := len(b.outer) - 1
	b.spare = append(b.spare, b.now)
	b.now, b.outer = b.outer[n], b.outer[:n]
}

func (b *buffers) begin(t, i int) bool { return b.now.begin(t, i) }
func (b *buffers) read(t, i int) bool  { return b.now.read(t, i) }
func (b *buffers) join(t, i int) bool  { return b.now.join(t, i) }
func (b *buffers) write(t, i int) bool { return b.now.write(t, i) }
func (b *buffers) mark() moment        { return b.now.mark() }
func (b *buffers) undo(m moment)       { b.now.undo(m) }

func (b *buffers) change(seq []node) ([]node, bool) {
	b.find.cells = b.cells.count()
	return b.find.change(b.now.g, b.now, seq)
}

func (b *buffers) witness(c cut, d *demand) ([]node, bool) {
	b.find.cells = b.cells.count()
	return b.find.witness(b.now.g, c, d)
}

func (b *buffers) last(c int32) ref {
	if int(c) >= len(b.find.now.mem) {
		return initial
	}
	return b.find.refOf(b.find.now.mem[c])
}

// holds looks for the newest write before the operation: in the buffer of its thread, and then in memory.
func (b *buffers) holds(seq []node, at node, c int32) ref {
	g := b.now.g
	mine := g.threads[at.thread]
	k := last(seq, at)
	if list := g.cell(c).by[at.thread]; !mine[at.index].again {
		for n := len(list) - 1; n >= 0; n-- {
			j := list[n]
			if j >= at.index || mine[j].direct() {
				continue
			}
			if mine[j].buffered && last(seq[:k], node{thread: at.thread, index: j, update: true}) < 0 {
				return refOf(int(at.thread), int(j))
			}
			break
		}
	}
	for k--; k >= 0; k-- {
		n := seq[k]
		if o := &g.threads[n.thread][n.index]; n.update == o.buffered && o.complete() && o.at(c) >= 0 {
			return ref{n.thread + 1, n.index}
		}
	}
	return initial
}
