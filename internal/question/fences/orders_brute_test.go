package fences_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// writtenOrders returns the orders of the program, by choice.
func (p *orderText) writtenOrders() []ir.Order {
	var out []ir.Order
	for _, c := range p.choices {
		out = append(out, c.written)
	}
	return out
}

// domain returns the orders that a choice may have, as the page about orders says.
func (p *orderText) domain(c *choice) []ir.Order {
	c11, pso := slices.Contains(p.models, query.C11), slices.Contains(p.models, query.PSO)
	if c.gap {
		switch {
		case c11:
			return []ir.Order{ir.OrderUnset, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}
		case pso:
			return []ir.Order{ir.OrderUnset, ir.Release, ir.SeqCst}
		}
		return []ir.Order{ir.OrderUnset, ir.SeqCst}
	}
	weakest := c.written
	if p.weaken {
		weakest = ir.Relaxed
		if !c11 && !(pso && c.kind == ir.StoreAccess) {
			for _, o := range c.kind.Orders() { // the strongest that is free and not stronger than what is written
				if o != ir.SeqCst && o.AtMost(c.written) {
					weakest = o
				}
			}
		}
	}
	var out []ir.Order
	for _, o := range c.kind.Orders() {
		if o == weakest || weakest.AtMost(o) && (c11 || c.kind == ir.StoreAccess) {
			out = append(out, o)
		}
	}
	return out
}

// right asks about the program with orders as a user would.
func (p *orderText) right(t *testing.T, text string, models query.Models) bool {
	t.Helper()
	in := query.Input{Name: "a.c", Text: []byte(text)}
	var answer query.Answer
	var err error
	if p.purpose == query.ForRobustness {
		answer, err = robust.Run(context.Background(), in, query.RobustOptions{Options: query.Defaults(), Models: models})
	} else {
		answer, err = check.Run(context.Background(), in, query.CheckOptions{Options: query.Defaults(), Models: models})
	}
	if err != nil || answer.HasErrors() {
		t.Fatalf("%v %v\n%s", err, answer.Diagnostics, text)
	}
	good := true
	for i := range answer.Results {
		switch answer.Results[i].Verdict {
		case verdict.Safe:
		case verdict.Unsafe:
			good = false
		default:
			t.Fatalf("%s\n%s", answer.Results[i].Reason, text)
		}
	}
	return good
}

// brute returns the lowest cost of orders that are enough, -1 if there are none.
func (p *orderText) brute(t *testing.T) int64 {
	type one struct {
		orders []ir.Order
		cost   int64
	}
	all := []one{{}}
	if p.purpose == query.ForAssertions {
		all[0].cost = p.table[ir.LoadAccess][ir.Relaxed] // of main
	}
	for i := range p.choices {
		c := &p.choices[i]
		var next []one
		for _, a := range all {
			for _, o := range p.domain(c) {
				next = append(next, one{append(slices.Clip(a.orders), o), a.cost + p.cost(c, o)})
			}
		}
		all = next
	}
	slices.SortStableFunc(all, func(a, b one) int { return int(a.cost - b.cost) })
	if p.purpose == query.ForAssertions && !p.right(t, p.text(p.writtenOrders()), query.Models{query.SC}) {
		return -1 // every model has the executions of SC
	}
	good := p.judges(t)
	for _, a := range all {
		if good(a.orders) {
			return a.cost
		}
	}
	return -1
}

// judges returns a function that tells whether orders are enough under all models.
func (p *orderText) judges(t *testing.T) func([]ir.Order) bool {
	others := slices.DeleteFunc(slices.Clone(p.models), func(m query.Model) bool { return m == query.C11 })
	rightC11 := func([]ir.Order) bool { return true }
	if len(others) < len(p.models) {
		rightC11 = p.graphs(t)
	}
	// Of all assignments with the same text, the answer is the same.
	known := map[string]bool{}
	return func(orders []ir.Order) bool {
		if !rightC11(orders) {
			return false
		}
		text := p.text(orders)
		if _, ok := known[text]; !ok {
			known[text] = len(others) == 0 || p.right(t, text, others)
		}
		return known[text]
	}
}

// graphs returns a function that tells whether orders are enough under c11, by the definition of the model: no graph that
// must not be is consistent, and none has a data race.
func (p *orderText) graphs(t *testing.T) func([]ir.Order) bool {
	type suspect struct {
		g      testkit.C11Graph
		values []int
		bad    bool // if it is consistent, and the last value of x is as in the assertion
	}
	var list []suspect
	if !p.program.Graphs(20_000, func(g testkit.C11Graph, values []int) {
		s := suspect{g, values, p.fails(g, values)}
		if p.purpose == query.ForRobustness {
			some, underSC := false, false
			g.Orders(p.program.Locs, func(mo [][]int) { some, underSC = true, underSC || g.SC(mo) })
			s.bad = some && !underSC
		}
		if s.bad || slices.ContainsFunc(g, func(e testkit.C11Event) bool { return e.Mode == "na" }) {
			list = append(list, s)
		}
	}) {
		t.Fatal("too many graphs")
	}
	return func(orders []ir.Order) bool {
		for _, s := range list {
			g, values := p.graphWith(s.g, s.values, orders)
			dataRace, wrong := g.C11Race(), false
			g.Orders(p.program.Locs, func(mo [][]int) {
				x := 0
				if n := len(mo[0]); n > 0 {
					x = values[mo[0][n-1]]
				}
				wrong = wrong || dataRace || s.bad && (p.purpose == query.ForRobustness || p.final(x))
			})
			if wrong {
				return false
			}
		}
		return true
	}
}

// fails reports whether the registers have the values of the assertion.
func (p *orderText) fails(g testkit.C11Graph, values []int) bool {
	for r, at := range p.results {
		value, wrote := 0, false
		for i := range g {
			if g[i].Thread == at[0] && g[i].Op == at[1] {
				if g[i].Kind == 'R' && g[i].From >= 0 {
					value = values[g[i].From]
				}
				wrote = wrote || g[i].Kind == 'W'
			}
		}
		if p.program.Threads[at[0]][at[1]].Kind == 'C' { // the register says whether it has failed
			value = map[bool]int{false: 1}[wrote]
		}
		if value != p.never[r] {
			return false
		}
	}
	return true
}

// graphWith returns the graph with orders, without the fences that are not there.
func (p *orderText) graphWith(g testkit.C11Graph, values []int, orders []ir.Order) (testkit.C11Graph, []int) {
	at := make([]int, len(g)) // in the new graph
	var out testkit.C11Graph
	var stored []int
	for i, e := range g {
		failed := e.Kind == 'R' && (i+1 == len(g) || g[i+1].Thread != e.Thread || g[i+1].Op != e.Op)
		here, order := false, ir.OrderUnset
		for k := range p.choices {
			c := &p.choices[k]
			if c.thread == e.Thread && c.op == e.Op && !(p.program.Threads[e.Thread][e.Op].Kind == 'C' && failed != (c.kind == ir.FailureAccess)) {
				here, order = true, orders[k]
			}
		}
		if here && order == ir.OrderUnset {
			continue
		}
		if here {
			e.Mode = modeWords[order]
		}
		at[i] = len(out)
		out, stored = append(out, e), append(stored, values[i])
	}
	for i := range out {
		if out[i].Kind == 'R' && out[i].From >= 0 {
			out[i].From = at[out[i].From]
		}
	}
	count := map[int]int{}
	for i := range out {
		out[i].Index = count[out[i].Thread]
		count[out[i].Thread]++
	}
	return out, stored
}

// modeWords are orders as brute force writes them.
var modeWords = map[ir.Order]string{ir.Relaxed: "rlx", ir.Acquire: "acq", ir.Release: "rel", ir.AcqRel: "ar", ir.SeqCst: "sc"}

// sample compares brute force under c11 with questions about the text, for some orders.
func (p *orderText) sample(t *testing.T, seed uint64) {
	if !slices.Contains(p.models, query.C11) {
		return
	}
	g := rand.New(rand.NewPCG(seed, 482))
	good := p.graphs(t)
	for range 4 {
		var orders []ir.Order
		for i := range p.choices {
			list := p.domain(&p.choices[i])
			orders = append(orders, list[g.IntN(len(list))])
		}
		if text := p.text(orders); p.right(t, text, query.Models{query.C11}) != good(orders) {
			t.Fatalf("seed %d: brute force says %v\n%s", seed, good(orders), text)
		}
	}
}
