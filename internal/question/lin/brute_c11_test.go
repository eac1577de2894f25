package lin

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"fencepost/internal/testkit"
)

// Brute force under c11: all graphs of a client that the definition of the model allows, each with every order of the
// calls that is imposed by release and acquire, and every sequence of the calls.

// withOrders gives the statements of an object random memory orders.
func withOrders(r *rand.Rand, ops []randomOp) {
	of := map[byte][]string{
		'l': {"relaxed", "acquire", "seq_cst"}, 's': {"relaxed", "release", "seq_cst"}, 'f': {"acquire", "release", "acq_rel", "seq_cst"},
		'a': {"relaxed", "acquire", "release", "acq_rel", "seq_cst"}, 'c': {"relaxed", "acquire", "release", "acq_rel", "seq_cst"},
	}
	for i := range ops {
		for k := range ops[i] {
			s := &ops[i][k]
			s.order = of[s.kind][r.IntN(len(of[s.kind]))]
			s.fail = of['l'][r.IntN(3)]
		}
	}
}

// bruteEvent is an event of a thread, with the event that it reads from: its thread and number, or -1.
type bruteEvent struct {
	testkit.C11Event
	thread, event int
	value         int // that is written
	call          int // by thread
}

// bruteGraphs builds the graphs of a client, one statement after the other.
type bruteGraphs struct {
	*brute
	events [][]bruteEvent // by thread
	pc     [][2]int       // by thread: the call and the statement
	regs   []int
	got    [][]int // by thread
	seen   map[string]bool
	judged map[string]bool // results and orders
	found  bool
}

func newBruteGraphs(b *brute) *bruteGraphs {
	n := len(b.threads)
	return &bruteGraphs{brute: b, events: make([][]bruteEvent, n), pc: make([][2]int, n), regs: make([]int, n), got: make([][]int, n), seen: map[string]bool{}, judged: map[string]bool{}}
}

func (g *bruteGraphs) wrong() bool {
	g.build()
	return g.found
}

// build adds a statement of every thread that has one, in every way.
func (g *bruteGraphs) build() {
	if id := fmt.Sprint(g.events, g.pc); g.found || g.seen[id] {
		return
	} else {
		g.seen[id] = true
	}
	over := true
	for t := range g.threads {
		if g.pc[t][0] < len(g.threads[t]) {
			over = false
			g.step(t)
		}
	}
	if over {
		g.judgeGraph()
	}
}

// step adds the next statement of a thread.
func (g *bruteGraphs) step(t int) {
	events, pc, reg, got := g.events[t], g.pc[t], g.regs[t], g.got[t]
	defer func() { g.events[t], g.pc[t], g.regs[t], g.got[t] = events, pc, reg, got }()
	op := g.ops[g.threads[t][pc[0]]]
	s := op[pc[1]]
	next := func(r int, added ...bruteEvent) {
		g.events[t], g.regs[t], g.got[t] = append(slices.Clip(events), added...), r, got
		if g.pc[t] = [2]int{pc[0], pc[1] + 1}; pc[1]+1 == len(op) {
			g.pc[t], g.regs[t], g.got[t] = [2]int{pc[0] + 1, 0}, 0, append(slices.Clip(got), r)
		}
		g.build()
	}
	event := func(kind byte, order string) bruteEvent {
		mode := map[string]string{"relaxed": "rlx", "acquire": "acq", "release": "rel", "acq_rel": "ar", "seq_cst": "sc"}[order]
		return bruteEvent{C11Event: testkit.C11Event{Thread: t, Kind: kind, Loc: s.at, Mode: mode}, thread: -1, call: pc[0]}
	}
	if s.kind == 'f' {
		next(reg, event('F', s.order))
		return
	}
	if s.kind == 's' {
		w := event('W', s.order)
		w.value = s.value
		next(reg, w)
		return
	}
	sources := []bruteEvent{{thread: -1, value: g.start[s.at]}}
	for u := range g.events {
		for i, e := range g.events[u] {
			if e.Kind == 'W' && e.Loc == s.at {
				sources = append(sources, bruteEvent{thread: u, event: i, value: e.value})
			}
		}
	}
	for _, from := range sources {
		r, w := event('R', s.order), event('W', s.order)
		r.thread, r.event, w.Update, w.value = from.thread, from.event, true, from.value+1
		switch {
		case s.kind == 'l':
			next(reg*3+from.value, r)
		case s.kind == 'a':
			next(reg*3+from.value, r, w)
		case from.value == s.value:
			next(reg*3+1, r, w)
		default:
			r.Mode = event('R', s.fail).Mode
			next(reg*3, r)
		}
	}
}

// graph returns the graph with an order of the calls: a call writes a flag at its end, and those after it read the flag.
func (g *bruteGraphs) graph(o order) testkit.C11Graph {
	var out testkit.C11Graph
	at, flag := map[[2]int]int{}, map[int]int{}
	type reader struct{ event, call int }
	var reads []reader
	calls := g.number(len(g.threads), 0)
	for t := range g.threads {
		index := 0
		add := func(e testkit.C11Event) {
			e.Thread, e.Index, e.From = t, index, -1
			index++
			out = append(out, e)
		}
		next := 0
		for c := range g.threads[t] {
			me := g.number(t, c)
			for before := range calls {
				if o.has(before, me) {
					reads = append(reads, reader{len(out), before})
					add(testkit.C11Event{Kind: 'R', Loc: 2 + before, Mode: "acq"})
				}
			}
			for ; next < len(g.events[t]) && g.events[t][next].call == c; next++ {
				at[[2]int{t, next}] = len(out)
				add(g.events[t][next].C11Event)
			}
			flag[me] = len(out)
			add(testkit.C11Event{Kind: 'W', Loc: 2 + me, Mode: "rel"})
		}
	}
	for t := range g.events {
		for i, e := range g.events[t] {
			if e.Kind == 'R' && e.thread >= 0 {
				out[at[[2]int{t, i}]].From = at[[2]int{e.thread, e.event}]
			}
		}
	}
	for _, r := range reads {
		out[r.event].From = flag[r.call]
	}
	return out
}

// consistent reports whether the model allows the graph with an order of the calls.
func (g *bruteGraphs) consistent(o order) bool {
	ok := false
	g.graph(o).Orders(2+g.number(len(g.threads), 0), func([][]int) { ok = true })
	return ok
}

// judgeGraph looks for an order of the calls with which the graph is allowed, and which no sequence respects that returns the same.
func (g *bruteGraphs) judgeGraph() {
	var po order
	for t := range g.threads {
		for j := range g.threads[t] {
			for i := range j {
				po = po.with(g.number(t, i), g.number(t, j))
			}
		}
	}
	calls := g.number(len(g.threads), 0)
	allowed := -1 // not known yet
	var try func(o order, a, b int)
	try = func(o order, a, b int) {
		if b == calls {
			a, b = a+1, 0
		}
		if g.found {
			return
		}
		if a == calls {
			id := fmt.Sprint(g.got, o)
			if g.judged[id] || g.inSequence(o) {
				return
			}
			if allowed < 0 {
				allowed = 0
				if g.consistent(po) {
					allowed = 1
				}
			}
			if allowed == 1 && g.consistent(o) {
				g.found = true
			}
			return
		}
		try(o, a, b+1)
		if a != b && !o.has(a, b) && !o.has(b, a) {
			try(o.with(a, b), a, b+1)
		}
	}
	try(po, 0, 0)
}

// inSequence reports whether a sequence that respects an order returns the same.
func (g *bruteGraphs) inSequence(o order) bool {
	id := fmt.Sprint(g.got, o)
	if g.judged[id] {
		return true
	}
	calls := g.number(len(g.threads), 0)
	op, want := make([]int, calls), make([]int, calls)
	for t := range g.threads {
		for i := range g.threads[t] {
			op[g.number(t, i)], want[g.number(t, i)] = g.threads[t][i], g.got[t][i]
		}
	}
	var from func(done uint64, mem [2]int) bool
	from = func(done uint64, mem [2]int) bool {
		if done == 1<<calls-1 {
			return true
		}
		for n := range calls {
			after := mem
			if done>>n&1 == 0 && o.before(n)&^done == 0 && run(g.ops[op[n]], &after) == want[n] && from(done|1<<n, after) {
				return true
			}
		}
		return false
	}
	if from(0, g.start) {
		g.judged[id] = true
		return true
	}
	return false
}
