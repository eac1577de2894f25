package fences_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/question/fences"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	orderTexts = flag.Int("fp.ordertexts", 8, "random C programs per list of models whose memory orders are searched for")
	orderFirst = flag.Uint64("fp.orderfirst", 0, "the first seed of random C programs")
)

// choice is an order of a random C program: of an access, or of a fence between two accesses.
type choice struct {
	kind       ir.AccessKind
	gap        bool // a fence that is not there yet
	written    ir.Order
	short      bool // the text is that of a seq_cst access without an order
	thread, op int  // in orderText.program
	line       int  // in the text
}

// orderText is a random C program with costs. A line of a thread is text with a verb for each choice of the line.
type orderText struct {
	models    query.Models
	purpose   query.Purpose
	weaken    bool
	threads   [][]string
	choices   []choice            // in the order of the text
	shorts    []string            // by choice: the line, or the part of it, without an order
	program   *testkit.C11Program // the same program, as brute force has it
	results   [][2]int            // by register: thread and operation
	never     []int               // by register: with these values, and
	final     func(x int) bool    // with this value of x, the assertion fails
	condition string              // the same as text
	costs     query.OrderOptions
	table     map[ir.AccessKind]map[ir.Order]int64
	weights   map[int]int64 // by line
}

// newOrderText returns a program for which brute force has not too much to try.
func newOrderText(seed uint64, models query.Models) *orderText {
	for attempt := uint64(0); ; attempt++ {
		g := rand.New(rand.NewPCG(seed, 481+attempt<<32))
		p := &orderText{models: models, purpose: query.ForAssertions, weaken: g.IntN(3) > 0, program: &testkit.C11Program{Locs: 3}, weights: map[int]int64{}}
		if g.IntN(2) == 0 {
			p.purpose = query.ForRobustness
		}
		if shape := []string{"WRWR", "WWRR", "WWWW", "WRWW", "????", "data"}[g.IntN(6)]; shape == "data" {
			p.addGuarded(g)
		} else {
			p.addCrossing(g, shape)
		}
		p.addAssertion(g)
		p.addCosts(g)
		total := 1
		for i := range p.choices {
			total *= len(p.domain(&p.choices[i]))
		}
		if total <= 12_000 {
			return p
		}
	}
}

// addCrossing adds threads that access two variables. shape has the accesses of the first two threads.
func (p *orderText) addCrossing(g *rand.Rand, shape string) {
	for t := range 2 + g.IntN(4)/3 {
		p.beginThread()
		variables := g.Perm(2)
		if shape[0] != '?' && t < 2 {
			variables = []int{t, 1 - t} // in opposite orders
		}
		for i, variable := range variables {
			if t == 2 && i > 0 {
				break
			}
			if i > 0 {
				p.addGap()
			}
			kind := "WWWWRRRRUC"[g.IntN(10)]
			if at := 2*t + i; at < len(shape) && shape[at] != '?' && g.IntN(6) > 0 {
				kind = shape[at]
			}
			p.addAccess(g, kind, variable)
		}
	}
}

// addGuarded adds a thread that writes plain data and then a flag, and one that reads or writes the data if it has seen the
// flag, which may go through the hands of a third thread.
func (p *orderText) addGuarded(g *rand.Rand) {
	p.beginThread()
	p.addLine("d = 1;", testkit.C11Op{Kind: 'W', Loc: 2, V: 1, Mode: "na"})
	p.addGap()
	p.addAccess(g, "WU"[g.IntN(2)], 0)
	p.beginThread()
	p.addAccess(g, "RU"[g.IntN(2)], 0)
	p.addLine(fmt.Sprintf("if (r%d == 1) {", len(p.results)-1), testkit.C11Op{Kind: 'B', V: 1, Skip: 2})
	p.addGap()
	if g.IntN(2) == 0 {
		p.addLine("d = 2; }", testkit.C11Op{Kind: 'W', Loc: 2, V: 2, Mode: "na"})
	} else {
		p.addLine("r5 = d; }", testkit.C11Op{Kind: 'R', Loc: 2, Mode: "na"})
	}
	if g.IntN(2) == 0 {
		p.beginThread()
		p.addAccess(g, "UWC"[g.IntN(3)], 0)
	}
}

func (p *orderText) beginThread() {
	p.threads, p.program.Threads = append(p.threads, nil), append(p.program.Threads, nil)
}

// addLine adds a line to the last thread, and what it does.
func (p *orderText) addLine(text string, op testkit.C11Op) {
	t := len(p.threads) - 1
	p.threads[t] = append(p.threads[t], text)
	p.program.Threads[t] = append(p.program.Threads[t], op)
}

// addChoice adds a choice for the next line of the last thread.
func (p *orderText) addChoice(c choice, short string) {
	c.thread = len(p.threads) - 1
	c.op = len(p.program.Threads[c.thread])
	p.choices, p.shorts = append(p.choices, c), append(p.shorts, short)
}

// addGap adds a line for a fence.
func (p *orderText) addGap() {
	p.addChoice(choice{kind: ir.FenceAccess, gap: true}, "")
	p.addLine("%s", testkit.C11Op{Kind: 'F', Mode: "rlx"})
}

// addAccess adds an access to x or y.
func (p *orderText) addAccess(g *rand.Rand, kind byte, variable int) {
	t, x, r := len(p.threads)-1, "xy"[variable:variable+1], len(p.results)
	op := testkit.C11Op{Kind: kind, Loc: variable, V: t + 1, Mode: "rlx", Fail: "rlx"}
	if kind != 'W' {
		p.results = append(p.results, [2]int{t, len(p.program.Threads[t])})
	}
	switch kind {
	case 'W':
		p.addOrder(g, ir.StoreAccess, fmt.Sprintf("%s = %d;", x, t+1))
		p.addLine(fmt.Sprintf("atomic_store_explicit(&%s, %d, %%s);", x, t+1), op)
	case 'R':
		p.addOrder(g, ir.LoadAccess, fmt.Sprintf("r%d = %s;", r, x))
		p.addLine(fmt.Sprintf("r%d = atomic_load_explicit(&%s, %%s);", r, x), op)
	case 'U':
		op.V = 1
		p.addOrder(g, ir.UpdateAccess, fmt.Sprintf("r%d = atomic_fetch_add(&%s, 1);", r, x))
		p.addLine(fmt.Sprintf("r%d = atomic_fetch_add_explicit(&%s, 1, %%s);", r, x), op)
	case 'C':
		op.V, op.V2, op.Weak = 0, t+1, g.IntN(3) == 0
		p.addOrder(g, ir.UpdateAccess, "")
		p.addOrder(g, ir.FailureAccess, "")
		word := map[bool]string{false: "strong", true: "weak"}[op.Weak]
		p.addLine(fmt.Sprintf("e = 0; r%d = !atomic_compare_exchange_%s_explicit(&%s, &e, %d, %%s, %%s);", r, word, x, t+1), op)
	default:
		panic("BUG: unknown access")
	}
}

// addOrder adds a choice with a random order.
func (p *orderText) addOrder(g *rand.Rand, kind ir.AccessKind, short string) {
	orders := kind.Orders()
	c := choice{kind: kind, written: orders[g.IntN(len(orders))]}
	if short != "" && g.IntN(3) == 0 {
		c.written, c.short = ir.SeqCst, true
	}
	p.addChoice(c, short)
}

// addAssertion draws what must not be.
func (p *orderText) addAssertion(g *rand.Rand) {
	var words []string
	for r, at := range p.results {
		p.never = append(p.never, max(0, g.IntN(4)-2)*(2-at[0]%2))
		words = append(words, fmt.Sprintf("r%d == %d", r, p.never[r]))
	}
	v := g.IntN(3)
	k := g.IntN(3)
	p.final = []func(int) bool{func(x int) bool { return x == v }, func(x int) bool { return x != v }, func(x int) bool { return x >= v }}[k]
	words = append(words, fmt.Sprintf("atomic_load_explicit(&x, memory_order_relaxed) %s %d", []string{"==", "!=", ">="}[k], v))
	p.condition = strings.Join(words, " && ")
}

// addCosts draws the costs of a processor, or random ones and weights of lines: a stronger order is not cheaper, and acq_rel not dearer
// than acquire and release together.
func (p *orderText) addCosts(g *rand.Rand) {
	processors := []query.Processor{query.ProcessorX86, query.ProcessorArm, query.ProcessorArmRCpc, query.ProcessorPower}
	if k := g.IntN(8); k < len(processors) {
		p.costs.Processor, p.table = processors[k], fences.Processors[processors[k]]
		return
	}
	p.costs.Processor, p.table = query.ProcessorFile, map[ir.AccessKind]map[ir.Order]int64{}
	var b strings.Builder
	for _, kind := range []ir.AccessKind{ir.LoadAccess, ir.StoreAccess, ir.UpdateAccess, ir.FailureAccess, ir.FenceAccess} {
		low, a, b := int64(g.IntN(3)), int64(g.IntN(8)), int64(g.IntN(8))
		if kind == ir.FenceAccess {
			low = 0
		}
		both := max(a, b) + g.Int64N(min(a, b)+1)
		all := map[ir.Order]int64{ir.Relaxed: low, ir.Acquire: low + a, ir.Release: low + b, ir.AcqRel: low + both, ir.SeqCst: low + both}
		all[ir.SeqCst] += g.Int64N(min(a, b) + 1)
		p.table[kind] = map[ir.Order]int64{}
		for _, o := range kind.Orders() {
			p.table[kind][o] = all[o]
		}
	}
	for kind, list := range p.table {
		for o, cost := range list {
			fmt.Fprintf(&b, "%s %s %d\n", kind, o, cost)
		}
	}
	p.text(p.writtenOrders()) // sets the lines
	for _, c := range p.choices {
		if !c.gap && g.IntN(6) == 0 { // a fence may come earlier than brute force has it
			p.weights[c.line] = 1 + g.Int64N(5)
		}
	}
	for line, times := range p.weights {
		fmt.Fprintf(&b, "a.c:%d %d\n", line, times)
	}
	p.costs.Costs = query.Input{Name: "costs", Text: []byte(b.String())}
}

// cost returns what a choice costs with an order.
func (p *orderText) cost(c *choice, o ir.Order) int64 {
	return p.table[c.kind][o] * max(1, p.weights[c.line])
}

// text returns the program with orders, which are by choice, and notes the line of each.
func (p *orderText) text(orders []ir.Order) string {
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nint d, r0, r1, r2, r3, r4, r5;\n")
	i := 0
	for t, lines := range p.threads {
		fmt.Fprintf(&b, "void *t%d(void *arg) {\n  int e = 0;\n", t)
		for _, line := range lines {
			var words []any
			for range strings.Count(line, "%s") {
				c, o := &p.choices[i], orders[i]
				c.line = 1 + strings.Count(b.String(), "\n")
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
		fmt.Fprintf(&b, "  assert(!(%s));\n", p.condition)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// TestRandomOrders compares the cheapest orders of random C programs, with the costs of a processor or random ones, with all
// orders and fences: under c11 by the definition of the model, under the others by questions about the text. The patch compiles and gives the promised answer, and the certificate is verified.
func TestRandomOrders(t *testing.T) {
	for _, models := range []query.Models{{query.TSO}, {query.PSO}, {query.C11}, {query.C11, query.TSO}} {
		t.Run(models.String(), func(t *testing.T) {
			needs, changed, fenced, hopeless := 0, 0, 0, 0
			for seed := *orderFirst; seed < *orderFirst+uint64(*orderTexts); seed++ {
				p := newOrderText(seed, models)
				text := p.text(p.writtenOrders())
				in := query.Input{Name: "a.c", Text: []byte(text)}
				opt := query.FenceOptions{Options: query.Defaults(), Model: query.Model(models.String()), For: p.purpose, AllOptimal: seed%4 == 0}
				opt.Orders = p.costs
				opt.Orders.Weaken = p.weaken
				answer, err := fences.RunOrders(context.Background(), in, opt)
				if err != nil || answer.HasErrors() {
					t.Fatalf("seed %d: %v %v\n%s", seed, err, answer.Diagnostics, text)
				}
				r := &answer.Results[0]
				want := p.brute(t)
				p.sample(t, seed)
				switch {
				case want < 0 && r.Verdict != verdict.Unsafe,
					want >= 0 && (r.Verdict != verdict.Safe || r.Repair.CostAfter != want || r.Repair.Bound != r.Cost):
					t.Fatalf("seed %d, %s, weaken %v: %s, cost %d, want %d\n%s\n%s", seed, p.purpose, p.weaken, r.Verdict, r.Repair.CostAfter, want, text, p.costs.Costs.Text)
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
					if r.Verdict == verdict.Safe && !p.right(t, patch.Text, models) {
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
