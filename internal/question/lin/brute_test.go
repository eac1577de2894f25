package lin

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/memory"
	"fencepost/query"
)

// Brute force: all interleavings of a client of a random object, with the events of calls, and every history checked against
// every sequence of the calls. It shares nothing with the search but the random object and the client. Every history counts, also
// one in which some calls are pending; states in which no thread can go on tell which calls wait for ever.

var objects = flag.Int("fp.objects", 40, "random objects per model")

// randomOp is an operation: statements on two variables and a register, which it returns.
type randomOp []statement

type statement struct {
	kind  byte // l load, s store, a fetch-and-add, c compare-exchange, f fence, or one that waits (brute_wait_test.go)
	at    int
	value int
	order string // under c11
	fail  string // the order of a compare-exchange that fails
}

func (s statement) c(order string) string {
	v := [...]string{"x", "y"}[s.at]
	if s.order != "" {
		order = s.order
	}
	switch s.kind {
	case 'l':
		return fmt.Sprintf("r = r * 3 + atomic_load_explicit(&%s, memory_order_%s);", v, order)
	case 's':
		return fmt.Sprintf("atomic_store_explicit(&%s, %d, memory_order_%s);", v, s.value, order)
	case 'a':
		return fmt.Sprintf("r = r * 3 + atomic_fetch_add_explicit(&%s, 1, memory_order_%s);", v, cmp.Or(s.order, "seq_cst"))
	case 'c':
		return fmt.Sprintf("{ int e = %d; r = r * 3 + atomic_compare_exchange_strong_explicit(&%s, &e, %d, memory_order_%s, memory_order_%s); }", s.value, v, s.value+1, cmp.Or(s.order, "seq_cst"), cmp.Or(s.fail, "seq_cst"))
	case 'f':
		return fmt.Sprintf("atomic_thread_fence(memory_order_%s);", cmp.Or(s.order, "seq_cst"))
	default:
		return s.waitC(v, order)
	}
}

func randomObject(r *rand.Rand) []randomOp {
	out := make([]randomOp, 2)
	for i := range out {
		for range 1 + r.IntN(3) {
			kind := "lllssacf"[r.IntN(8)]
			out[i] = append(out[i], statement{kind: kind, at: r.IntN(2), value: r.IntN(3)})
		}
	}
	return out
}

func text(ops []randomOp, order string) string {
	var b strings.Builder
	b.WriteString("#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x, y;\n")
	b.WriteString("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t condition = PTHREAD_COND_INITIALIZER;\n")
	for i, op := range ops {
		fmt.Fprintf(&b, "static int op%d(void) { int r = 0;", i)
		for _, s := range op {
			b.WriteString(" " + s.c(order))
		}
		b.WriteString(" return r; }\n")
	}
	return b.String()
}

// write is a store in a buffer.
type write struct{ at, value int }

// thread is how far a thread has come.
type bruteThread struct {
	call, pc, r int // the call, and -1 before it begins
	buffer      []write
	stores      int // so far
	flushed     int
	ends        []int // stores when each call had ended
	sleep       int   // at a condition: 3 about to wait, 1 asleep, 2 woken; 0: elsewhere
}

// bruteMem has the variables x and y, and whether the mutex is held.
type bruteMem [3]int

type bruteState struct {
	mem     bruteMem
	threads []bruteThread
	results [][]int
	before  [][]uint64 // by call: the calls that had returned, as bits of the number of the call
}

func (s *bruteState) clone() *bruteState {
	out := &bruteState{mem: s.mem}
	for _, t := range s.threads {
		t.buffer, t.ends = slices.Clone(t.buffer), slices.Clone(t.ends)
		out.threads = append(out.threads, t)
	}
	for i := range s.results {
		out.results = append(out.results, slices.Clone(s.results[i]))
		out.before = append(out.before, slices.Clone(s.before[i]))
	}
	return out
}

// brute explores one client: the operations of each thread.
type brute struct {
	ops     []randomOp
	threads [][]int
	start   bruteMem
	model   memory.Model
	returns query.Return
	seen    map[string]bool
	judged  map[string]bool
	wrong   bool
	stuck   bool // some execution comes to a state in which calls wait for ever
	all     bool // look at all states, and not only for the first history that is wrong
}

// run executes an operation alone. It reports whether the operation comes to its end.
func run(op randomOp, mem *bruteMem) (int, bool) {
	r := 0
	for _, s := range op {
		if s.waits() && !s.ready(mem) {
			return 0, false
		}
		r = exec(s, mem, r)
	}
	return r, true
}

// exec executes a statement on memory, and returns the register.
func exec(s statement, mem *bruteMem, r int) int {
	switch s.kind {
	case 'k':
		mem[2] = 1
	case 'u':
		mem[2] = 0
	case 'l':
		return r*3 + mem[s.at]
	case 's':
		mem[s.at] = s.value
	case 'a':
		mem[s.at]++
		return r*3 + mem[s.at] - 1
	case 'c':
		if mem[s.at] == s.value {
			mem[s.at]++
			return r*3 + 1
		}
		return r * 3
	}
	return r
}

// number returns the number of a call.
func (b *brute) number(t, i int) int {
	n := i
	for _, other := range b.threads[:t] {
		n += len(other)
	}
	return n
}

func (b *brute) explore(s *bruteState) {
	id := fmt.Sprint(s)
	if b.seen[id] || b.wrong && !b.all {
		return
	}
	b.seen[id] = true
	b.judge(s)
	over, ended := true, true
	for t := range s.threads {
		th := &s.threads[t]
		for k := range th.buffer {
			if k > 0 && (b.model != memory.PSO || slices.ContainsFunc(th.buffer[:k], func(w write) bool { return w.at == th.buffer[k].at })) {
				continue
			}
			over = false
			next := s.clone()
			nt := &next.threads[t]
			next.mem[nt.buffer[k].at] = nt.buffer[k].value
			nt.buffer = slices.Delete(nt.buffer, k, k+1)
			nt.flushed++
			b.explore(next)
		}
		if th.call == len(b.threads[t]) {
			continue
		}
		ended = false
		next := s.clone()
		woken := b.wakes(next, t)
		if woken || b.step(next, t) {
			over = over && woken // for no reason
			b.explore(next)
		}
	}
	b.stuck = b.stuck || over && !ended
}

// step lets a thread begin a call or execute a statement. It reports whether that was possible.
func (b *brute) step(s *bruteState, t int) bool {
	th := &s.threads[t]
	if th.pc < 0 {
		var before uint64
		for u := range s.threads {
			for i, stores := range s.threads[u].ends {
				if u == t || b.returns == query.ReturnOpen || s.threads[u].flushed >= stores {
					before |= 1 << b.number(u, i)
				}
			}
		}
		s.before[t] = append(s.before[t], before)
		th.pc, th.r = 0, 0
		return true
	}
	if th.sleep > 0 {
		return b.atCondition(s, t)
	}
	op := b.ops[b.threads[t][th.call]]
	if th.pc == len(op) && b.returns == query.ReturnDrains && len(th.buffer) > 0 {
		return false
	}
	if th.pc == len(op) {
		s.results[t] = append(s.results[t], th.r)
		th.ends = append(th.ends, th.stores)
		th.call, th.pc = th.call+1, -1
		return true
	}
	st := op[th.pc]
	switch {
	case st.kind == 's' && b.model != memory.SC:
		th.buffer = append(th.buffer, write{st.at, st.value})
		th.stores++
	case st.kind == 'l':
		at := len(th.buffer) - 1
		for at >= 0 && th.buffer[at].at != st.at {
			at--
		}
		if at >= 0 {
			th.r = th.r*3 + th.buffer[at].value
		} else {
			th.r = exec(st, &s.mem, th.r)
		}
	case st.kind == 'n':
		b.broadcast(s)
	case st.kind == 'w' && b.visible(s, t, st.at) != st.value:
		return false
	case st.kind == 'w':
	case st.kind == 'v' && b.visible(s, t, st.at) == st.value:
	case st.kind == 'v': // the next step after those of the condition is at the statement again
		th.sleep = 3
		return true
	case len(th.buffer) > 0: // fences, read-modify-writes and what is done to a mutex drain
		return false
	case st.kind == 'k' && s.mem[2] != 0:
		return false
	default:
		th.r = exec(st, &s.mem, th.r)
	}
	th.pc++
	return true
}

// judge tries all sequences of the calls that have returned and of some that have only begun.
func (b *brute) judge(s *bruteState) {
	id := fmt.Sprint(s.results, s.before)
	if b.judged[id] {
		return
	}
	b.judged[id] = true
	calls := b.number(len(b.threads), 0)
	op, want, before := make([]int, calls), make([]int, calls), make([]uint64, calls)
	var begun, returned uint64
	for t := range b.threads {
		for i := range s.before[t] {
			n := b.number(t, i)
			op[n], before[n], begun = b.threads[t][i], s.before[t][i], begun|1<<n
			if i < len(s.results[t]) {
				want[n], returned = s.results[t][i], returned|1<<n
			}
		}
	}
	b.wrong = b.wrong || !b.hasSequence(op, want, before, begun, returned)
}

// hasSequence reports whether a sequence of all calls that have returned and some that have begun returns what is wanted. before has
// the calls that had returned when each call began.
func (b *brute) hasSequence(op, want []int, before []uint64, begun, returned uint64) bool {
	var try func(done uint64, mem bruteMem) bool
	try = func(done uint64, mem bruteMem) bool {
		if returned&^done == 0 {
			return true
		}
		for n := range op {
			if (begun&^done)>>n&1 == 0 || before[n]&^done != 0 {
				continue
			}
			after := mem
			if r, ends := run(b.ops[op[n]], &after); ends && (returned>>n&1 == 0 || r == want[n]) && try(done|1<<n, after) {
				return true
			}
		}
		return false
	}
	return try(0, b.start)
}

// randomClient returns the operations that threads call, and those before them.
func randomClient(r *rand.Rand, model memory.Model, returns query.Return) (prefix []int, threads [][]int) {
	for range r.IntN(3) {
		prefix = append(prefix, r.IntN(2))
	}
	for range 3 {
		threads = append(threads, []int{r.IntN(2)})
	}
	// Under PSO, a client that says in memory that a call has returned orders more than the stores of this call.
	if (model != memory.PSO || returns != "") && r.IntN(3) == 0 {
		threads[0], threads = append(threads[0], threads[1]...), append(threads[:1], threads[2])
	}
	return prefix, threads
}

// TestBrute compares the search in one client with brute force.
func TestBrute(t *testing.T) {
	for _, model := range []memory.Model{memory.SC, memory.TSO, memory.PSO, memory.C11} {
		t.Run(model.String(), func(t *testing.T) {
			wrongs, pending, stuck := 0, 0, 0
			for seed := range *objects {
				returns := query.Return("")
				if model == memory.TSO || model == memory.PSO {
					returns = []query.Return{"", query.ReturnOpen, query.ReturnDrains}[seed%3]
				}
				wrong, failed := compare(t, uint64(seed), model, returns)
				if failed {
					stuck++
				}
				if wrong == nil {
					continue
				}
				if wrongs++; wrong.client.pending != 0 {
					pending++
				}
			}
			if wrongs == 0 || wrongs == *objects || *objects >= 1000 && (pending == 0 || stuck == 0) {
				t.Errorf("of %d objects, %d go wrong, %d of them while calls are pending, and %d wait for ever: the test compares nothing", *objects, wrongs, pending, stuck)
			}
			t.Logf("of %d objects, %d go wrong, %d of them while calls are pending, and %d wait for ever", *objects, wrongs, pending, stuck)
		})
	}
}

// compare compares the answers for one object, and returns that of the search.
func compare(t *testing.T, seed uint64, model memory.Model, returns query.Return) (wrong *found, failed bool) {
	b, ends, q, c := randomQuestion(seed, model, returns)
	search, err := q.search(context.Background(), model)
	if err != nil {
		t.Fatal(err)
	}
	wrong, failed, err = search.inClient(context.Background(), c)
	if err != nil || search.bounds != nil || failed != (ends && b.stuck) {
		t.Errorf("seed %d under %s, --return %q: a deadlock %v (%v), brute force says %v\n%s\n%s", seed, model, returns, failed, err, ends && b.stuck, q.in.Text, c)
	}
	if b.wrong = b.wrong && !failed; (wrong != nil) != b.wrong {
		t.Errorf("seed %d under %s, --return %q: wrong %v, brute force says %v\n%s\n%s", seed, model, returns, wrong, b.wrong, q.in.Text, c)
	}
	return wrong, failed
}

// randomQuestion returns a random object with a client, and what brute force says about it.
func randomQuestion(seed uint64, model memory.Model, returns query.Return) (b *brute, ends bool, q *question, c *client) {
	r := rand.New(rand.NewPCG(seed, uint64(model)))
	ops := randomObject(r)
	prefix, threads := randomClient(r, model, returns)
	if seed%2 == 1 {
		addWaits(r, ops, model)
	}
	if model == memory.C11 {
		withOrders(r, ops)
	}
	b = &brute{ops: ops, threads: threads, model: model, returns: returns, seen: map[string]bool{}, judged: map[string]bool{}}
	ends = b.decide(prefix)

	in := query.Input{Name: "object.h", Text: []byte(text(ops, "relaxed"))}
	object := &Object{Ops: []*Operation{{Name: "op0", Result: "int"}, {Name: "op1", Result: "int"}}}
	q = &question{in: in, object: object, opt: query.LinOptions{Return: returns}}
	c = &client{}
	for _, p := range prefix {
		c.prefix = append(c.prefix, call{op: object.Ops[p]})
	}
	for _, th := range threads {
		var calls []call
		for _, o := range th {
			calls = append(calls, call{op: object.Ops[o]})
		}
		c.threads = append(c.threads, calls)
	}
	return b, ends, q, c
}

// decide looks at all executions of a client after a prefix. It reports whether all calls come to their end one at a time, if
// calls that would wait let others go first.
func (b *brute) decide(prefix []int) (ends bool) {
	for _, p := range prefix {
		if _, ends := run(b.ops[p], &b.start); !ends {
			return false // no concurrent call begins
		}
	}
	ends = b.alwaysEnds()
	b.all = ends
	if b.model == memory.C11 {
		newBruteGraphs(b).build()
		return ends
	}
	s := &bruteState{mem: b.start, results: make([][]int, len(b.threads)), before: make([][]uint64, len(b.threads)), threads: make([]bruteThread, len(b.threads))}
	for i := range s.threads {
		s.threads[i].pc = -1
	}
	b.explore(s)
	return ends
}
