package clauses

import (
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The paths of a thread. Each location is visited once, or once per round of the loops around it. What is known there
// is put together from all edges that lead to it: whether the thread comes there, and what its registers are then.

// path is a thread at a location.
type path struct {
	on Lit
	// way is on without what the thread waits for, and without its stopping: which branches it has taken. It decides only
	// which rounds of loops count.
	way  Lit
	regs []word
	// from is, by register, the block kept apart from whose address the value was computed; 0: none; mixed.
	from []uint64
	// next is the offset of the next new block of the thread.
	next    word
	result  word
	started map[ir.ThreadID]Lit // threads that it has started
	joined  map[ir.ThreadID]Lit
	mine    map[uint64]*private
}

func (s *path) clone() *path {
	n := *s
	n.regs, n.from = slices.Clone(s.regs), slices.Clone(s.from)
	n.started, n.joined, n.mine = maps.Clone(s.started), maps.Clone(s.joined), maps.Clone(s.mine)
	return &n
}

// stop is a location at which a thread can stay.
type stop struct {
	at   *path
	loc  ir.Loc
	goes []Lit // the thread goes on
}

// thread has the paths of a thread, and the literals by which others know it.
type thread struct {
	id        ir.ThreadID
	f         *ir.Func
	rank      []int // of locations in the order in which they are visited
	inside    []bool
	sectioned bool     // the operation that is looked at is inside an atomic section, or ends one
	apart     []region // of blocks that are kept apart
	open      []ir.Loc // heads of the loops that are being visited
	queue     map[ir.Loc][]*path
	seq       int // of the next event
	stops     []stop
	ends      []stop
	// starts, ended and result are literals that those who start and join it use.
	starts []begin
	ended  Lit
	result word
	done   bool
}

// begin is a step that starts a thread.
type begin struct {
	on    Lit // the step happens, and starts this thread
	args  []word
	point int
}

// encoder makes the clauses of a program.
type encoder struct {
	*circuit
	p       *ir.Program
	props   *property.Set
	model   replay.Model
	opt     Options
	masks   bool // the program asks which bits are undefined
	kept    map[ir.EdgeID]bool
	threads []*thread
	memory
	blocks []*block
	frees  []*freed
	bad    []Bad
	cuts   []Bad
	exits  []Lit
	steps  []recorded
}

// Options say what the clauses cover.
type Options struct {
	// Rounds is how often a loop body is run, if what is known does not say how often it runs.
	Rounds int
	// Apart keeps blocks that one thread alone can reach apart from the memory of all.
	Apart bool
	// Every says that every round counts.
	Every bool
}

// maxRounds bounds the rounds of loops for which it is known how often they run.
const maxRounds = 1023

// Bad is something that must not happen.
type Bad struct {
	On   Lit
	What string
	Edge ir.EdgeID // or NoEdge
	// Beyond says that it is no violation: what follows is not covered.
	Beyond bool
	Bound  bool // it is a bound that is met
}

func (x *encoder) wrong(on Lit, edge ir.EdgeID, what string) {
	if on != no {
		x.bad = append(x.bad, Bad{On: on, What: what, Edge: edge})
	}
}

// beyond notes that what follows on is not covered.
func (x *encoder) beyond(on Lit, edge ir.EdgeID, what string) {
	if on != no {
		x.bad = append(x.bad, Bad{On: on, What: what, Edge: edge, Beyond: true})
	}
}

// run goes along the paths of a thread.
func (x *encoder) run(t *thread) {
	all := elementsOf(t.f)
	t.rank = make([]int, len(t.f.Locs))
	n := 0
	rank(all, func(l ir.Loc) { n++; t.rank[l] = n })
	inside, err := ir.SectionLocs(t.f)
	if err != nil {
		panic(refusal{err})
	}
	t.inside = inside
	t.queue = map[ir.Loc][]*path{t.f.Entry: x.entries(t)}
	x.visitAll(t, all)
	if len(t.queue) > 0 {
		panic("BUG: a path was not followed")
	}
	t.ended, t.result = x.finish(t)
	t.done = true
}

func rank(all []element, visit func(ir.Loc)) {
	for _, e := range all {
		visit(e.loc)
		rank(e.inner, visit)
	}
}

// entries returns the paths with which a thread begins.
func (x *encoder) entries(t *thread) []*path {
	at := &path{on: no, way: yes, from: make([]uint64, len(t.f.Regs)), next: number(0), result: number(0), started: map[ir.ThreadID]Lit{}, joined: map[ir.ThreadID]Lit{}, mine: map[uint64]*private{}}
	for _, r := range t.f.Regs {
		at.regs = append(at.regs, number(r.Init))
	}
	for i, v := range x.p.Threads[t.id].Args {
		at.regs[i] = number(v)
	}
	if x.p.Threads[t.id].Start {
		at.on = yes
		return []*path{at}
	}
	var out []*path
	for _, b := range t.starts {
		n := at.clone()
		n.on = b.on
		copy(n.regs[:t.f.Params], b.args)
		out = append(out, n)
	}
	return out
}

func (x *encoder) visitAll(t *thread, all []element) {
	for _, e := range all {
		if !e.loop {
			x.visit(t, e.loc)
			continue
		}
		x.loop(t, e)
	}
}

// loop goes round a loop. A round counts unless a thread that begins the round before comes to it whatever it reads, if it
// does not stop.
func (x *encoder) loop(t *thread, e element) {
	t.open = append(t.open, e.loc)
	counted, last := 0, Lit(0)
	for i := 0; ; i++ {
		if i > 0 {
			at := x.join(t.queue[e.loc])
			if at == nil {
				delete(t.queue, e.loc)
				break
			}
			t.queue[e.loc] = []*path{at}
			if at.way != last || x.opt.Every {
				counted++
			}
			last = at.way
			if counted > x.opt.Rounds || i >= maxRounds {
				x.cuts = append(x.cuts, Bad{On: at.on, What: "unroll", Edge: ir.NoEdge, Bound: true})
				delete(t.queue, e.loc)
				break
			}
		} else if at := x.join(t.queue[e.loc]); at != nil {
			last = at.way
			t.queue[e.loc] = []*path{at}
		}
		x.visit(t, e.loc)
		x.visitAll(t, e.inner)
	}
	t.open = t.open[:len(t.open)-1]
}

// arrive notes that a path leads to a location.
func (x *encoder) arrive(t *thread, from, to ir.Loc, at *path) {
	if at.on == no {
		return
	}
	if t.rank[to] <= t.rank[from] && !slices.Contains(t.open, to) {
		panic("BUG: an edge goes back to no loop around it")
	}
	t.queue[to] = append(t.queue[to], at)
}

// join puts together the paths that lead to a location. At most one of them is taken.
func (x *encoder) join(all []*path) *path {
	all = slices.DeleteFunc(slices.Clone(all), func(s *path) bool { return s.on == no })
	if len(all) < 2 {
		if len(all) == 0 {
			return nil
		}
		return all[0]
	}
	out := all[0].clone()
	for _, s := range all[1:] {
		for r := range out.regs {
			out.regs[r] = x.chooseWord(s.on, s.regs[r], out.regs[r])
			if s.from[r] != out.from[r] {
				out.from[r] = mixed
			}
		}
		out.next = x.chooseWord(s.on, s.next, out.next)
		out.result = x.chooseWord(s.on, s.result, out.result)
		out.way = x.or(out.way, s.way)
		x.joinFlags(s.on, out.started, s.started)
		x.joinFlags(s.on, out.joined, s.joined)
		x.joinPrivate(s.on, out.mine, s.mine)
		out.on = x.or(out.on, s.on)
	}
	return out
}

// joinFlags puts flags together that are false where they are not there.
func (x *encoder) joinFlags(on Lit, into, from map[ir.ThreadID]Lit) {
	for _, k := range slices.Sorted(maps.Keys(from)) {
		if _, ok := into[k]; !ok {
			into[k] = no
		}
	}
	for _, k := range slices.Sorted(maps.Keys(into)) {
		other, ok := from[k]
		if !ok {
			other = no
		}
		into[k] = x.choose(on, other, into[k])
	}
}

// visit follows the edges that leave a location.
func (x *encoder) visit(t *thread, l ir.Loc) {
	at := x.join(t.queue[l])
	delete(t.queue, l)
	if at == nil {
		return
	}
	edges := t.f.Out(l)
	here := stop{at: at, loc: l}
	if len(edges) == 0 {
		t.ends = append(t.ends, here)
		return
	}
	for k, on := range x.selected(t, at, edges) {
		e := &t.f.Edges[edges[k]]
		points := len(x.points)
		next, goes := x.operation(t, at, e, on)
		x.record(t, e, on, goes, next, points)
		here.goes = append(here.goes, goes)
		if next != nil && goes != no {
			next.on, next.way = goes, x.and(at.way, x.branch(at, &e.Op))
			if on != at.on {
				next.way = x.and(next.way, on)
			}
			x.arrive(t, l, e.To, next)
		}
	}
	t.stops = append(t.stops, here)
}

// selected returns for each edge whether the thread tries to take it: at most one of them.
func (x *encoder) selected(t *thread, at *path, edges []int32) []Lit {
	if len(edges) == 1 {
		return []Lit{at.on}
	}
	out, conds := make([]Lit, len(edges)), make([]Lit, len(edges))
	assumes := true
	for k, i := range edges {
		op := &t.f.Edges[i].Op
		if assumes = assumes && op.Kind == ir.Assume; assumes {
			conds[k] = x.nonzero(x.eval(op.Val, x.values(at)))
		}
	}
	if assumes && len(edges) == 2 && conds[0] == -conds[1] {
		return []Lit{at.on, at.on}
	}
	for k := range out {
		chosen := x.fresh()
		for _, other := range out[:k] {
			x.clause(-chosen, -other)
		}
		out[k] = chosen
	}
	for k := range out {
		out[k] = x.and(at.on, out[k])
	}
	return out
}

// branch is the condition of an operation that only registers decide.
func (x *encoder) branch(at *path, op *ir.Op) Lit {
	if op.Kind == ir.Assume {
		return x.nonzero(x.eval(op.Val, x.values(at)))
	}
	return yes
}

func (x *encoder) values(at *path) values { return values{p: x.p, regs: at.regs} }

// finish returns whether a thread has ended, and its result.
func (x *encoder) finish(t *thread) (ended Lit, result word) {
	ended, result = no, number(0)
	for _, e := range t.ends {
		result = x.chooseWord(e.at.on, e.at.result, result)
		ended = x.or(ended, e.at.on)
	}
	return ended, result
}

// recorded is an operation that was encoded.
type recorded struct {
	thread     ir.ThreadID
	edge       ir.EdgeID
	tries, on  Lit
	choice     word
	point      int // -1: none
	registered bool
}

// record notes an operation that has been encoded. points is how many there were before it.
func (x *encoder) record(t *thread, e *ir.Edge, tries, goes Lit, next *path, points int) {
	r := recorded{thread: t.id, edge: e.ID, tries: tries, on: goes, point: -1}
	if e.Op.Kind == ir.Havoc && next != nil {
		r.choice, r.registered = next.regs[e.Op.Dst], true
	}
	if len(x.points) > points {
		r.point = points
	}
	x.steps = append(x.steps, r)
}
