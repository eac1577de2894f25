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
			switch s.kind {
			case 'k', 'u':
				continue
			case 'w':
				s.order = of['l'][r.IntN(3)]
				continue
			}
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
}

func newBruteGraphs(b *brute) *bruteGraphs {
	n := len(b.threads)
	return &bruteGraphs{brute: b, events: make([][]bruteEvent, n), pc: make([][2]int, n), regs: make([]int, n), got: make([][]int, n), seen: map[string]bool{}, judged: map[string]bool{}}
}

// build adds a statement of every thread that has one, in every way.
func (g *bruteGraphs) build() {
	if id := fmt.Sprint(g.events, g.pc); g.wrong && !g.all || g.seen[id] {
		return
	} else {
		g.seen[id] = true
	}
	rests, ended := true, true // all threads have ended, or may wait
	for t := range g.threads {
		if g.pc[t][0] < len(g.threads[t]) {
			ended = false
			rests = rests && g.next(t).waits()
			g.step(t)
		}
	}
	if rests {
		g.judgeGraph()
		g.stuck = g.stuck || !ended && g.inVain()
	}
}

// next returns the next statement of a thread.
func (g *bruteGraphs) next(t int) statement { return g.ops[g.threads[t][g.pc[t][0]]][g.pc[t][1]] }

// inVain reports whether all threads that wait do so in vain: what the last writes of a modification order leave in memory
// lets none of them go on.
func (g *bruteGraphs) inVain() bool {
	vain := false
	graph, values := g.graph(0)
	graph.Orders(3+g.number(len(g.threads), 0), func(mo [][]int) {
		mem := g.start
		for at := range mem {
			if n := len(mo[at]); n > 0 {
				mem[at] = values[mo[at][n-1]]
			}
		}
		ready := false
		for t := range g.threads {
			if g.pc[t][0] < len(g.threads[t]) {
				s := g.next(t)
				ready = ready || s.ready(&mem)
			}
		}
		vain = vain || !ready
	})
	return vain
}

// step adds the next statement of a thread.
func (g *bruteGraphs) step(t int) {
	events, pc, reg, got := g.events[t], g.pc[t], g.regs[t], g.got[t]
	defer func() { g.events[t], g.pc[t], g.regs[t], g.got[t] = events, pc, reg, got }()
	op := g.ops[g.threads[t][pc[0]]]
	s := op[pc[1]]
	if s.kind == 'k' || s.kind == 'u' {
		s.at, s.order = 2, "acquire"
	}
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
	if s.kind == 'u' {
		next(reg, event('W', "release"))
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
		case s.kind == 'w' && from.value != s.value || s.kind == 'k' && from.value != 0: // another round
		case s.kind == 'w':
			next(reg, r)
		case s.kind == 'k':
			w.value = 1
			next(reg, r, w)
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

// graph returns the graph with an order of the calls, and the values that its events write: a call writes a flag at its end, and
// those after it read the flag.
func (g *bruteGraphs) graph(o order) (out testkit.C11Graph, values []int) {
	at, flag := map[[2]int]int{}, map[int]int{}
	type reader struct{ event, call int }
	var reads []reader
	for t := range g.threads {
		index := 0
		add := func(e testkit.C11Event, value int) {
			e.Thread, e.Index, e.From = t, index, -1
			index++
			out, values = append(out, e), append(values, value)
		}
		next := 0
		for c := range g.made(t) {
			me := g.number(t, c)
			for before := range g.number(len(g.threads), 0) {
				if o.has(before, me) {
					reads = append(reads, reader{len(out), before})
					add(testkit.C11Event{Kind: 'R', Loc: 3 + before, Mode: "acq"}, 0)
				}
			}
			for ; next < len(g.events[t]) && g.events[t][next].call == c; next++ {
				at[[2]int{t, next}] = len(out)
				add(g.events[t][next].C11Event, g.events[t][next].value)
			}
			if flag[me] = len(out); c < len(g.got[t]) {
				add(testkit.C11Event{Kind: 'W', Loc: 3 + me, Mode: "rel"}, 1)
			}
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
	return out, values
}

// made returns how many calls a thread has made: all that have returned, and one that is pending.
func (g *bruteGraphs) made(t int) int { return min(len(g.got[t])+1, len(g.threads[t])) }

// consistent reports whether the model allows the graph with an order of the calls.
func (g *bruteGraphs) consistent(o order) bool {
	ok := false
	graph, _ := g.graph(o)
	graph.Orders(3+g.number(len(g.threads), 0), func([][]int) { ok = true })
	return ok
}

// judgeGraph looks for an order of the calls with which the graph is allowed, and which no sequence respects that returns the same.
// Nothing comes after a call that has not returned, and what comes before a call that was not made does not count.
func (g *bruteGraphs) judgeGraph() {
	var po order
	var returned, made uint64
	for t := range g.threads {
		for j := range g.made(t) {
			for i := range j {
				po = po.with(g.number(t, i), g.number(t, j))
			}
			if made |= 1 << g.number(t, j); j < len(g.got[t]) {
				returned |= 1 << g.number(t, j)
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
		if g.wrong {
			return
		}
		if a == calls {
			if g.inSequence(o, made, returned) {
				return
			}
			if allowed < 0 {
				allowed = 0
				if g.consistent(po) {
					allowed = 1
				}
			}
			g.wrong = allowed == 1 && g.consistent(o)
			return
		}
		try(o, a, b+1)
		if a != b && returned>>a&1 == 1 && made>>b&1 == 1 && !o.has(a, b) && !o.has(b, a) {
			try(o.with(a, b), a, b+1)
		}
	}
	try(po, 0, 0)
}

// inSequence reports whether a sequence that respects an order returns the same.
func (g *bruteGraphs) inSequence(o order, made, returned uint64) bool {
	id := fmt.Sprint(g.got, o)
	if g.judged[id] {
		return true
	}
	calls := g.number(len(g.threads), 0)
	op, want, before := make([]int, calls), make([]int, calls), make([]uint64, calls)
	for t := range g.threads {
		for i := range g.threads[t] {
			n := g.number(t, i)
			if op[n], before[n] = g.threads[t][i], o.before(n); i < len(g.got[t]) {
				want[n] = g.got[t][i]
			}
		}
	}
	if g.hasSequence(op, want, before, made, returned) {
		g.judged[id] = true
		return true
	}
	return false
}
