package testkit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Small programs with the memory orders of C11: a generator, their text in the printed form of package ir, and all
// their executions by brute force.

// C11Op is an operation: a store of V, a load, a fence, fetch_add of V, a compare-exchange of V and V2, a branch that
// skips Skip operations unless the last register is V, a lock, an unlock. Weak is a compare-exchange that may fail without a
// reason.
type C11Op struct {
	Kind  byte // 'W', 'R', 'F', 'U', 'C', 'B', 'L', 'N'
	Loc   int
	V, V2 int
	Mode  string
	Fail  string
	Skip  int
	Weak  bool
}

// C11Program has threads, and variables of which the last is a mutex if Mutex is set.
type C11Program struct {
	Threads [][]C11Op
	Locs    int
	Mutex   bool

	// Known after Classes: SC refuses some class, also one in which a lock waits; it does so given the last writes.
	Weak, WeakLast bool
}

// RandomC11 returns a program.
func RandomC11(seed uint64, threads, length int) *C11Program {
	g := rand.New(rand.NewPCG(seed, 11))
	p := &C11Program{Locs: 2}
	if g.IntN(4) == 0 {
		p.Mutex, p.Locs = true, 3
	}
	pick := func(words ...string) string { return words[g.IntN(len(words))] }
	plain := g.IntN(3) == 0
	for range threads {
		var list []C11Op
		reads := 0
		for n := 1 + g.IntN(length); n > 0; n-- {
			op := C11Op{Loc: g.IntN(2)}
			switch k := g.IntN(100); {
			case k < 34:
				op.Kind, op.V, op.Mode = 'W', 1+g.IntN(2), pick("rlx", "rel", "sc")
			case k < 70:
				op.Kind, op.Mode = 'R', pick("rlx", "acq", "sc")
			case k < 81:
				op.Kind, op.Mode = 'F', pick("acq", "rel", "ar", "sc", "sc")
			case k < 90:
				op.Kind, op.V, op.Mode = 'U', 1, pick("rlx", "acq", "rel", "ar", "sc")
			default:
				op.Kind, op.V, op.V2, op.Mode, op.Fail = 'C', g.IntN(2), 2, pick("rlx", "acq", "rel", "ar", "sc"), pick("rlx", "acq", "sc")
			}
			if plain && (op.Kind == 'W' || op.Kind == 'R') && g.IntN(3) == 0 {
				op.Mode = "na"
			}
			if op.Kind != 'W' && op.Kind != 'F' {
				reads++
			}
			if p.Mutex && g.IntN(4) == 0 {
				list = append(list, C11Op{Kind: 'L', Loc: 2}, op, C11Op{Kind: 'N', Loc: 2})
				continue
			}
			list = append(list, op)
			if reads > 0 && n > 1 && !p.Mutex && g.IntN(7) == 0 {
				list = append(list, C11Op{Kind: 'B', V: g.IntN(2), Skip: 1})
			}
		}
		p.Threads = append(p.Threads, list)
	}
	return p
}

// WeakC11 returns a program in which some compare-exchanges are weak.
func WeakC11(seed uint64, threads, length int) *C11Program {
	g := rand.New(rand.NewPCG(seed, 12))
	p := RandomC11(seed, threads, length)
	for _, list := range p.Threads {
		for i := range list {
			list[i].Weak = list[i].Kind == 'C' && g.IntN(2) == 0
		}
	}
	return p
}

// c11Words are the words of orders in the printed form.
var c11Words = map[string]string{"na": "", "rlx": "relaxed", "acq": "acquire", "rel": "release", "ar": "acq_rel", "sc": "seq_cst"}

// Text returns the program in the printed form of package ir.
func (p *C11Program) Text() string {
	var b strings.Builder
	b.WriteString("program random flat\n")
	for l := range p.Locs {
		fmt.Fprintf(&b, "object v%d size 8\n", l)
	}
	for t, list := range p.Threads {
		fmt.Fprintf(&b, "func f%d() {\n  reg r, k\n", t)
		for i := range len(list) + 1 {
			fmt.Fprintf(&b, "  loc L%d\n", i)
		}
		b.WriteString("  entry L0\n")
		for i, op := range list {
			edge := func(to int, format string, args ...any) {
				fmt.Fprintf(&b, "  L%d -> L%d: %s\n", i, to, fmt.Sprintf(format, args...))
			}
			w := c11Words[op.Mode]
			switch op.Kind {
			case 'W':
				edge(i+1, "store [&v%d] = %d %s in v%d", op.Loc, op.V, w, op.Loc)
			case 'R':
				edge(i+1, "r = load [&v%d] %s in v%d", op.Loc, w, op.Loc)
			case 'F':
				edge(i+1, "fence.full %s", w)
			case 'U':
				edge(i+1, "r = rmw.add [&v%d], %d %s in v%d", op.Loc, op.V, w, op.Loc)
			case 'C':
				weak := map[bool]string{true: " weak"}[op.Weak]
				edge(i+1, "r = rmw.cas [&v%d], %d, %d %s fail %s%s in v%d", op.Loc, op.V, op.V2, w, c11Words[op.Fail], weak, op.Loc)
			case 'B':
				edge(i+1, "assume (r == %d)", op.V)
				edge(min(i+1+op.Skip, len(list)), "assume (r != %d)", op.V)
			case 'L':
				edge(i+1, "lock [&v%d] in v%d", op.Loc, op.Loc)
			case 'N':
				edge(i+1, "unlock [&v%d] in v%d", op.Loc, op.Loc)
			}
		}
		b.WriteString("}\n")
	}
	for t := range p.Threads {
		fmt.Fprintf(&b, "thread t%d = f%d()\n", t, t)
	}
	return b.String()
}

// run returns the events of a thread, given the values of its reads, and whether it wants to read one more. values has
// the value that each write stores.
func (p *C11Program) run(t int, reads []int) (events []C11Event, values []int, open bool) {
	last, k := 0, 0
	list := p.Threads[t]
	pc := 0
	add := func(e C11Event, v int) {
		e.Thread, e.Index, e.Op = t, len(events), pc
		events, values = append(events, e), append(values, v)
	}
	for ; pc < len(list); pc++ {
		op := list[pc]
		switch op.Kind {
		case 'B':
			if last != op.V {
				pc += op.Skip
			}
		case 'W':
			add(C11Event{Kind: 'W', Loc: op.Loc, Mode: op.Mode}, op.V)
		case 'F':
			add(C11Event{Kind: 'F', Loc: -1, Mode: op.Mode}, 0)
		default:
			if k == len(reads) {
				add(C11Event{Kind: 'R', Loc: op.Loc, Mode: op.Mode, From: -2, NoReason: op.Weak, Expects: op.V}, 0)
				return events, values, true
			}
			v := reads[k]
			k++
			p.update(op, v, add)
			v &^= noReason
			if op.Kind != 'L' && op.Kind != 'N' {
				last = v
			}
			if op.Kind == 'L' && v != 0 { // it waits
				return events, values, false
			}
		}
	}
	return events, values, false
}

// noReason is added to what a compare-exchange reads that fails without a reason.
const noReason = 1 << 16

// update adds the events of an operation that has read v.
func (p *C11Program) update(op C11Op, v int, add func(C11Event, int)) {
	switch op.Kind {
	case 'R':
		add(C11Event{Kind: 'R', Loc: op.Loc, Mode: op.Mode}, 0)
	case 'U':
		add(C11Event{Kind: 'R', Loc: op.Loc, Mode: op.Mode}, 0)
		add(C11Event{Kind: 'W', Loc: op.Loc, Mode: op.Mode, Update: true}, v+op.V)
	case 'C':
		if v != op.V {
			add(C11Event{Kind: 'R', Loc: op.Loc, Mode: op.Fail, NoReason: v >= noReason}, 0)
			return
		}
		add(C11Event{Kind: 'R', Loc: op.Loc, Mode: op.Mode}, 0)
		add(C11Event{Kind: 'W', Loc: op.Loc, Mode: op.Mode, Update: true}, op.V2)
	case 'L':
		add(C11Event{Kind: 'R', Loc: op.Loc, Mode: "acq", Lock: true}, 0)
		if v == 0 {
			add(C11Event{Kind: 'W', Loc: op.Loc, Mode: "acq", Update: true, Lock: true}, 1)
		}
	case 'N':
		add(C11Event{Kind: 'R', Loc: op.Loc, Mode: "rlx", Lock: true}, 0)
		add(C11Event{Kind: 'W', Loc: op.Loc, Mode: "rel", Update: true, Lock: true}, 0)
	}
}

// C11Class is a class of executions in which all threads end.
type C11Class struct {
	Key    string   // the sources of all reads
	Orders int      // modification orders
	Finals []string // what the variables hold in the end
	Race   bool
	SC     bool            // SC has the class
	Last   map[string]bool // per combination of last writes: SC has it
}

// c11Source names an event before the graph is complete.
type c11Source struct {
	thread, index int
	noReason      bool // the compare-exchange that reads from it fails without a reason
}

// Classes returns the classes of all executions that end, and whether some execution, also one that has not ended, has a
// data race. ok is false if there are more than limit attempts.
func (p *C11Program) Classes(limit int) (classes map[string]*C11Class, race, ok bool) {
	classes = map[string]*C11Class{}
	ok = p.visit(limit, func(from [][]c11Source, vals [][]int) { p.end(from, vals, classes, &race) })
	return classes, race, ok
}

// Graphs calls f with all events and sources that an execution that ends could have, consistent or not, and with what its
// writes store. It reports whether there were at most limit attempts.
func (p *C11Program) Graphs(limit int, f func(g C11Graph, values []int)) (ok bool) {
	return p.visit(limit, func(from [][]c11Source, vals [][]int) { f(p.graph(from, vals)) })
}

// visit calls end with the sources of all reads, and their values. It reports whether there were at most limit attempts.
func (p *C11Program) visit(limit int, end func(from [][]c11Source, vals [][]int)) (ok bool) {
	seen := map[string]bool{}
	ok = true
	from := make([][]c11Source, len(p.Threads)) // of each thread, the sources of its reads
	vals := make([][]int, len(p.Threads))
	var visit func()
	visit = func() {
		key := fmt.Sprint(from)
		if seen[key] || !ok {
			return
		}
		if seen[key] = true; len(seen) > limit {
			ok = false
			return
		}
		all, values := p.all(vals)
		open := false
		for t := range p.Threads {
			events, _, more := p.run(t, vals[t])
			if !more {
				continue
			}
			open = true
			next := events[len(events)-1]
			var sources []c11Source
			var read []int
			add := func(s c11Source, v int) {
				sources, read = append(sources, s), append(read, v)
				if next.NoReason && v == next.Expects {
					s.noReason = true
					sources, read = append(sources, s), append(read, v|noReason)
				}
			}
			add(c11Source{thread: -1, index: -1}, 0)
			for i, e := range all {
				if e.Kind == 'W' && e.Loc == next.Loc {
					add(c11Source{thread: e.Thread, index: e.Index}, values[i])
				}
			}
			for i, s := range sources {
				if s.thread == t && p.ahead(t, vals[t], s) {
					continue
				}
				from[t], vals[t] = append(from[t], s), append(vals[t], read[i])
				visit()
				from[t], vals[t] = from[t][:len(from[t])-1], vals[t][:len(vals[t])-1]
			}
		}
		if !open {
			end(from, vals)
		}
	}
	visit()
	return ok
}

// ahead reports whether a source of the same thread comes after what was read so far.
func (p *C11Program) ahead(t int, vals []int, s c11Source) bool {
	events, _, _ := p.run(t, vals)
	return s.index >= len(events)-1
}

// all returns the events of all threads, without open reads, and the values of writes.
func (p *C11Program) all(vals [][]int) (C11Graph, []int) {
	var out C11Graph
	var values []int
	for t := range p.Threads {
		events, v, more := p.run(t, vals[t])
		if more {
			events, v = events[:len(events)-1], v[:len(v)-1]
		}
		out, values = append(out, events...), append(values, v...)
	}
	return out, values
}

// graph returns the graph with the sources of all reads, and the values of writes.
func (p *C11Program) graph(from [][]c11Source, vals [][]int) (C11Graph, []int) {
	g, values := p.all(vals)
	reads := make([]int, len(p.Threads))
	for i := range g {
		if g[i].Kind != 'R' {
			continue
		}
		s := from[g[i].Thread][reads[g[i].Thread]]
		reads[g[i].Thread]++
		g[i].From = slices.IndexFunc(g, func(e C11Event) bool { return e.Thread == s.thread && e.Index == s.index })
	}
	return g, values
}

// end adds the class of a graph to which nothing can be added, if it is consistent.
func (p *C11Program) end(from [][]c11Source, vals [][]int, classes map[string]*C11Class, race *bool) {
	g, values := p.graph(from, vals)
	waits := false
	for t, list := range vals {
		n := slices.IndexFunc(p.Threads[t], func(op C11Op) bool { return op.Kind == 'L' })
		if n >= 0 && len(list) > 0 && g.lastWaits(t, list[len(list)-1]) {
			waits = true
		}
	}
	var c *C11Class
	left := g.withoutWaits(vals, len(p.Threads))
	g.Orders(p.Locs, func(mo [][]int) {
		if c == nil {
			c = &C11Class{Key: g.Key(), Last: map[string]bool{}}
		}
		c.Orders++
		sc := left.SC(mo)
		c.SC = c.SC || sc
		last := ""
		for _, list := range mo {
			last += fmt.Sprint(list[max(0, len(list)-1):])
		}
		c.Last[last] = c.Last[last] || sc
		final := ""
		for l, list := range mo {
			v := 0
			if len(list) > 0 {
				v = values[list[len(list)-1]]
			}
			final += fmt.Sprintf("v%d=%d ", l, v)
		}
		if !slices.Contains(c.Finals, final) {
			c.Finals = append(c.Finals, final)
		}
	})
	if c == nil {
		return
	}
	c.Race = g.C11Race()
	*race = *race || c.Race
	p.Weak = p.Weak || !c.SC
	for _, sc := range c.Last {
		p.WeakLast = p.WeakLast || !sc && !waits
	}
	if !waits {
		classes[c.Key] = c
	}
}

// withoutWaits returns the graph in which locks that wait read nothing.
func (g C11Graph) withoutWaits(vals [][]int, threads int) C11Graph {
	out := slices.Clone(g)
	for t := range threads {
		if n := len(vals[t]); n > 0 && g.lastWaits(t, vals[t][n-1]) {
			for i := range out {
				if out[i].Thread == t && !slices.ContainsFunc(out[i+1:], func(e C11Event) bool { return e.Thread == t }) {
					out[i].Kind = 'F'
				}
			}
		}
	}
	return out
}

// lastWaits reports whether the last event of a thread is a lock that has read v, and waits.
func (g C11Graph) lastWaits(t, v int) bool {
	last := -1
	for i := range g {
		if g[i].Thread == t {
			last = i
		}
	}
	return last >= 0 && g[last].Kind == 'R' && g[last].Lock && v != 0
}

// Key names the class of a graph: per thread, the reads with their sources, and which fail without a reason. An access of a read-modify-write counts once.
func (g C11Graph) Key() string {
	number := make([]int, len(g)) // of an access in its thread
	count := map[int]int{}
	for i := range g {
		if g[i].Kind == 'F' {
			continue
		}
		if g[i].Update {
			number[i] = count[g[i].Thread] - 1
			continue
		}
		number[i] = count[g[i].Thread]
		count[g[i].Thread]++
	}
	var parts []string
	for i := range g {
		if g[i].Kind == 'R' {
			s := "init"
			if f := g[i].From; f >= 0 {
				s = fmt.Sprintf("%d.%d", g[f].Thread, number[f])
			}
			if g[i].NoReason {
				s += "!"
			}
			parts = append(parts, fmt.Sprintf("%d.%d<-%s", g[i].Thread, number[i], s))
		}
	}
	return strings.Join(parts, " ")
}
