package fences

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Memory orders under c11. The search is that for fences, with more to choose: every access whose order the text says may
// have a stronger one, and a fence has an order, too. With Weaken, all accesses begin relaxed.

// OrdersCommand is the command for memory orders, as results store it.
const OrdersCommand = "orders"

// RunOrders finds the cheapest memory orders.
func RunOrders(ctx context.Context, in query.Input, opt query.FenceOptions) (query.Answer, error) {
	opt.Orders.Accesses = true
	return Run(ctx, in, OrderDefaults(opt))
}

// OrderDefaults fills in the options of a question about orders that are not set.
func OrderDefaults(o query.FenceOptions) query.FenceOptions {
	if o.Model == "" {
		o.Model = query.C11
	}
	if o.For == "" {
		o.For = query.ForAssertions
	}
	if o.Orders.Processor == "" {
		o.Orders.Processor = query.ProcessorArm
	}
	return o
}

// command returns the command of a question, as results store it.
func command(o *query.FenceOptions) string {
	if o.Orders.Accesses {
		return OrdersCommand
	}
	return Command
}

// underC11 turns the program into one under c11, and its accesses into choices.
func (r *Repairer) underC11() error {
	if r.model != memory.C11 {
		return nil
	}
	flat, err := pipeline.ForC11(r.run.Program, r.Flat)
	if err != nil {
		return err
	}
	r.Flat = flat
	r.Fences = transform.NewFences(flat, r.run.Props, r.run.Sites)
	r.limits = make([]ir.Order, len(r.run.Sites))
	for i := range r.limits {
		r.limits[i] = ir.SeqCst
	}
	kept := make([]bool, len(r.run.Sites))
	for _, text := range r.opt.Orders.Keep {
		if err := r.limit("--keep", text, func(site int) { kept[site] = true }); err != nil {
			return err
		}
	}
	for _, text := range r.opt.Orders.Max {
		line, name, _ := strings.Cut(text, "=")
		order, ok := orderNamed(name)
		if !ok {
			return r.refuseLimit("--max "+text, "FILE:LINE=ORDER, where ORDER is relaxed, acquire, release, acq_rel or seq_cst")
		}
		if err := r.limit("--max", line, func(site int) { r.limits[site] = order }); err != nil {
			return err
		}
	}
	for i := range r.run.Sites {
		s := &r.run.Sites[i]
		switch {
		case s.Access == nil:
		case kept[i] || !r.opt.Orders.Accesses:
			r.limits[i] = s.Access.Written
		case s.ReadOnly:
		case r.opt.Orders.Weaken:
			r.Fences.SetBase(ir.SiteID(i), ir.Relaxed)
		}
	}
	opt := r.checkOptions()
	by, err := pipeline.EngineNamed("rf", &opt)
	if err != nil {
		return err
	}
	how := pipeline.Asked{CheckOptions: opt}
	return r.run.Supports(by, r.run.QuestionTask(r.Flat, memory.C11, &how))
}

// orderNamed returns the order with a name.
func orderNamed(name string) (ir.Order, bool) {
	for _, o := range []ir.Order{ir.Relaxed, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst} {
		if o.String() == strings.TrimPrefix(name, "memory_order_") {
			return o, true
		}
	}
	return ir.OrderUnset, false
}

// limit calls f for the accesses of a line, which is FILE:LINE or LINE. It refuses a line without any.
func (r *Repairer) limit(option, text string, f func(site int)) error {
	file, number := path.Base(r.run.Input.Name), text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		file, number = path.Base(text[:i]), text[i+1:]
	}
	line, err := strconv.Atoi(number)
	found := false
	for i := range r.run.Sites {
		if s := &r.run.Sites[i]; s.Access != nil && path.Base(s.Pos.File) == file && s.Pos.Line == line {
			found = true
			f(i)
		}
	}
	if err != nil || !found {
		return r.refuseLimit(option+" "+text, "FILE:LINE of an access with a memory order")
	}
	return nil
}

// refuseLimit refuses a limit of the user that is about no access.
func (r *Repairer) refuseLimit(given, want string) error {
	return r.run.Refuse(verdict.Diagnostic{Code: "FP0922", Message: given + ": expected " + want})
}

// choices returns what can be chosen at a site under c11.
func (r *Repairer) choices(site ir.SiteID) []ir.FenceAt {
	s := &r.run.Sites[site]
	var out []ir.FenceAt
	if s.Access == nil {
		for _, o := range ir.FenceAccess.Orders()[1:] {
			out = append(out, ir.FenceAt{Site: site, Kind: ir.FullFence, Order: o})
		}
		return out
	}
	base := r.Fences.Base(site)
	for _, o := range s.Access.Kind.Orders() {
		if o != base && base.AtMost(o) && o.AtMost(r.limits[site]) && !s.ReadOnly {
			out = append(out, ir.FenceAt{Site: site, Order: o})
		}
	}
	return out
}

// orderStrength counts how strong an order is. Acquire and release together count more than both in one.
var orderStrength = map[ir.Order]int64{ir.Relaxed: 0, ir.Acquire: 2, ir.Consume: 2, ir.Release: 2, ir.AcqRel: 3, ir.SeqCst: 4}

// orderRank returns what a choice counts among sets of the same cost: a weak order is better, and a change of an access
// is better than a fence.
func (r *Repairer) orderRank() func(ir.FenceAt) int64 {
	rank := r.rank()
	return func(at ir.FenceAt) int64 {
		n := orderStrength[at.Order] << 13
		if r.run.Sites[at.Site].Access != nil {
			return n
		}
		at.Kind = ir.StoreStoreFence
		return n + 1<<12 + rank(at)
	}
}

// orderCosts returns what choices cost under c11: as much as the access costs more than without the choice.
func (r *Repairer) orderCosts() (func(ir.FenceAt) int64, error) {
	costs, weights, err := r.costTable()
	if err != nil {
		return nil, err
	}
	r.accessCost = func(site ir.SiteID, order ir.Order) int64 {
		s := &r.run.Sites[site]
		kind := ir.FenceAccess
		if s.Access != nil {
			kind = s.Access.Kind
		}
		weight := weights[lineKey{path.Base(s.Pos.File), s.Pos.Line}]
		return min(maxCost, costs[costKey{kind, order}]*max(1, weight)*int64(max(1, s.Expansions)))
	}
	return func(at ir.FenceAt) int64 {
		base := r.Fences.Base(at.Site)
		if r.run.Sites[at.Site].Access == nil {
			base = ir.Relaxed
		}
		return r.accessCost(at.Site, at.Order) - r.accessCost(at.Site, base)
	}, nil
}

// costKey is a kind of access with an order.
type costKey struct {
	kind  ir.AccessKind
	order ir.Order
}

type lineKey struct {
	file string
	line int
}

// processors has what accesses cost, in units of a plain load: loads and stores as the compilers' tables have them, and
// rounded times of the instructions.
var processors = map[query.Processor]map[ir.AccessKind]map[ir.Order]int64{
	query.ProcessorX86: {
		ir.LoadAccess: {ir.Relaxed: 1, ir.Acquire: 1, ir.SeqCst: 1}, ir.FailureAccess: {ir.Relaxed: 0, ir.Acquire: 0, ir.SeqCst: 0},
		ir.StoreAccess:  {ir.Relaxed: 1, ir.Release: 1, ir.SeqCst: 20},
		ir.UpdateAccess: {ir.Relaxed: 20, ir.Acquire: 20, ir.Release: 20, ir.AcqRel: 20, ir.SeqCst: 20},
		ir.FenceAccess:  {ir.Relaxed: 0, ir.Acquire: 0, ir.Release: 0, ir.AcqRel: 0, ir.SeqCst: 20},
	},
	query.ProcessorArm: { // ldr, ldar; str, stlr; ldadd and its variants; dmb ishld, dmb ish
		ir.LoadAccess: {ir.Relaxed: 1, ir.Acquire: 4, ir.SeqCst: 4}, ir.FailureAccess: {ir.Relaxed: 0, ir.Acquire: 2, ir.SeqCst: 2},
		ir.StoreAccess:  {ir.Relaxed: 1, ir.Release: 4, ir.SeqCst: 4},
		ir.UpdateAccess: {ir.Relaxed: 10, ir.Acquire: 12, ir.Release: 12, ir.AcqRel: 14, ir.SeqCst: 14},
		ir.FenceAccess:  {ir.Relaxed: 0, ir.Acquire: 8, ir.Release: 16, ir.AcqRel: 16, ir.SeqCst: 16},
	},
	query.ProcessorArmRCpc: { // an acquire load is ldapr
		ir.LoadAccess: {ir.Relaxed: 1, ir.Acquire: 2, ir.SeqCst: 4}, ir.FailureAccess: {ir.Relaxed: 0, ir.Acquire: 2, ir.SeqCst: 2},
		ir.StoreAccess:  {ir.Relaxed: 1, ir.Release: 4, ir.SeqCst: 4},
		ir.UpdateAccess: {ir.Relaxed: 10, ir.Acquire: 12, ir.Release: 12, ir.AcqRel: 14, ir.SeqCst: 14},
		ir.FenceAccess:  {ir.Relaxed: 0, ir.Acquire: 8, ir.Release: 16, ir.AcqRel: 16, ir.SeqCst: 16},
	},
	query.ProcessorPower: { // a branch and isync; lwsync; sync
		ir.LoadAccess: {ir.Relaxed: 1, ir.Acquire: 6, ir.SeqCst: 40}, ir.FailureAccess: {ir.Relaxed: 0, ir.Acquire: 5, ir.SeqCst: 5},
		ir.StoreAccess:  {ir.Relaxed: 1, ir.Release: 16, ir.SeqCst: 40},
		ir.UpdateAccess: {ir.Relaxed: 20, ir.Acquire: 25, ir.Release: 35, ir.AcqRel: 40, ir.SeqCst: 60},
		ir.FenceAccess:  {ir.Relaxed: 0, ir.Acquire: 15, ir.Release: 15, ir.AcqRel: 15, ir.SeqCst: 40},
	},
}

// costTable returns what accesses cost, and how much the lines of a profile count.
func (r *Repairer) costTable() (map[costKey]int64, map[lineKey]int64, error) {
	o := &r.opt.Orders
	costs, weights := map[costKey]int64{}, map[lineKey]int64{}
	base := o.Processor
	if base == query.ProcessorFile {
		base = query.ProcessorArm
	}
	for kind, list := range processors[base] {
		for order, cost := range list {
			costs[costKey{kind, order}] = cost
		}
	}
	scan := bufio.NewScanner(bytes.NewReader(o.Costs.Text))
	var refused error
	for n := 1; scan.Scan(); n++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		if words := strings.Fields(text); len(words) > 0 && !r.costLine(words, costs, weights) {
			refused = r.run.Refuse(verdict.Diagnostic{
				Code: "FP0922", Pos: verdict.Pos{File: o.Costs.Name, Line: n, Col: 1},
				Message: fmt.Sprintf("expected an access, an order and a cost of at most %d, such as 'store seq_cst 20', or a line and how much it counts, such as 'lock.c:12 100'", maxCost),
			})
		}
	}
	for kind, list := range processors[query.ProcessorArm] {
		for order := range list {
			for other := range list {
				join := order.Join(other)
				low := costs[costKey{kind, ir.Relaxed}]
				a, b, both := costs[costKey{kind, order}], costs[costKey{kind, other}], costs[costKey{kind, join}]
				if refused == nil && (order.AtMost(other) && a > b || both-low > a-low+b-low) {
					refused = r.run.Refuse(verdict.Diagnostic{
						Code: "FP0922", Pos: verdict.Pos{File: o.Costs.Name, Line: 1, Col: 1},
						Message: fmt.Sprintf("a stronger order must not be cheaper, and acq_rel not dearer than acquire and release together: %s %s and %s", kind, order, other),
					})
				}
			}
		}
	}
	return costs, weights, refused
}

// costLine reads a line of a file of costs.
func (r *Repairer) costLine(words []string, costs map[costKey]int64, weights map[lineKey]int64) bool {
	cost, err := strconv.ParseInt(words[len(words)-1], 10, 64)
	if err != nil || cost < 0 || cost > maxCost {
		return false
	}
	if len(words) == 2 {
		file, line := path.Base(r.run.Input.Name), words[0]
		if i := strings.LastIndexByte(line, ':'); i >= 0 {
			file, line = path.Base(line[:i]), line[i+1:]
		}
		n, err := strconv.Atoi(line)
		weights[lineKey{file, n}] = cost
		return err == nil && n > 0
	}
	for kind, list := range processors[query.ProcessorArm] {
		for order := range list {
			if len(words) == 3 && words[0] == kind.String() && words[1] == order.String() {
				costs[costKey{kind, order}] = cost
				return true
			}
		}
	}
	return false
}

// reachC11 asks the program's own questions under c11.
func (r *Repairer) reachC11(ctx context.Context, p *pipeline.Program, flat *ir.Program) (*fences.Finding, error) {
	opt := r.checkOptions()
	how := pipeline.Asked{CheckOptions: query.CheckOptions{Options: r.opt.Options}, Given: r.givenBounds()}
	how.Workers = 1
	by, err := pipeline.EngineNamed("rf", &opt)
	if err != nil {
		return nil, err
	}
	a := &pipeline.Asking{Engine: by, Model: memory.C11, Under: memory.C11}
	if p.Ask(ctx, a, flat, how); a.Err != nil {
		return nil, a.Err
	}
	return finding(a.Result), nil
}

// changes returns all that changes in the text for a set of choices: fences, and accesses whose order is not the one that
// is written. Both orders of a compare-exchange are there if one of them is.
func (r *Repairer) changes(set []ir.FenceAt) []ir.FenceAt {
	if r.model != memory.C11 {
		return set
	}
	orders := r.Fences.Orders(set)
	var out []ir.FenceAt
	changed := func(i int) bool {
		s := &r.run.Sites[i]
		return s.Access != nil && !s.ReadOnly && orders[i] != s.Access.Written
	}
	same := func(i, j int) bool {
		return i >= 0 && j < len(r.run.Sites) && r.run.Sites[i].Access != nil && r.run.Sites[j].Access != nil && r.run.Sites[i].Pos == r.run.Sites[j].Pos
	}
	for i := range r.run.Sites {
		switch {
		case changed(i) || same(i-1, i) && changed(i-1) || same(i, i+1) && changed(i+1):
			out = append(out, ir.FenceAt{Site: ir.SiteID(i), Order: orders[i]})
		case r.run.Sites[i].Access == nil && orders[i] != ir.OrderUnset:
			out = append(out, ir.FenceAt{Site: ir.SiteID(i), Kind: ir.FullFence, Order: orders[i]})
		}
	}
	return out
}

// OrderTable describes all accesses with the orders that they get from a set of choices, and what they cost together.
func (r *Repairer) OrderTable(set []ir.FenceAt) (list []verdict.OrderChoice, before, after int64) {
	orders := r.Fences.Orders(set)
	threads := r.Fences.Threads()
	for i := range r.run.Sites {
		s := &r.run.Sites[i]
		site := ir.SiteID(i)
		if s.Access == nil || !r.opt.Orders.Accesses {
			continue
		}
		pos := pipeline.Position(s.Pos)
		c := verdict.OrderChoice{
			Site: i + 1, Pos: &pos, Access: s.Access.Kind.String(), Label: s.Before, Written: s.Access.Written.String(), Order: orders[i].String(),
			CostWritten: r.accessCost(site, s.Access.Written), Cost: r.accessCost(site, orders[i]), ReadOnly: s.ReadOnly,
			Thread: strings.Join(threads[i], ", "),
		}
		before, after = before+c.CostWritten, after+c.Cost
		list = append(list, c)
	}
	for _, at := range r.fencesOf(set) {
		after += r.accessCost(at.Site, at.Order)
	}
	return list, before, after
}

// addOrders adds the table of accesses to a result, with the reason of each choice.
func (r *Repairer) addOrders(res *verdict.Result, out *fences.Repair) {
	rep := res.Repair
	rep.Orders, rep.CostBefore, rep.CostAfter = r.OrderTable(out.Fences)
	for k, at := range out.Fences {
		for i := range rep.Orders {
			if rep.Orders[i].Site == int(at.Site)+1 && k < len(out.Without) {
				rep.Orders[i].Without = r.broken(&out.Without[k])
			}
		}
	}
}

// Chosen returns the choices that a result states, in the order of the sites, each with the reason that the result gives.
func (r *Repairer) Chosen(res *verdict.Result) (set []ir.FenceAt, reasons []*verdict.Break, err error) {
	type one struct {
		at     ir.FenceAt
		reason *verdict.Break
	}
	var list []one
	add := func(site int, kind ir.FenceKind, name string, reason *verdict.Break) {
		order, ok := orderNamed(name)
		if !ok || site < 1 || site > len(r.run.Sites) || (kind == ir.FenceUnset) != (r.run.Sites[site-1].Access != nil) {
			err = fmt.Errorf("orders: there is no site %d for the order %q", site, name)
			return
		}
		list = append(list, one{ir.FenceAt{Site: ir.SiteID(site - 1), Kind: kind, Order: order}, reason})
	}
	for _, f := range res.Fences {
		add(f.Site, ir.FullFence, f.Order, f.Without)
	}
	for _, o := range res.Repair.Orders {
		if o.Site >= 1 && o.Site <= len(r.run.Sites) && o.Order == r.Fences.Base(ir.SiteID(o.Site-1)).String() {
			continue
		}
		add(o.Site, ir.FenceUnset, o.Order, o.Without)
	}
	slices.SortFunc(list, func(a, b one) int { return int(a.at.Site) - int(b.at.Site) })
	for _, l := range list {
		set, reasons = append(set, l.at), append(reasons, l.reason)
	}
	return set, reasons, err
}

// Ordered reports whether the question is one under c11, whose choices have orders.
func (r *Repairer) Ordered() bool { return r.model == memory.C11 }

// isFence reports whether a choice is a fence, and not the order of an access.
func (r *Repairer) isFence(at ir.FenceAt) bool { return r.run.Sites[at.Site].Access == nil }

// fencesOf returns the fences among choices.
func (r *Repairer) fencesOf(list []ir.FenceAt) []ir.FenceAt {
	return slices.DeleteFunc(slices.Clone(list), func(at ir.FenceAt) bool { return !r.isFence(at) })
}
