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
// every sequence of the calls. It shares nothing with the search but the random object and the client.

var objects = flag.Int("fp.objects", 40, "random objects per model")

// randomOp is an operation: statements on two variables and a register, which it returns.
type randomOp []statement

type statement struct {
	kind  byte // l load, s store, a fetch-and-add, c compare-exchange, f fence
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
	default:
		return fmt.Sprintf("atomic_thread_fence(memory_order_%s);", cmp.Or(s.order, "seq_cst"))
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
	b.WriteString("#include <stdatomic.h>\nstatic atomic_int x, y;\n")
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
}

type bruteState struct {
	mem     [2]int
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
	start   [2]int
	model   memory.Model
	returns query.Return
	seen    map[string]bool
	wrong   bool
}

// run executes an operation alone.
func run(op randomOp, mem *[2]int) int {
	r := 0
	for _, s := range op {
		r = exec(s, mem, r)
	}
	return r
}

// exec executes a statement on memory, and returns the register.
func exec(s statement, mem *[2]int, r int) int {
	switch s.kind {
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
	if b.seen[id] || b.wrong {
		return
	}
	b.seen[id] = true
	over := true
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
		over = false
		if next := s.clone(); b.step(next, t) {
			b.explore(next)
		}
	}
	if over {
		b.judge(s)
	}
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
	case len(th.buffer) > 0: // fences and read-modify-writes drain
		return false
	default:
		th.r = exec(st, &s.mem, th.r)
	}
	th.pc++
	return true
}

// judge tries all sequences of the calls.
func (b *brute) judge(s *bruteState) {
	calls := b.number(len(b.threads), 0)
	op, want, before := make([]int, calls), make([]int, calls), make([]uint64, calls)
	for t := range b.threads {
		for i := range b.threads[t] {
			n := b.number(t, i)
			op[n], want[n], before[n] = b.threads[t][i], s.results[t][i], s.before[t][i]
		}
	}
	var try func(done uint64, mem [2]int) bool
	try = func(done uint64, mem [2]int) bool {
		if done == 1<<calls-1 {
			return true
		}
		for n := range calls {
			after := mem
			if done>>n&1 == 0 && before[n]&^done == 0 && run(b.ops[op[n]], &after) == want[n] && try(done|1<<n, after) {
				return true
			}
		}
		return false
	}
	b.wrong = b.wrong || !try(0, b.start)
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
			wrongs := 0
			for seed := range *objects {
				returns := query.Return("")
				if model == memory.TSO || model == memory.PSO {
					returns = []query.Return{"", query.ReturnOpen, query.ReturnDrains}[seed%3]
				}
				if compare(t, uint64(seed), model, returns) {
					wrongs++
				}
			}
			if wrongs == 0 || wrongs == *objects {
				t.Errorf("%d of %d objects go wrong: the test compares nothing", wrongs, *objects)
			}
		})
	}
}

// compare compares the answers for one object.
func compare(t *testing.T, seed uint64, model memory.Model, returns query.Return) bool {
	r := rand.New(rand.NewPCG(seed, uint64(model)))
	ops := randomObject(r)
	prefix, threads := randomClient(r, model, returns)
	b := &brute{ops: ops, threads: threads, model: model, returns: returns, seen: map[string]bool{}}
	if model == memory.C11 {
		withOrders(r, ops)
	}
	for _, p := range prefix {
		run(ops[p], &b.start)
	}
	s := &bruteState{mem: b.start, results: make([][]int, len(threads)), before: make([][]uint64, len(threads)), threads: make([]bruteThread, len(threads))}
	for i := range s.threads {
		s.threads[i].pc = -1
	}
	if model == memory.C11 {
		b.wrong = newBruteGraphs(b).wrong()
	} else {
		b.explore(s)
	}

	in := query.Input{Name: "object.h", Text: []byte(text(ops, "relaxed"))}
	object := &Object{Ops: []*Operation{{Name: "op0", Result: "int"}, {Name: "op1", Result: "int"}}}
	q := &question{in: in, object: object, opt: query.LinOptions{Return: returns}}
	search, err := q.search(context.Background(), model)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{}
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
	wrong, failed, err := search.inClient(context.Background(), c)
	if err != nil || failed {
		t.Fatalf("seed %d under %s: %v %v\n%s\n%s", seed, model, failed, err, in.Text, c)
	}
	if (wrong != nil) != b.wrong {
		t.Errorf("seed %d under %s, --return %q: wrong %v, brute force says %v\n%s\n%s", seed, model, returns, wrong, b.wrong, in.Text, c)
	}
	return b.wrong
}
