package certificate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The kind "histories": whatever the calls of a client return, a sequence of the calls explains it, also in real time.
//
// A client is a program that imposes an order of its calls: which return before which others begin. The proof has, for some
// orders, all that the calls can return, and a proof of another kind that the program returns nothing else. What explains
// results is a sequence of the calls, in which they return the same one at a time.
//
// A history is results, and an order with which they are possible. Take one which nothing explains, and some sequence for
// its results. The order contradicts this sequence: two calls come in it the other way round. So the results are possible with
// the order of these two alone, beside that of the calls in threads; and the same can be said of the next sequence that
// this does not contradict. The search below goes this way, over all pairs, and finds every such history.

// MaxCalls is how many calls of a client can have an order.
const MaxCalls = 8

// Order is an order of calls: bit a*MaxCalls+b says that call a returns before call b begins.
type Order uint64

// Has reports whether call a returns before call b begins.
func (o Order) Has(a, b int) bool { return o>>(a*MaxCalls+b)&1 == 1 }

// With returns the order with one more pair, and all that follows.
func (o Order) With(a, b int) Order {
	o |= 1 << (a*MaxCalls + b)
	for k := range MaxCalls {
		for i := range MaxCalls {
			for j := range MaxCalls {
				if o.Has(i, k) && o.Has(k, j) {
					o |= 1 << (i*MaxCalls + j)
				}
			}
		}
	}
	return o
}

// isOrder reports whether the relation is an order of some calls.
func (o Order) isOrder(calls int) bool {
	for a := range MaxCalls {
		for b := range MaxCalls {
			if o.Has(a, b) && (a == b || a >= calls || b >= calls || o.With(a, b) != o) {
				return false
			}
		}
	}
	return true
}

// total reports whether any two calls are ordered.
func (o Order) total(calls int) bool {
	for a := range calls {
		for b := range a {
			if !o.Has(a, b) && !o.Has(b, a) {
				return false
			}
		}
	}
	return true
}

// allows reports whether a sequence of calls does not contradict the order.
func (o Order) allows(sequence []int) bool {
	for i, a := range sequence {
		for _, b := range sequence[:i] {
			if o.Has(a, b) {
				return false
			}
		}
	}
	return true
}

// Histories has the histories of one client.
type Histories struct {
	Calls   int
	Threads Order               // of the calls of each thread
	Pending uint64              // calls that need not return
	Alone   bool                // what the calls return in an order of all of them needs no explanation
	Can     map[Order][][]int64 // what the calls can return if an order is imposed, all of it
	// Sequences returns the sequences that explain results.
	Sequences func(results []int64) ([][]int, error)
	// Explore, if not nil, adds an order to Can. Only the search for a proof has it.
	Explore func(o Order) error
}

// ErrUnexplained says that nothing explains what calls may return.
var ErrUnexplained = errors.New("no sequence of the calls explains what they may return")

// Check returns an error unless every history is explained.
func (h *Histories) Check() error {
	if err := h.need(h.Threads); err != nil {
		return err
	}
	for _, results := range h.Can[h.Threads] {
		found, err := h.Sequences(results)
		if err != nil {
			return err
		}
		sequences := slices.Clone(found)
		slices.SortFunc(sequences, slices.Compare)
		if err := h.inRealTime(results, sequences, h.Threads, map[Order]bool{}); err != nil {
			return err
		}
	}
	return nil
}

// inRealTime returns an error if results are possible with an order, or one with more pairs, that contradicts all sequences.
func (h *Histories) inRealTime(results []int64, sequences [][]int, o Order, done map[Order]bool) error {
	if done[o] {
		return nil
	}
	done[o] = true
	k := slices.IndexFunc(sequences, o.allows)
	if k < 0 {
		return fmt.Errorf("%w: %v", ErrUnexplained, results)
	}
	for i, a := range sequences[k] {
		for _, b := range sequences[k][:i] {
			if o.Has(b, a) || h.Pending>>a&1 == 1 {
				continue
			}
			next := o.With(a, b)
			if h.Alone && next.total(h.Calls) {
				continue
			}
			possible, err := h.possible(next, results)
			if err == nil && possible {
				err = h.inRealTime(results, sequences, next, done)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// possible reports whether results may be possible with an order. They are not if they are not with a part of it.
func (h *Histories) possible(o Order, results []int64) (bool, error) {
	for {
		for part, all := range h.Can {
			if part&^o == 0 && !slices.ContainsFunc(all, func(r []int64) bool { return slices.Equal(r, results) }) {
				return false, nil
			}
		}
		if _, known := h.Can[o]; known {
			return true, nil
		}
		if err := h.need(o); err != nil {
			return false, err
		}
	}
}

// need sees to it that it is known what the calls can return with an order.
func (h *Histories) need(o Order) error {
	if _, known := h.Can[o]; known {
		return nil
	}
	if h.Explore == nil {
		return errors.New("the proof does not say what the calls can return in some order")
	}
	return h.Explore(o)
}

// Imposed has the results of a client if an order of its calls is imposed, and the proof that there are no others.
type Imposed struct {
	Order   Order
	Results [][]int64
	Proof   []byte
}

// AboutClients says what a certificate about clients is about: the model, the names of the clients, and the question.
func (c *Statement) AboutClients(model, clients, question string) {
	c.Model, c.Program, c.Question = model, sum([]byte(clients)), sum([]byte(question))
}

// Fits returns an error unless the certificate is about clients, and about these.
func (r *Reader) Fits(model, clients, question string) error {
	if r.Kind != KindHistories {
		return fmt.Errorf("the kind of proof %q is not for this question", r.Kind)
	}
	var now Statement
	now.AboutClients(model, clients, question)
	return r.is(&now)
}

// maxResults bounds the results of a client with one order, and the orders.
const maxResults = 1 << 20

// Client returns what is imposed on the next client, which has so many calls and results, with the orders of its threads.
func (r *Reader) Client(calls, slots int, threads Order) ([]Imposed, error) {
	var out []Imposed
	orders, err := binary.ReadUvarint(r)
	if err != nil || orders > maxResults {
		return nil, ErrDamaged
	}
	for range orders {
		o, err := binary.ReadUvarint(r)
		one := Imposed{Order: Order(o)}
		if err != nil || !one.Order.isOrder(calls) || threads&^one.Order != 0 {
			return nil, ErrDamaged
		}
		n, err := binary.ReadUvarint(r)
		if err != nil || n > maxResults {
			return nil, ErrDamaged
		}
		for range n {
			results := make([]int64, slots)
			for k := range results {
				if results[k], err = binary.ReadVarint(r); err != nil {
					return nil, ErrDamaged
				}
			}
			one.Results = append(one.Results, results)
		}
		var proof bytes.Buffer
		if n, err = binary.ReadUvarint(r); err != nil || n > 1<<40 {
			return nil, ErrDamaged
		}
		if copied, err := io.CopyN(&proof, r.in, int64(n)); err != nil || copied != int64(n) {
			return nil, ErrDamaged
		}
		one.Proof = proof.Bytes()
		out = append(out, one)
	}
	return out, nil
}

// End returns an error unless all of the proof was read, and the file is whole.
func (r *Reader) End() error { return r.end() }
