//go:build !fencepost_small

package replay

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Witnesses under C11's own model. Such a witness is a graph: its steps are in an order that program order and reads-from
// respect, and it says what each read reads from and in which order the writes of a location take effect. The steps
// are run one by one as under SC, except that memory holds what the witness says when a step reads it. What came about is
// an execution of the threads; whether the model allows it the axioms say (axioms.go).

// event is a read, a write or a fence of a step, or a step that only synchronises.
type event struct {
	step   int
	thread int
	index  int  // in its thread
	kind   byte // 'R', 'W', 'F', or 'S' for the others
	addr   uint64
	size   int
	order  ir.Order
	shared bool // of the lock or unlock of a reader
	from   int  // of a read: the event of the write, -1 for the initial value
	update bool // of a write: the event before is a read, and both are one read-modify-write
	// library: of an operation on a mutex, semaphore or the like.
	library bool
	store   bool // of an exchange that stands for a seq_cst store (ir.AsStore), which reads nothing by C11
	after   []int
	// block and bytes are the block that the step frees or allocates; bytes is 0 if there is none.
	block uint64
	bytes int
}

// part is a location that a step writes. A plain access may be one of several.
type part struct {
	step int
	addr uint64
	size int
}

// content is a byte of memory.
type content struct {
	value, undefined byte
	from             *origin
}

// contents returns what a range of bytes holds.
func contents(s *state, addr uint64, size int) []content {
	var out []content
	for k := range uint64(size) {
		mask, from := s.undefinedAt(addr + k)
		out = append(out, content{s.byteAt(addr + k), mask, from})
	}
	return out
}

// setContents is the opposite of contents.
func setContents(s *state, addr uint64, bytes []content) {
	for k, b := range bytes {
		s.setByte(addr+uint64(k), b.value)
		s.setUndefined(addr+uint64(k), b.undefined, b.from)
	}
}

// life is the beginning of a block: its allocation.
type life struct {
	step  int
	event int
	undef bool // its contents are undefined
	state *state
}

// grapher runs the steps of a graph.
type grapher struct {
	m      *machine
	w      *verdict.Witness
	events []event
	last   []int              // per thread: its last event, -1 if there is none
	starts []int              // per thread: the event that started it or let it go on, -1 if there is none
	freed  map[uint64]int     // per block: the event of its last free
	lives  map[uint64]life    // per block: its last allocation
	writes map[part]int       // the events of writes
	values map[part][]content // what was written
	first  *state             // the initial one
	reads  [][]verdict.GraphRead

	// When all steps have run:
	end   *state
	fail  *transition // the last step, if it fails
	round []*state    // the states from which steps repeat
}

// replayGraph is Replay under C11.
func replayGraph(p *ir.Program, props *property.Set, w *verdict.Witness, want Expect) error {
	g, a, err := consistentGraph(p, w)
	if err != nil {
		return err
	}
	switch want.Target {
	case TargetDataRace:
		return g.dataRace(a, want.DataRace)
	case TargetNotSC:
		return g.noSC(a.orders)
	}
	if g.fail != nil && want.Target != TargetCheck {
		return fmt.Errorf("end: expected %s, computed a failed check: %s", want.Target, g.fail.fail.class)
	}
	if want.Target == TargetEndless {
		return g.m.endless(append(g.round, g.end), w.Steps[len(w.Steps)-w.Repeats:])
	}
	return g.m.conclude(g.lastWrites(a.orders), props, g.fail, want, len(w.Steps))
}

// runGraph runs the steps of a graph.
func runGraph(p *ir.Program, w *verdict.Witness) (*grapher, error) {
	m, err := newMachine(p, SC)
	if err != nil {
		return nil, err
	}
	if w.Graph == nil {
		return nil, fmt.Errorf("a witness under c11 needs a graph")
	}
	start := len(w.Steps) - w.Repeats // of the steps that repeat
	if w.Repeats < 0 || start < 0 {
		return nil, fmt.Errorf("end: %d steps repeat, the witness has %d", w.Repeats, len(w.Steps))
	}
	g := &grapher{m: m, w: w, writes: map[part]int{}, values: map[part][]content{}, freed: map[uint64]int{}, lives: map[uint64]life{}, first: initial(p), reads: make([][]verdict.GraphRead, len(w.Steps))}
	for _, r := range w.Graph.Reads {
		if r.Step < 0 || r.Step >= len(w.Steps) || r.From >= r.Step || r.From < -1 || r.Size < 1 || r.Size > 8 {
			return nil, fmt.Errorf("graph: a read of step %d from step %d", r.Step, r.From)
		}
		g.reads[r.Step] = append(g.reads[r.Step], r)
	}
	for range p.Threads {
		g.last, g.starts = append(g.last, -1), append(g.starts, -1)
	}
	s := initial(p)
	for i := range w.Steps {
		if g.fail != nil {
			return nil, fmt.Errorf("%s: the program is over: a check failed in the step before", m.name(i, &w.Steps[i]))
		}
		if i >= start {
			if s, err = g.latest(s, i, i == start); err != nil {
				return nil, fmt.Errorf("%s: %w", m.name(i, &w.Steps[i]), err)
			}
			g.round = append(g.round, s)
		}
		if s, err = g.remember(s, i); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name(i, &w.Steps[i]), err)
		}
		tr, err := m.replayStep(s, i, &w.Steps[i])
		if err != nil {
			return nil, err
		}
		if err := g.note(i, s, tr); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name(i, &w.Steps[i]), err)
		}
		if tr.fail != nil {
			g.fail = tr
		} else {
			s = tr.next
		}
	}
	g.end = s
	return g, nil
}

// latest checks that step i, which repeats for ever, reads the last writes: what was written is read at last. The state is
// returned in which memory holds the last writes, if the step is the first one that repeats.
func (g *grapher) latest(s *state, i int, first bool) (*state, error) {
	last := map[uint64]int{} // per location: the step of the last write before this one
	if first {
		s = s.clone()
	}
	for _, o := range g.w.Graph.Orders {
		for _, k := range o.Writes {
			if k < i {
				last[o.Addr] = k + 1
			}
		}
		if k := last[o.Addr]; k > 0 && first {
			setContents(s, o.Addr, g.values[part{k - 1, o.Addr, o.Size}])
		}
	}
	for _, r := range g.reads[i] {
		if r.From != last[r.Addr]-1 {
			return nil, fmt.Errorf("graph: a step that repeats for ever does not read the last write")
		}
	}
	return s, nil
}

// remember returns the state in which memory holds what a step reads.
func (g *grapher) remember(s *state, i int) (*state, error) {
	if len(g.reads[i]) == 0 {
		return s, nil
	}
	s = s.clone()
	for _, r := range g.reads[i] {
		if began := g.began(s, r.Addr); began != nil && r.From < began.step {
			setContents(s, r.Addr, contents(began.state, r.Addr, r.Size))
			continue
		}
		if r.From < 0 {
			setContents(s, r.Addr, contents(g.first, r.Addr, r.Size))
			continue
		}
		from := part{r.From, r.Addr, r.Size}
		if _, wrote := g.writes[from]; !wrote {
			return nil, fmt.Errorf("graph: reads bytes of step %d that it has not written", r.From)
		}
		setContents(s, r.Addr, g.values[from])
	}
	return s, nil
}

// began returns the allocation, or the beginning of the scope of a variable, after which the contents of an address were
// undefined, or nil.
func (g *grapher) began(s *state, addr uint64) *life {
	for i := range g.m.p.Objects {
		o := &g.m.p.Objects[i]
		if l, ok := g.lives[o.Addr]; ok && o.Masked && inside(addr, 1, o.Addr, o.Size) {
			return &l
		}
	}
	for _, b := range s.blocks {
		if l, ok := g.lives[b.addr]; ok && l.undef && inside(addr, 1, b.addr, b.size) {
			return &l
		}
	}
	return nil
}

// add adds an event.
func (g *grapher) add(e event) int {
	if by := g.starts[e.thread]; by >= 0 { // an event of its own begins the thread, or lets it go on
		g.starts[e.thread] = -1
		g.add(event{step: e.step, thread: e.thread, kind: 'S', after: []int{by}})
	}
	n := len(g.events)
	if last := g.last[e.thread]; last >= 0 {
		e.index = g.events[last].index + 1
	}
	g.last[e.thread] = n
	g.events = append(g.events, e)
	return n
}

// note adds the events of a step, which leads from a state by a transition.
func (g *grapher) note(i int, s *state, tr *transition) error {
	_, e, ok := g.m.p.EdgeByID(tr.edge)
	if !ok {
		return fmt.Errorf("no such edge")
	}
	op := &e.Op
	reads, writes := tr.kind == verdict.StepLoad || tr.kind == verdict.StepRMW, tr.kind == verdict.StepStore || tr.wrote
	addr, size := tr.addr, tr.size
	switch {
	case tr.free:
		g.freed[tr.addr] = g.add(event{step: i, thread: tr.thread, kind: 'S', block: tr.addr, bytes: tr.accesses[0].Size})
		return nil
	case op.Kind == ir.Barrier && tr.fail == nil && len(tr.accesses) == 1:
		reads, writes, addr, size = true, true, tr.accesses[0].Addr, tr.accesses[0].Size
	case op.Kind == ir.CondWait && tr.kind == verdict.StepExec && tr.fail == nil: // the mutex is the last access
		mutex := tr.accesses[len(tr.accesses)-1]
		reads, writes, addr, size = true, true, mutex.Addr, mutex.Size
	}
	if tr.fail != nil && tr.kind == verdict.StepFail { // a mutex may fail by what was read
		reads, writes = failsByWord(op, tr.fail), false
		if op.Kind == ir.CondWait && reads {
			mutex := tr.accesses[len(tr.accesses)-1]
			addr, size = mutex.Addr, mutex.Size
		}
	}
	if !reads && len(g.reads[i]) > 0 {
		return fmt.Errorf("graph: the step reads nothing")
	}
	if reads {
		if err := g.noteRead(i, tr.thread, op, addr, size, writes, len(tr.accesses) == 1); err != nil {
			return err
		}
	}
	if writes {
		if err := g.noteWrite(i, tr, op, addr, size, reads); err != nil {
			return err
		}
	}
	if (op.Kind == ir.Nop || op.Kind == ir.Assign) && op.Block.Undef && g.m.p.Objects[op.Obj].Masked {
		g.lives[g.m.p.Objects[op.Obj].Addr] = life{step: i, event: g.last[tr.thread], undef: true, state: tr.next}
	}
	switch op.Kind {
	case ir.Fence:
		g.add(event{step: i, thread: tr.thread, kind: 'F', order: op.Sync.Order})
	case ir.Nop:
		if op.Sync.Order != ir.OrderUnset { // a fence of C11 that does nothing under models with store buffers
			g.add(event{step: i, thread: tr.thread, kind: 'F', order: op.Sync.Order})
		}
	case ir.Spawn, ir.Join:
		g.noteThread(i, s, tr, op)
	case ir.Barrier:
		for _, u := range tr.wakes {
			g.starts[u] = g.last[tr.thread]
		}
	case ir.Alloc:
		if tr.fail != nil {
			break
		}
		begin := event{step: i, thread: tr.thread, kind: 'S'}
		if !op.Block.Stack { // it counts as a write of the block
			begin.block, begin.bytes = tr.addr, tr.size
		}
		e := g.add(begin)
		g.lives[tr.addr] = life{i, e, op.Block.Undef, tr.next}
		if free, again := g.freed[tr.addr]; again {
			g.events[e].after = append(g.events[e].after, free)
		}
	}
	return nil
}

// failsByWord reports whether an operation fails because of the word of its mutex.
func failsByWord(op *ir.Op, v *violation) bool {
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock:
		return v.class == ir.Destroyed || v.class == ir.BadUnlock
	case ir.CondWait:
		return v.class == ir.BadWait
	}
	return false
}

// noteWrite adds the write of a step. The modification orders say which locations it has.
func (g *grapher) noteWrite(i int, tr *transition, op *ir.Op, addr uint64, size int, update bool) error {
	w := event{step: i, thread: tr.thread, kind: 'W', order: op.WriteOrder(len(tr.accesses) == 2), shared: sharedLock(op), update: update, library: ofLibrary(op), store: op.Sync.Marks.Has(ir.AsStore)}
	var parts []part
	for _, o := range g.w.Graph.Orders {
		if slices.Contains(o.Writes, i) {
			parts = append(parts, part{i, o.Addr, o.Size})
		}
	}
	if err := covers(parts, addr, size, w.order == ir.Plain && !update); err != nil {
		return fmt.Errorf("graph: the step writes %d bytes at %#x: modification orders: %w", size, addr, err)
	}
	for _, p := range parts {
		w.addr, w.size = p.addr, p.size
		g.writes[p] = g.add(w)
		g.values[p] = contents(tr.next, p.addr, p.size)
	}
	return nil
}

// covers returns an error if parts are not disjoint or do not make up a range of bytes. Only a plain access has several.
func covers(parts []part, addr uint64, size int, plain bool) error {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.addr, b.addr) })
	at := addr
	for _, p := range parts {
		if p.addr != at || p.size < 1 || p.size > size {
			return fmt.Errorf("other bytes are given")
		}
		at += uint64(p.size)
	}
	switch {
	case at != addr+uint64(size):
		return fmt.Errorf("bytes are missing")
	case len(parts) > 1 && !plain:
		return fmt.Errorf("an atomic access has one location")
	}
	return nil
}

// noteRead adds the read of a step.
func (g *grapher) noteRead(i, thread int, op *ir.Op, addr uint64, size int, wrote, relock bool) error {
	e := event{step: i, thread: thread, kind: 'R', order: op.ReadOrder(wrote, relock), shared: sharedLock(op), library: ofLibrary(op), store: op.Sync.Marks.Has(ir.AsStore)}
	var parts []part
	for _, r := range g.reads[i] {
		parts = append(parts, part{r.From, r.Addr, r.Size})
	}
	if err := covers(parts, addr, size, e.order == ir.Plain && !wrote); err != nil {
		return fmt.Errorf("graph: the step reads %d bytes at %#x: %w", size, addr, err)
	}
	for _, p := range parts {
		e.addr, e.size, e.from = p.addr, p.size, -1
		if p.step >= 0 {
			e.from = g.writes[p]
		}
		g.add(e)
	}
	return nil
}

// noteThread adds the event of a spawn or a join.
func (g *grapher) noteThread(i int, s *state, tr *transition, op *ir.Op) {
	e := g.add(event{step: i, thread: tr.thread, kind: 'S'})
	if tr.fail != nil {
		return
	}
	for u := range s.threads {
		before, after := s.threads[u].phase, tr.next.threads[u].phase
		switch {
		case op.Kind == ir.Spawn && before == unstarted && after != unstarted:
			g.starts[u] = e
		case op.Kind == ir.Join && before != joined && after == joined:
			if last := g.last[u]; last >= 0 { // the end of the thread is an event of its own
				end := g.add(event{step: g.events[last].step, thread: u, kind: 'S'})
				g.events[e].after = append(g.events[e].after, end)
			} else if g.starts[u] >= 0 {
				g.events[e].after = append(g.events[e].after, g.starts[u])
			}
		}
	}
}

// orders returns the modification orders as events, after checking that each location has one.
func (g *grapher) orders() ([][]int, error) {
	var out [][]int
	ordered := map[part]bool{}
	for _, o := range g.w.Graph.Orders {
		var list []int
		for _, i := range o.Writes {
			p := part{i, o.Addr, o.Size}
			e, ok := g.writes[p]
			if !ok || ordered[p] {
				return nil, fmt.Errorf("graph: step %d is in the modification order of a location that it does not write", i)
			}
			ordered[p] = true
			list = append(list, e)
		}
		if len(list) == 0 || slices.ContainsFunc(out, func(p []int) bool { return g.events[p[0]].addr == o.Addr }) {
			return nil, fmt.Errorf("graph: a modification order is empty, or there are two of one location")
		}
		out = append(out, list)
	}
	if len(ordered) != len(g.writes) {
		return nil, fmt.Errorf("graph: a write is in no modification order")
	}
	for a := range g.events {
		for b := range g.events {
			x, y := &g.events[a], &g.events[b]
			if x.size > 0 && y.size > 0 && x.addr < y.addr+uint64(y.size) && y.addr < x.addr+uint64(x.size) && (x.addr != y.addr || x.size != y.size) {
				return nil, fmt.Errorf("graph: accesses of different sizes to the same bytes")
			}
		}
	}
	return out, nil
}

// dataRace returns nil if two steps race.
func (g *grapher) dataRace(a *axioms, steps [2]int) error {
	for x := range g.events {
		for y := range g.events {
			if g.events[x].step == steps[0] && g.events[y].step == steps[1] && a.dataRace(x, y) {
				return nil
			}
		}
	}
	return fmt.Errorf("end: expected a data race of steps %d and %d, computed none", steps[0], steps[1])
}

func sharedLock(op *ir.Op) bool {
	return op.Sync.Kind == ir.SyncTakeShared || op.Sync.Kind == ir.SyncGiveShared
}

// ofLibrary reports whether an operation belongs to a function that synchronises, and is no atomic access of C11.
func ofLibrary(op *ir.Op) bool {
	return op.Sync.Kind != ir.SyncUnset || op.Kind == ir.Lock || op.Kind == ir.TryLock || op.Kind == ir.Unlock
}
