package lin

import (
	"slices"

	"fencepost/internal/question/harness"
)

// Clients: all of them with a number of concurrent calls, up to the order of threads and the names of values.
//
// A thread makes one call, or a call and the one that ends what it begins, as lock and unlock; one thread for each role
// makes the calls of its operations, in every order, and so does any thread for operations with variables of their thread. Before the threads, a prefix of calls fills the object;
// after them, a suffix takes everything out, so that what was lost shows.

// maxPrefix is the length of the longest prefix.
const maxPrefix = 2

// maxTurns is how many calls a thread without a role makes whose operations have variables of their thread.
const maxTurns = 3

// maxSuffix bounds the calls of the suffix.
const maxSuffix = 6

// clients lists the clients of an object with a number of concurrent calls and of calls before them. drains says
// that a suffix takes everything out.
func clients(o *Object, calls, prefix int, drains bool) []*client {
	var out []*client
	for _, before := range prefixes(o, prefix) {
		for _, columns := range allColumns(o, calls) {
			c := &client{prefix: before, threads: columns}
			for _, named := range named(c) {
				if drains {
					named.suffix = suffix(o, named)
				}
				out = append(out, named)
			}
		}
	}
	return out
}

var putVerb = verbOf("put", putWords)

// puts reports whether an operation puts something into the object, by its name.
func (o *Operation) puts() bool {
	given := slices.ContainsFunc(o.Params, func(p Param) bool { return p.Kind == ValueArg || p.Kind == KeyArg || p.Kind == BlockArg })
	name := snake(o.Name)
	return o.phase == harness.Puts || o.phase != harness.Takes && given && putVerb.words.MatchString(name) && !finds.MatchString(name)
}

// fillers returns the operations of prefixes: operations that put something, or all if none does.
func fillers(o *Object) []*Operation {
	var puts, all []*Operation
	for _, op := range o.Ops {
		if op.Ends != nil || op.ended {
			continue
		}
		all = append(all, op)
		if op.puts() {
			puts = append(puts, op)
		}
	}
	if len(puts) > 0 {
		return puts
	}
	return all
}

func prefixes(o *Object, length int) [][]call {
	out := [][]call{nil}
	for range length {
		var longer [][]call
		for _, p := range out {
			for _, op := range fillers(o) {
				longer = append(longer, append(slices.Clone(p), call{op: op}))
			}
		}
		out = longer
	}
	return out
}

// allColumns lists the ways in which threads make a number of calls.
func allColumns(o *Object, calls int) [][][]call {
	var units [][]call // of threads without a role
	roles := map[string][]*Operation{}
	var names []string
	var state []*Operation
	for _, op := range o.Ops {
		if op.state && op.Role == "" {
			state = append(state, op)
		}
		switch {
		case op.Role != "":
			if roles[op.Role] == nil {
				names = append(names, op.Role)
			}
			roles[op.Role] = append(roles[op.Role], op)
		case op.Ends != nil:
			units = append(units, []call{{op: op}, {op: op.Ends}})
		case !op.ended:
			units = append(units, []call{{op: op}})
		}
	}
	for n := 2; n <= min(calls-1, maxTurns) && len(state) > 0; n++ {
		for _, sequence := range sequences(state, n) {
			if len(sequence) > 2 || sequence[0].op.Ends == nil { // that is above
				units = append(units, sequence)
			}
		}
	}
	var out [][][]call
	var free func(columns [][]call, left, from int)
	free = func(columns [][]call, left, from int) {
		if left == 0 {
			if len(columns) > 1 {
				out = append(out, slices.Clone(columns))
			}
			return
		}
		for i := from; i < len(units); i++ {
			if len(units[i]) <= left {
				free(append(slices.Clip(columns), units[i]), left-len(units[i]), i)
			}
		}
	}
	var byRole func(columns [][]call, left, role int)
	byRole = func(columns [][]call, left, role int) {
		if role == len(names) {
			free(columns, left, 0)
			return
		}
		for n := range left + 1 {
			for _, sequence := range sequences(roles[names[role]], n) {
				next := columns
				if n > 0 {
					next = append(slices.Clip(columns), sequence)
				}
				byRole(next, left-n, role+1)
			}
		}
	}
	byRole(nil, calls, 0)
	return out
}

// sequences lists the sequences of calls of one thread. A call is followed at once by the one that ends what it begins.
func sequences(ops []*Operation, length int) [][]call {
	if length == 0 {
		return [][]call{nil}
	}
	var out [][]call
	for _, op := range ops {
		first := []call{{op: op}}
		if op.Ends != nil {
			first = append(first, call{op: op.Ends})
		}
		if op.ended || len(first) > length {
			continue
		}
		for _, rest := range sequences(ops, length-len(first)) {
			out = append(out, append(slices.Clone(first), rest...))
		}
	}
	return out
}

// named gives the calls of a client arguments: values that no other call has, and every choice of keys up to their names.
func named(c *client) []*client {
	type argument struct{ call, param int }
	var keys []argument
	calls := c.all()
	value := 0
	for i := range calls {
		calls[i].args = make([]int, len(calls[i].op.Params))
		for j, p := range calls[i].op.Params {
			switch p.Kind {
			case ValueArg, BlockArg:
				value++
				calls[i].args[j] = value
			case KeyArg:
				if _, is := calls[i].op.handed[j]; !is || beginOf(calls, i) == nil {
					keys = append(keys, argument{i, j})
				}
			case FixedArg:
				calls[i].args[j] = p.Low
			}
		}
	}
	var out []*client
	var choose func(k int)
	choose = func(k int) {
		if k == len(keys) {
			handOver(calls)
			if one := c.withCalls(calls); sortedThreads(one) {
				out = append(out, one)
			}
			return
		}
		at := keys[k]
		p := &calls[at.call].op.Params[at.param]
		for v := p.Low; v <= p.High; v++ {
			calls[at.call].args[at.param] = v
			if k == 0 && v > p.Low && symmetricKeys(calls, p) {
				break
			}
			choose(k + 1)
		}
	}
	choose(0)
	return out
}

// symmetricKeys reports whether all keys have the same range, so that the first one can be the smallest.
func symmetricKeys(calls []call, p *Param) bool {
	for i := range calls {
		for j := range calls[i].op.Params {
			if q := &calls[i].op.Params[j]; q.Kind == KeyArg && (q.Low != p.Low || q.High != p.High) {
				return false
			}
		}
	}
	return true
}

// sortedThreads reports whether neighbouring threads that make the same calls have their keys in order: the others
// are the same clients.
func sortedThreads(c *client) bool {
	for i := 1; i < len(c.threads); i++ {
		a, b := c.threads[i-1], c.threads[i]
		if len(a) != len(b) || !slices.EqualFunc(a, b, func(x, y call) bool { return x.op == y.op }) {
			continue
		}
		if slices.CompareFunc(a, b, func(x, y call) int { return slices.Compare(keysOf(&x), keysOf(&y)) }) > 0 {
			return false
		}
	}
	return true
}

// keysOf returns the keys among the arguments of a call.
func keysOf(c *call) []int {
	var out []int
	for j, p := range c.op.Params {
		if p.Kind == KeyArg {
			out = append(out, c.args[j])
		}
	}
	return out
}

// withCalls returns the client with other arguments.
func (c *client) withCalls(calls []call) *client {
	out := &client{}
	next := func(n int) []call {
		var list []call
		for range n {
			one := calls[0]
			one.args = slices.Clone(one.args)
			list, calls = append(list, one), calls[1:]
		}
		return list
	}
	out.prefix = next(len(c.prefix))
	for _, t := range c.threads {
		out.threads = append(out.threads, next(len(t)))
	}
	return out
}

// suffix returns calls that take out what a client has put in: the first operation that takes without an argument, once more
// than something was put; of sets, the first operation that looks for a key, for every key.
func suffix(o *Object, c *client) []call {
	for _, op := range o.Ops {
		if op.phase != harness.Takes && !finds.MatchString(op.Name) || op.ended || op.Ends != nil || op.slots() == 0 {
			continue
		}
		one := call{op: op, args: make([]int, len(op.Params))}
		key := slices.IndexFunc(op.Params, func(p Param) bool { return p.Kind == KeyArg })
		given := slices.ContainsFunc(op.Params, func(p Param) bool { return p.Kind == ValueArg || p.Kind == BlockArg })
		var out []call
		switch {
		case given:
			continue
		case key >= 0:
			for v := op.Params[key].Low; v <= op.Params[key].High; v++ {
				one.args = slices.Clone(one.args)
				one.args[key] = v
				out = append(out, one)
			}
			return out
		}
		n := 1
		for _, other := range c.all() {
			if other.op.puts() {
				n++
			}
		}
		for range min(n, maxSuffix) {
			out = append(out, one)
		}
		return out
	}
	return nil
}
