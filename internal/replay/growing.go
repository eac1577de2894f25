//go:build !fencepost_small

package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// The rules for package certificate of executions that grow step by step. A step that reads is given the write that it
// reads; steps come in an order that program order and reads-from respect. The threads run as in a witness under C11
// (graph.go): what a thread does depends on what it reads, under every model. Which reads are possible together the
// axioms say under C11 (axioms.go), and the rules of store buffers under SC, TSO and PSO (growing_order.go).

// Initially is the source of a read that reads what was there at the beginning, or since its block was allocated.
const Initially = -1

// Growing is an execution up to some step. It never changes: a step leads to another one.
type Growing struct {
	m     *machine
	model Model // of memory; the machine runs the threads as under SC
	props *property.Set
	kept  map[ir.EdgeID]bool // allocations whose addresses stay in their thread
	s     *state
	g     *grapher
	hb    []moment // per event
	// threads have what later events need of earlier ones.
	threads []threadMoments
	fresh   int // events before the last step
	// Not under C11, and only if data races are asked about: the same by C11's happens-before (growing_moment.go).
	syncs       []moment
	syncThreads []threadMoments
	// Not under C11: how each event takes effect, and the last writes in some order that the model allows.
	acts []act
	last map[uint64]int
	fail *violation
	edge ir.EdgeID // of the last step
}

// NewGrowing returns the execution without steps. It returns an error if the program has an operation whose effect
// depends on more than what it reads, its thread and what happened before.
func NewGrowing(p *ir.Program, props *property.Set, model Model) (*Growing, error) {
	m, err := newMachine(p, SC)
	if err != nil {
		return nil, err
	}
	kept := keptBlocks(p)
	if err := growable(p, model, kept); err != nil {
		return nil, err
	}
	m.kept, m.recycles = kept, model != C11
	n := len(p.Threads)
	g := &grapher{m: m, w: &verdict.Witness{Graph: &verdict.Graph{}}, writes: map[part]int{}, values: map[part][]content{}, freed: map[uint64]int{}, lives: map[uint64]life{}, first: initial(p)}
	x := &Growing{m: m, model: model, props: props, kept: kept, s: initial(p), g: g, threads: make([]threadMoments, n), syncThreads: make([]threadMoments, n)}
	for range n {
		g.last, g.starts = append(g.last, -1), append(g.starts, -1)
	}
	return x, nil
}

// growable returns an error if steps of the program depend on more than what they read, their thread and what happened
// before.
func growable(p *ir.Program, model Model, kept map[ir.EdgeID]bool) error {
	starts := map[ir.ThreadID]int{} // by thread: which one can start it
	var escapes, frees bool         // a block on the stack that other threads may reach; blocks are given back
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			switch op := &f.Edges[i].Op; op.Kind {
			case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier, ir.AtomicBegin, ir.AtomicEnd:
				return fmt.Errorf("there are no classes for %s of programs with %s", model, op.Kind)
			case ir.Fence:
				if op.Fence == ir.GlobalFence && model != SC && model != C11 { // a store before it may have to wait for it
					return fmt.Errorf("there are no classes for %s of programs with fences of all threads", model)
				}
			case ir.Spawn:
				for _, u := range op.Call.Threads {
					if by, again := starts[u]; again && by != t {
						return errors.New("there are no classes of programs in which either of two threads may start a third one")
					}
					starts[u] = t
				}
			case ir.Alloc:
				escapes = escapes || op.Block.Stack && !kept[f.Edges[i].ID]
			case ir.Free:
				if frees = true; model != C11 && !op.Block.Stack {
					return fmt.Errorf("there are no classes for %s of programs that free memory", model)
				}
			case ir.Nop, ir.Assign:
				if op.Block.Undef {
					return errors.New("there are no classes of programs with memory that becomes undefined again")
				}
			}
		}
	}
	if model != C11 && escapes && frees {
		return fmt.Errorf("there are no classes for %s of programs with automatic variables that end and that other threads may reach", model)
	}
	return nil
}

// clone returns a copy to which a step can be added.
func (x *Growing) clone() *Growing {
	n, g := *x, *x.g
	g.events, g.last, g.starts = slices.Clone(g.events), slices.Clone(g.last), slices.Clone(g.starts)
	g.freed, g.lives, g.writes, g.values = maps.Clone(g.freed), maps.Clone(g.lives), maps.Clone(g.writes), maps.Clone(g.values)
	g.w = &verdict.Witness{Graph: &verdict.Graph{}}
	g.reads = append(slices.Clone(g.reads), nil)
	n.g = &g
	n.hb, n.threads, n.acts = slices.Clip(x.hb), slices.Clone(x.threads), slices.Clip(x.acts)
	n.syncs, n.syncThreads = slices.Clip(x.syncs), slices.Clone(x.syncThreads)
	n.fresh, n.fail, n.edge = len(g.events), nil, ir.NoEdge
	return &n
}

// Failed returns the check at which the last step failed, nil if it did not.
func (x *Growing) Failed() *Violation {
	if x.fail == nil {
		return nil
	}
	return &Violation{Class: x.fail.class, Edge: x.edge}
}

// Does says what a thread does next.
type Does uint8

// What a thread can do.
const (
	Nothing   Does = iota // it has ended, waits for the end of another thread, or stands at an exit or a bound
	Steps                 // what happens does not depend on memory that another thread may write
	Reads                 // it reads some bytes
	Allocates             // it takes a new block, or one that was given back
)

// Next says how a thread goes on. Two threads with the same Size, and Addr or Stack, can be served by the same event.
type Next struct {
	Does
	Addr  uint64 // of what it reads
	Size  int64
	Stack bool // the block is on the stack
	// Private says that no other thread can write what it reads.
	Private bool
}

// Next says what thread t does next.
func (x *Growing) Next(t int) (Next, error) {
	th := &x.s.threads[t]
	if th.phase != running || x.s.over || x.fail != nil {
		return Next{}, nil
	}
	f := x.m.p.ThreadFunc(ir.ThreadID(t))
	var out Next
	for k, i := range f.Out(th.loc) {
		c := x.m.turn(x.s, t, &f.Edges[i], 0)
		if err := x.joinsKnown(c, len(f.Out(th.loc)) > 1); err != nil {
			return out, err
		}
		n, err := x.next(c)
		if err != nil {
			return out, err
		}
		if k > 0 && n != out {
			return out, errors.New("there are no classes of programs in which a thread chooses what it reads")
		}
		out = n
	}
	if out.Does != Steps {
		return out, nil
	}
	next, err := x.m.successorsOf(x.s, t, 0)
	if err == nil && len(next) == 0 {
		out = Next{}
	}
	return out, err
}

// joinsKnown returns an error if what an operation on a thread does depends on the order of the threads: it is a join or
// start that the thread need not choose, or a join with a thread of which the thread cannot know that it has started.
func (x *Growing) joinsKnown(c *turn, chosen bool) error {
	if c.op.Kind != ir.Join && c.op.Kind != ir.Spawn {
		return nil
	}
	if chosen {
		return errors.New("there are no classes of programs in which a thread chooses whether it starts or joins another one")
	}
	if c.op.Kind == ir.Spawn || x.model == C11 {
		return nil
	}
	u := c.eval(c.op.Val)
	if u < 0 || u >= int64(len(x.s.threads)) || x.s.threads[u].phase == unstarted || x.m.p.Threads[u].Start {
		return nil
	}
	if by := x.startOf(int(u)); by < 0 || !x.past(c.t).has(&x.g.events[by]) {
		return errors.New("there are no classes of programs in which a thread guesses the number of another one")
	}
	return nil
}

// startOf returns the event that started a thread.
func (x *Growing) startOf(u int) int {
	if by := x.g.starts[u]; by >= 0 {
		return by
	}
	for i := range x.g.events {
		if e := &x.g.events[i]; e.thread == u && e.index == 0 && len(e.after) > 0 {
			return e.after[0]
		}
	}
	return -1
}

// past returns the events that a thread depends on.
func (x *Growing) past(t int) moment {
	now := x.threads[t].now
	if by := x.g.starts[t]; by >= 0 {
		now = now.joined(x.hb[by])
	}
	return now
}

// next says what a thread does along one edge.
func (x *Growing) next(c *turn) (Next, error) {
	size := mutexSize
	switch c.op.Kind {
	case ir.Exit, ir.Bound:
		return Next{}, nil
	case ir.Alloc:
		if x.kept[c.edge.ID] || x.model != C11 { // no block is given back
			return Next{Does: Steps}, nil
		}
		return Next{Does: Allocates, Size: c.eval(c.op.Val), Stack: c.op.Block.Stack}, nil
	case ir.Load, ir.Await, ir.AbstractLoad, ir.RMW:
		size = c.op.Type.Size()
	case ir.Lock, ir.TryLock, ir.Unlock:
	default:
		return Next{Does: Steps}, nil
	}
	addr := uint64(c.eval(c.op.Addr))
	if x.m.check(x.s, nil, c.op.Obj, addr, size) != nil || x.m.checkHeader(x.s, c.op, addr) != nil { // whatever is there: the step fails
		return Next{Does: Steps}, nil
	}
	if x.model != C11 {
		return Next{Does: Reads, Addr: addr, Size: int64(size)}, nil
	}
	return Next{Does: Reads, Addr: addr, Size: int64(size), Private: x.private(c.t, addr)}, nil
}

// Sources returns the writes that the next step of thread t may read, as far as happens-before says: events, and
// Initially. It returns an error if the bytes are also accessed with another size.
func (x *Growing) Sources(t int, n Next) ([]int, error) {
	writes, err := x.writesTo(n)
	if err != nil {
		return nil, err
	}
	if x.model == C11 {
		return x.notOverwrittenBefore(t, n.Addr, writes), nil
	}
	if x.takesMutex(t) {
		return writes, nil
	}
	return x.notOverwritten(t, writes), nil
}

var errSizes = errors.New("there are no classes of programs that access the same bytes with several sizes")

// writesTo returns the writes of some bytes since their block was allocated, and what stands for the contents before
// these: Initially, or in a block that was used before, its last writes then.
func (x *Growing) writesTo(n Next) ([]int, error) {
	since := -1
	if l := x.g.began(x.s, n.Addr); l != nil {
		since = l.step
	}
	var old, out []int
	for i := range x.g.events {
		e := &x.g.events[i]
		if e.size == 0 || e.addr >= n.Addr+uint64(n.Size) || n.Addr >= e.addr+uint64(e.size) {
			continue
		}
		if e.addr != n.Addr || int64(e.size) != n.Size {
			return nil, errSizes
		}
		switch {
		case e.kind == 'W' && e.step <= since:
			old = append(old, i)
		case e.kind == 'W':
			out = append(out, i)
		}
	}
	if len(old) == 0 {
		return append([]int{Initially}, out...), nil
	}
	return append(x.lastOf(old), out...), nil
}

// maxEvents bounds an execution: all executions on the path to it are in memory, too.
const maxEvents = 1000

// ErrTooLong says that an execution has too many events.
var ErrTooLong = fmt.Errorf("an execution has more than %d events", maxEvents)

// Step returns the executions after the next step of thread t. If the thread reads, from is the write that it reads;
// there is no execution if the step waits for another value. If it allocates, from is the free of the block that it
// takes, or Initially for a new block and for all that were given back.
func (x *Growing) Step(t int, n Next, from int) ([]*Growing, error) {
	if n.Does == Reads && x.model != C11 {
		if err := x.known(t, n.Addr); err != nil {
			return nil, err
		}
	}
	if len(x.g.events) > maxEvents {
		return nil, ErrTooLong
	}
	at := len(x.g.reads) // the number of the step
	s, reads := x.s, []verdict.GraphRead(nil)
	if n.Does == Reads {
		source := -1
		if from != Initially {
			source = x.g.events[from].step
		}
		reads = []verdict.GraphRead{{Step: at, Addr: n.Addr, Size: int(n.Size), From: source}}
		x.g.reads = append(x.g.reads, reads)
		var err error
		if s, err = x.g.remember(s, at); err != nil {
			return nil, err
		}
		x.g.reads = x.g.reads[:at]
	}
	next, err := x.m.successorsOf(s, t, 0)
	if err != nil {
		return nil, err
	}
	var out []*Growing
	for i := range next {
		tr := &next[i]
		if !x.kept[tr.edge] && x.model != C11 && n.Does == Steps && x.allocates(tr.edge) && tr.choice != 0 { // no block is given back
			continue
		}
		if n.Does == Allocates && from != Initially && tr.addr != x.g.events[from].block {
			continue
		}
		if x.model != C11 && tr.kind == verdict.StepStore {
			if err := x.known(t, tr.addr); err != nil {
				return nil, err
			}
		}
		y := x.clone()
		y.g.reads[at] = reads
		if tr.kind == verdict.StepStore && !tr.free || tr.wrote {
			y.g.w.Graph.Orders = []verdict.GraphOrder{{Addr: tr.addr, Size: tr.size, Writes: []int{at}}}
		}
		if err := y.noteStep(at, n, s, tr); err != nil {
			return nil, err
		}
		y.advance()
		if x.model != C11 {
			if err := y.noteActs(s, tr); err != nil {
				return nil, err
			}
		}
		if y.edge = tr.edge; tr.fail != nil {
			y.fail = tr.fail
		} else {
			y.s = tr.next
		}
		out = append(out, y)
	}
	return out, nil
}

// noteStep adds the events of a step. A step that fails because of what it has read is a read.
func (x *Growing) noteStep(at int, n Next, s *state, tr *transition) error {
	if tr.fail == nil || tr.kind != verdict.StepFail {
		return x.g.note(at, s, tr)
	}
	if n.Does != Reads {
		return nil
	}
	_, e, _ := x.m.p.EdgeByID(tr.edge)
	return x.g.noteRead(at, tr.thread, &e.Op, n.Addr, int(n.Size), false, false)
}

// Quiet returns the execution after all steps of thread t that are certain and concern the thread alone: registers, and,
// but for C11, blocks that it alone can reach, since it makes no difference whether a store to one waits in the buffer. It
// returns an error if there are more than limit.
func (x *Growing) Quiet(t, limit int) (*Growing, error) {
	f := x.m.p.ThreadFunc(ir.ThreadID(t))
	out := x
	for n := 0; ; n++ {
		if n > limit {
			return nil, fmt.Errorf("there are no classes of programs in which a thread takes more than %d steps that concern it alone", limit)
		}
		th := &out.s.threads[t]
		if th.phase != running || out.s.over || out.fail != nil || !quiet(f, th.loc) && (x.model == C11 || x.m.aside(out.s, t) == nil) {
			break
		}
		next, err := out.m.successorsOf(out.s, t, 0)
		if err != nil {
			return nil, err
		}
		if len(next) != 1 {
			break
		}
		y := *out
		y.edge = next[0].edge
		if y.fail = next[0].fail; y.fail == nil {
			y.s = next[0].next
		}
		out = &y
	}
	return out, nil
}

// quiet reports whether all operations at a location use registers only.
func quiet(f *ir.Func, l ir.Loc) bool {
	for _, i := range f.Out(l) {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Nop, ir.Assign, ir.Assume, ir.Assert:
			if op.Block.Undef || op.Sync.Order != ir.OrderUnset {
				return false
			}
		default:
			return false
		}
	}
	return true
}
