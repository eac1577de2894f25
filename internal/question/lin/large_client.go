package lin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Large clients: 20 to 200 random calls in a few threads. Each has too many executions to explore all, so random
// schedules run some of them.
//
// Results alone do not tell what real time rules out. So a thread reads, before a call, how many
// calls of other threads have returned; a call ends with a release store, and reading is an acquire load. A call
// comes after the calls that were seen to have returned.

// largeClient is a large client.
type largeClient struct {
	client
	reads [][]int // per concurrent call: the threads whose counters are read before it
}

const (
	doneCount = "lin_done" // by thread: how many calls have returned
	seenName  = "lin_seen"

	maxColumns = 4 // threads without a role
)

// unlikely is a value that no call returns.
const unlikely = -7_340_032_009

// newLargeClient draws a client with a number of concurrent calls. reading is how many of 4 counters are read before a call.
func newLargeClient(r *rand.Rand, o *Object, calls, reading int, drains bool) *largeClient {
	out := &largeClient{}
	roles := map[string][]*Operation{}
	var names []string
	var free []*Operation
	for _, op := range o.Ops {
		switch {
		case op.ended:
		case op.Role == "":
			free = append(free, op)
		default:
			if roles[op.Role] == nil {
				names = append(names, op.Role)
			}
			roles[op.Role] = append(roles[op.Role], op)
		}
	}
	columns := make([][]*Operation, 0, len(names)+maxColumns)
	for _, name := range names {
		columns = append(columns, roles[name])
	}
	if len(free) > 0 {
		for range max(2-len(names), 1) + r.IntN(maxColumns-1) {
			columns = append(columns, free)
		}
	}
	fill := fillers(o)
	for range min(r.IntN(maxPrefix+1), maxPrefix*len(fill)) {
		out.prefix = append(out.prefix, call{op: fill[r.IntN(len(fill))]})
	}
	out.threads = make([][]call, len(columns))
	inside, takes := make([]bool, len(columns)), make([][]*Operation, len(columns))
	for t := range columns {
		for _, op := range columns[t] {
			if !op.puts() {
				takes[t] = append(takes[t], op)
			}
		}
	}
	for n := 0; n < calls; {
		t := r.IntN(len(columns))
		op := columns[t][r.IntN(len(columns[t]))]
		if op.puts() && inside[t] && takes[t] != nil { // an object with little room has at most one element of each thread
			op = takes[t][r.IntN(len(takes[t]))]
		}
		inside[t] = op.puts()
		out.threads[t] = append(out.threads[t], call{op: op})
		if n++; op.Ends != nil {
			out.threads[t] = append(out.threads[t], call{op: op.Ends})
			n++
		}
	}
	out.threads = slices.DeleteFunc(out.threads, func(calls []call) bool { return len(calls) == 0 })
	if drains {
		out.suffix = longSuffix(o, &out.client)
	}
	out.name(r)
	for t := range out.threads {
		for range out.threads[t] {
			var reads []int
			for u := range out.threads {
				if u != t && r.IntN(4) < reading {
					reads = append(reads, u)
				}
			}
			out.reads = append(out.reads, reads)
		}
	}
	return out
}

// longSuffix returns calls that take out everything that a large client has put in.
func longSuffix(o *Object, c *client) []call {
	out := suffix(o, c)
	if len(out) < maxSuffix || keyed(out[0].op) {
		return out
	}
	puts := 1
	for _, one := range c.all() {
		if one.op.puts() {
			puts++
		}
	}
	return slices.Repeat(out[:1], puts)
}

// name gives the calls arguments: values that no other call has, and random keys.
func (c *largeClient) name(r *rand.Rand) {
	value := 0
	of := func(one *call) {
		given := one.args
		one.args = make([]int, len(one.op.Params))
		copy(one.args, given)
		for j, p := range one.op.Params {
			switch p.Kind {
			case ValueArg, BlockArg:
				value++
				one.args[j] = value
			case KeyArg:
				if given == nil {
					one.args[j] = p.Low + r.IntN(p.High-p.Low+1)
				}
			case FixedArg:
				one.args[j] = p.Low
			}
		}
	}
	for i := range c.prefix {
		of(&c.prefix[i])
	}
	for t := range c.threads {
		for i := range c.threads[t] {
			of(&c.threads[t][i])
		}
		handOver(c.threads[t])
	}
	for i := range c.suffix {
		of(&c.suffix[i])
	}
}

// keyed reports whether an operation takes a key.
func keyed(op *Operation) bool {
	return slices.ContainsFunc(op.Params, func(p Param) bool { return p.Kind == KeyArg })
}

// keep returns the client without the concurrent calls that are not kept. What a call ends goes with it.
func (c *largeClient) keep(kept []bool) *largeClient {
	out := &largeClient{client: client{prefix: c.prefix, suffix: c.suffix}}
	renamed := map[int]int{}
	n := 0
	for t := range c.threads {
		var list []call
		for _, one := range c.threads[t] {
			if kept[n] {
				list, out.reads = append(list, one), append(out.reads, c.reads[n])
			}
			n++
		}
		if len(list) > 0 {
			renamed[t] = len(out.threads)
			out.threads = append(out.threads, list)
		}
	}
	if len(c.suffix) > 0 && !keyed(c.suffix[0].op) {
		puts := 1
		for _, one := range slices.Concat(out.prefix, out.concurrent()) {
			if one.op.puts() {
				puts++
			}
		}
		out.suffix = c.suffix[:min(puts, len(c.suffix))]
	}
	for i, reads := range out.reads {
		var left []int
		for _, u := range reads {
			if v, ok := renamed[u]; ok {
				left = append(left, v)
			}
		}
		out.reads[i] = left
	}
	return out
}

// slots returns how many results there are, and how many counters are read.
func (c *largeClient) slots() (results, reads int) {
	slots := c.slotOf()
	for _, l := range c.reads {
		reads += len(l)
	}
	return slots[len(slots)-1], reads
}

// reading writes a large client as C. Its assertion excludes the results and counters of one execution: nil stands for values
// that no execution has, so that the program is the same but for numbers.
func (w *writer) reading(c *largeClient, excluded []int64, why string) string {
	var b strings.Builder
	if why != "" {
		fmt.Fprintf(&b, "// %s\n", strings.ReplaceAll(why, "\n", "\n// "))
	}
	b.WriteString("#include <assert.h>\n#include <stdatomic.h>\n")
	w.head(&b, &c.client)
	results, reads := c.slots()
	fmt.Fprintf(&b, "static atomic_int %s[%d]; // by thread: how many of its calls have returned\n", doneCount, len(c.threads))
	if reads > 0 {
		fmt.Fprintf(&b, "static int %s[%d];\n", seenName, reads)
	}
	n, slot := 0, 0
	for t, calls := range c.threads {
		fmt.Fprintf(&b, "\nstatic void *thread_%d(void *unused) {\n", t+1)
		first := slot
		for i := range calls {
			for _, u := range c.reads[n] {
				fmt.Fprintf(&b, "  int lin_seen_%d = atomic_load_explicit(&%s[%d], memory_order_acquire);\n", slot, doneCount, u)
				slot++
			}
			b.WriteString(w.call(&c.client, len(c.prefix)+n, "  "))
			if w.returns != "" { // drains
				b.WriteString("  atomic_thread_fence(memory_order_seq_cst);\n")
			}
			fmt.Fprintf(&b, "  atomic_store_explicit(&%s[%d], %d, memory_order_release);\n", doneCount, t, i+1)
			n++
		}
		for k := first; k < slot; k++ {
			fmt.Fprintf(&b, "  %s[%d] = lin_seen_%d;\n", seenName, k, k)
		}
		b.WriteString("  return 0;\n}\n")
	}
	b.WriteString("\nint main(void) {\n")
	w.begin(&b, &c.client)
	threads(&b, &c.client, &imposed{})
	w.end(&b, &c.client)
	b.WriteString("  long lin_other = 0; // results and reads that are not those of the execution\n")
	for k := range results + reads {
		v := int64(unlikely)
		if excluded != nil {
			v = excluded[k]
		}
		name := fmt.Sprintf("%s[%d]", resultName, k)
		if k >= results {
			name = fmt.Sprintf("%s[%d]", seenName, k-results)
		}
		fmt.Fprintf(&b, "  lin_other |= %s ^ %dL;\n", name, v)
	}
	b.WriteString("  assert(lin_other);\n  return 0;\n}\n")
	return b.String()
}
