package fences_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/robust"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	orderTexts = flag.Int("fp.ordertexts", 16, "random C programs per list of models whose memory orders are searched for")
	orderFirst = flag.Uint64("fp.orderfirst", 0, "the first seed of random C programs")
)

// choice is an order of a random C program: of an access, or of a fence between two accesses.
type choice struct {
	kind    ir.AccessKind
	gap     bool // a fence that is not there yet
	written ir.Order
	short   bool // the text is that of a seq_cst access without an order
}

// orderText is a random C program with random costs. A line of a thread is text with a verb for each choice of the line.
type orderText struct {
	models  query.Models
	purpose query.Purpose
	weaken  bool
	threads [][]string
	choices []choice // in the order of the text
	shorts  []string // by choice: the line, or the part of it, without an order
	never   string
	costs   map[ir.AccessKind]map[ir.Order]int64
}

func newOrderText(seed uint64, models query.Models) *orderText {
	g := rand.New(rand.NewPCG(seed, 481))
	p := &orderText{models: models, purpose: query.ForAssertions, weaken: g.IntN(3) > 0, costs: map[ir.AccessKind]map[ir.Order]int64{}}
	if g.IntN(2) == 0 {
		p.purpose = query.ForRobustness
	}
	p.addCosts(g)
	results := 0
	var never []string
	shape := []string{"WRWR", "WWRR", "WWWW", "WRWW", "????"}[g.IntN(5)] // of the first two threads
	for t := range 2 + g.IntN(4)/3 {
		var lines []string
		variables := g.Perm(2)
		if shape[0] != '?' && t < 2 {
			variables = []int{t, 1 - t} // in opposite orders
		}
		for i, variable := range variables {
			if t == 2 && i > 0 {
				break
			}
			if i > 0 {
				p.choices, p.shorts = append(p.choices, choice{kind: ir.FenceAccess, gap: true}), append(p.shorts, "")
				lines = append(lines, "%s")
			}
			x := "xy"[variable : variable+1]
			k := g.IntN(10)
			if at := 2*t + i; at < len(shape) && shape[at] != '?' && g.IntN(6) > 0 {
				k = strings.IndexByte("W---R", shape[at])
			}
			switch {
			case k < 4:
				lines = append(lines, p.access(g, ir.StoreAccess, fmt.Sprintf("atomic_store_explicit(&%s, %d, %%s);", x, t+1), fmt.Sprintf("%s = %d;", x, t+1)))
			case k < 8:
				lines = append(lines, p.access(g, ir.LoadAccess, fmt.Sprintf("r%d = atomic_load_explicit(&%s, %%s);", results, x), fmt.Sprintf("r%d = %s;", results, x)))
			case k < 9:
				lines = append(lines, p.access(g, ir.UpdateAccess, fmt.Sprintf("r%d = atomic_fetch_add_explicit(&%s, 1, %%s);", results, x), fmt.Sprintf("r%d = atomic_fetch_add(&%s, 1);", results, x)))
			default:
				first := p.access(g, ir.UpdateAccess, fmt.Sprintf("r%d = !atomic_compare_exchange_strong_explicit(&%s, &e, %d, %%s, ", results, x, t+1), "")
				lines = append(lines, first+p.access(g, ir.FailureAccess, "%s);", ""))
			}
			if strings.HasPrefix(lines[len(lines)-1], "r") {
				never = append(never, fmt.Sprintf("r%d == %d", results, max(0, g.IntN(4)-2)*(2-t%2)))
				results++
			}
		}
		p.threads = append(p.threads, lines)
	}
	never = append(never, fmt.Sprintf("atomic_load_explicit(&x, memory_order_relaxed) %s %d", []string{"==", "!=", ">="}[g.IntN(3)], g.IntN(3)))
	p.never = strings.Join(never, " && ")
	return p
}

// access adds a choice with a random order, and returns the text of the access.
func (p *orderText) access(g *rand.Rand, kind ir.AccessKind, text, short string) string {
	orders := kind.Orders()
	c := choice{kind: kind, written: orders[g.IntN(len(orders))]}
	if short != "" && g.IntN(3) == 0 {
		c.written, c.short = ir.SeqCst, true
	}
	p.choices, p.shorts = append(p.choices, c), append(p.shorts, short)
	return text
}

// addCosts sets random costs: a stronger order is not cheaper, and acq_rel not dearer than acquire and release together.
func (p *orderText) addCosts(g *rand.Rand) {
	for _, kind := range []ir.AccessKind{ir.LoadAccess, ir.StoreAccess, ir.UpdateAccess, ir.FailureAccess, ir.FenceAccess} {
		low, a, b := int64(g.IntN(3)), int64(g.IntN(8)), int64(g.IntN(8))
		if kind == ir.FenceAccess {
			low = 0
			if slices.Contains(p.models, query.C11) {
				a, b = a+1000, b+1000 // brute force does without them
			}
		}
		both := max(a, b) + g.Int64N(min(a, b)+1)
		all := map[ir.Order]int64{ir.Relaxed: low, ir.Acquire: low + a, ir.Release: low + b, ir.AcqRel: low + both, ir.SeqCst: low + both}
		all[ir.SeqCst] += g.Int64N(min(a, b) + 1)
		p.costs[kind] = map[ir.Order]int64{}
		for _, o := range kind.Orders() {
			p.costs[kind][o] = all[o]
		}
	}
}

// costText is the file of costs.
func (p *orderText) costText() string {
	var b strings.Builder
	for kind, list := range p.costs {
		for o, cost := range list {
			fmt.Fprintf(&b, "%s %s %d\n", kind, o, cost)
		}
	}
	return b.String()
}

// text returns the program with orders, which are by choice.
func (p *orderText) text(orders []ir.Order) string {
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nint r0, r1, r2, r3, r4, r5;\n")
	i := 0
	for t, lines := range p.threads {
		fmt.Fprintf(&b, "void *t%d(void *arg) {\n  int e = 0;\n", t)
		for _, line := range lines {
			var words []any
			for range strings.Count(line, "%s") {
				c, o := &p.choices[i], orders[i]
				word := "memory_order_" + o.String()
				if c.short && o == ir.SeqCst {
					line = p.shorts[i]
				} else {
					words = append(words, word)
				}
				if c.gap && o == ir.OrderUnset {
					line, words = "", nil
				} else if c.gap {
					line = "atomic_thread_fence(%s);"
				}
				i++
			}
			if line != "" {
				fmt.Fprintf(&b, "  "+line+"\n", words...)
			}
		}
		b.WriteString("  (void)e;\n  return arg;\n}\n")
	}
	n := len(p.threads)
	fmt.Fprintf(&b, "int main(void) {\n  pthread_t t[%d];\n", n)
	for t := range n {
		fmt.Fprintf(&b, "  pthread_create(&t[%d], 0, t%d, 0);\n", t, t)
	}
	for t := range n {
		fmt.Fprintf(&b, "  pthread_join(t[%d], 0);\n", t)
	}
	if p.purpose == query.ForAssertions {
		fmt.Fprintf(&b, "  assert(!(%s));\n", p.never)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

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
			return []ir.Order{ir.OrderUnset}
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
func (p *orderText) right(t *testing.T, text string) bool {
	t.Helper()
	in := query.Input{Name: "a.c", Text: []byte(text)}
	var answer query.Answer
	var err error
	if p.purpose == query.ForRobustness {
		answer, err = robust.Run(context.Background(), in, query.RobustOptions{Options: query.Defaults(), Models: p.models})
	} else {
		answer, err = check.Run(context.Background(), in, query.CheckOptions{Options: query.Defaults(), Models: p.models})
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
		all[0].cost = p.costs[ir.LoadAccess][ir.Relaxed] // of main
	}
	for i := range p.choices {
		c := &p.choices[i]
		var next []one
		for _, a := range all {
			for _, o := range p.domain(c) {
				next = append(next, one{append(slices.Clone(a.orders), o), a.cost + p.costs[c.kind][o]})
			}
		}
		all = next
	}
	slices.SortStableFunc(all, func(a, b one) int { return int(a.cost - b.cost) })
	var strongest []ir.Order
	for i := range p.choices {
		list := p.domain(&p.choices[i])
		strongest = append(strongest, list[len(list)-1])
	}
	if !p.right(t, p.text(strongest)) {
		return -1
	}
	for _, a := range all {
		if p.right(t, p.text(a.orders)) {
			return a.cost
		}
	}
	return -1
}

// TestRandomOrders compares the cheapest orders of random C programs with all orders, each written into the text and asked
// about as users ask. The patch compiles and gives the promised answer, and the certificate is verified.
func TestRandomOrders(t *testing.T) {
	for _, models := range []query.Models{{query.TSO}, {query.PSO}, {query.C11}, {query.C11, query.TSO}} {
		t.Run(models.String(), func(t *testing.T) {
			needs, changed, fenced, hopeless := 0, 0, 0, 0
			for seed := *orderFirst; seed < *orderFirst+uint64(*orderTexts); seed++ {
				p := newOrderText(seed, models)
				text := p.text(p.writtenOrders())
				in := query.Input{Name: "a.c", Text: []byte(text)}
				opt := query.FenceOptions{Options: query.Defaults(), Model: query.Model(models.String()), For: p.purpose, AllOptimal: seed%4 == 0}
				opt.Orders = query.OrderOptions{Weaken: p.weaken, Processor: query.ProcessorFile, Costs: query.Input{Name: "costs", Text: []byte(p.costText())}}
				answer, err := fences.RunOrders(context.Background(), in, opt)
				if err != nil || answer.HasErrors() {
					t.Fatalf("seed %d: %v %v\n%s", seed, err, answer.Diagnostics, text)
				}
				r := &answer.Results[0]
				want := p.brute(t)
				bound := slices.Contains(models, query.C11) && len(r.Fences) > 0 // fences are dear, and brute force has none
				switch {
				case want < 0 && r.Verdict != verdict.Unsafe && !bound,
					want >= 0 && (r.Verdict != verdict.Safe || r.Repair.CostAfter != want || r.Repair.Bound != r.Cost):
					t.Fatalf("seed %d, %s, weaken %v: %s, cost %d, want %d\n%s\n%s", seed, p.purpose, p.weaken, r.Verdict, r.Repair.CostAfter, want, text, p.costText())
				case r.Verdict == verdict.Unsafe:
					hopeless++
				case len(r.Fences) > 0:
					fenced++
				case len(r.Repair.Patches) > 0:
					changed++
				}
				if r.Verdict == verdict.Safe && r.Repair.Clauses > 0 {
					needs++
				}
				for _, patch := range r.Repair.Patches {
					compiles(t, patch.Text)
					if !p.right(t, patch.Text) {
						t.Errorf("seed %d: the changed text is not right\n%s", seed, patch.Text)
					}
				}
				verifies(t, in, answer)
				if t.Failed() {
					t.Fatalf("seed %d\n%s", seed, text)
				}
			}
			t.Logf("%d programs, %d need orders or fences, %d with fences, %d with other orders, %d hopeless", *orderTexts, needs, fenced, changed, hopeless)
		})
	}
}
