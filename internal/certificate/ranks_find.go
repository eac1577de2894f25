package certificate

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The search for ranks; nothing relies on it.

// ranker has the graph of all states, as far as endless executions are concerned.
type ranker struct {
	x      *replay.Stepper
	c      *closure
	props  *property.Set
	local  bool // local steps are taken at once
	number map[string]int
	states []ranking
	before [][]int // by state: the states from which a step leads to it
}

// ranking is a state of the graph.
type ranking struct {
	ends, empty bool    // ends: a distance begins there
	counts      [2]bool // for levels
	open        []replay.Condition
	to          []int
	met         []replay.Condition // by step
}

func (r *ranker) numberOf(key string) int {
	n, known := r.number[key]
	if !known {
		n = len(r.states)
		r.number[key] = n
		r.states = append(r.states, ranking{})
	}
	return n
}

// note notes a state.
func (r *ranker) note(s replay.State, next []replay.Move, bound int) error {
	a := r.x.Around(s, next, bound)
	out := ranking{ends: a.Ends() || r.props.Fairness == 0 && a.Changes(), empty: a.Empty()}
	if isWeak(r.props) {
		out.counts, out.open = [2]bool{a.Counts(false), a.Counts(true)}, a.Open()
	}
	for i := range a.Ways {
		after, err := r.c.runLocal(a.Ways[i].To)
		if err != nil {
			return err
		}
		out.to = append(out.to, r.numberOf(r.x.Encode(after)))
		out.met = append(out.met, a.Ways[i].Met())
	}
	r.states[r.numberOf(r.x.Encode(s))] = out
	return nil
}

// link notes from which states each is reached by a step.
func (r *ranker) link() {
	r.before = make([][]int, len(r.states))
	for n := range r.states {
		for _, to := range r.states[n].to {
			r.before[to] = append(r.before[to], n)
		}
	}
}

// ranks returns the numbers of all states, whose keys are in order, and as bytes. bad says what is wrong, if something is.
func (r *ranker) ranks(keys []string) (body []byte, bad string) {
	r.link()
	if !isWeak(r.props) {
		distances := r.distances()
		for n := range r.states {
			if distances[n] == 0 && r.states[n].empty && r.props.Fairness != 0 {
				return nil, "some state has no execution that ends"
			}
		}
		return r.distanceBody(keys, distances), ""
	}
	for v := range 2 {
		levels, of, left := r.levels(v)
		if left && r.props.Starving != "" {
			return nil, "a thread can starve in a fair execution"
		} else if left {
			return nil, "a fair execution never ends"
		}
		body = r.appendNumbers(appendLevels(body, levels), keys, of)
	}
	return body, ""
}

// distanceBody returns the distances of all states as bytes.
func (r *ranker) distanceBody(keys []string, distances []int) []byte {
	local := byte(0)
	if r.local {
		local = 1
	}
	return r.appendNumbers([]byte{local}, keys, distances)
}

// unfit reports whether local steps were taken at once where some state needs the definition.
func (r *ranker) unfit() bool {
	if !r.local {
		return false
	}
	r.link()
	for n, d := range r.distances() {
		if d == 0 && (r.props.Fairness == 0 || r.states[n].empty) {
			return true
		}
	}
	return false
}

func appendLevels(body []byte, levels []replay.Condition) []byte {
	body = binary.AppendUvarint(body, uint64(len(levels)))
	for _, c := range levels {
		buffer := byte(0)
		if c.Buffer {
			buffer = 1
		}
		body = binary.AppendUvarint(append(binary.AppendUvarint(body, uint64(c.Thread)), buffer), c.Addr)
	}
	return body
}

// appendNumbers adds the numbers of all states, in the order of their keys.
func (r *ranker) appendNumbers(body []byte, keys []string, numbers []int) []byte {
	for _, key := range keys {
		body = binary.AppendUvarint(body, uint64(numbers[r.number[key]]))
	}
	return body
}

// proof returns the numbers of all states as bytes. The error is a *Refuted if an endless execution counts.
func (r *ranker) proof(keys []string) ([]byte, error) {
	body, bad := r.ranks(keys)
	if bad == "" {
		var err error
		if bad, err = r.endless(); err != nil {
			return nil, err
		}
	}
	if bad != "" {
		return nil, &Refuted{What: bad, Edge: ir.NoEdge, Beyond: r.x.Keeps()} // engines may have such blocks in memory
	}
	return body, nil
}

// distances returns for each state 1 plus the number of steps to an end, 0 if none is reached.
func (r *ranker) distances() []int {
	out := make([]int, len(r.states))
	var todo []int
	for n := range r.states {
		if r.states[n].ends {
			out[n] = 1
			todo = append(todo, n)
		}
	}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		for _, b := range r.before[n] {
			if out[b] == 0 {
				out[b] = out[n] + 1
				todo = append(todo, b)
			}
		}
	}
	return out
}

// levels takes a state away if no way through the remaining states leads from it past some condition, until there is no such
// state [Emerson and Lei 1986]. left says that some states remain.
func (r *ranker) levels(v int) (levels []replay.Condition, of []int, left bool) {
	in, of := make([]bool, len(r.states)), make([]int, len(r.states))
	var all []replay.Condition
	for n := range r.states {
		in[n] = r.states[n].counts[v]
		for _, c := range r.states[n].open {
			if (v == 0 || !c.Buffer) && !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, c := range all {
			again := r.again(in, c)
			level := false
			for n := range in {
				if in[n] && !again[n] {
					in[n], of[n], level = false, len(levels)+1, true
				}
			}
			if level {
				levels, changed = append(levels, c), true
			}
		}
	}
	return levels, of, slices.Contains(in, true)
}

// again returns the states from which a way of at least one step leads, inside a set, past a condition.
func (r *ranker) again(in []bool, c replay.Condition) []bool {
	out := make([]bool, len(in))
	var todo []int
	for n := range in {
		s := &r.states[n]
		if !in[n] {
			continue
		}
		meets := !slices.Contains(s.open, c)
		for k, to := range s.to {
			if in[to] && (meets || s.met[k] == c) && !out[n] {
				out[n] = true
				todo = append(todo, n)
			}
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range r.before[n] {
			if in[b] && !out[b] {
				out[b] = true
				todo = append(todo, b)
			}
		}
	}
	return out
}

// endless notes the states without a distance for the definition, which returns what is wrong with them.
func (r *ranker) endless() (string, error) {
	if isWeak(r.props) || r.props.Fairness != 0 {
		return "", nil
	}
	distances := r.distances()
	for key, n := range r.number {
		if distances[n] > 0 {
			continue
		}
		s, err := r.x.Decode(key)
		if err != nil {
			return "", err
		}
		next, err := r.x.Next(s)
		if err != nil {
			return "", err
		}
		r.x.Note(s, next)
	}
	return r.x.Endless(), nil
}
