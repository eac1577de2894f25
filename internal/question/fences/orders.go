package fences

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// Memory orders. The search is that for fences, with more to choose: every access whose order the text says may have a
// stronger one, and a fence has an order, too. With Weaken, all accesses begin relaxed; without c11 among the models, they
// begin with what costs nothing in the model, since a compiler may move relaxed accesses and no model here says so.

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
		if !slices.Contains(o.Models(), query.C11) {
			o.Orders.Processor = query.ProcessorX86
		}
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

// underC11 reports whether the program has to be right under c11.
func (ps parts) underC11() bool {
	return slices.ContainsFunc(ps, func(p part) bool { return p.model == memory.C11 })
}

// releaseFences returns the store-store fences that the front end puts before release stores.
func releaseFences(run *pipeline.Run) map[ir.EdgeID]bool {
	stores := map[ir.EdgeID]bool{}
	for i := range run.Sites {
		if s := &run.Sites[i]; s.Access != nil && s.Access.Kind == ir.StoreAccess {
			for _, e := range s.Edges {
				stores[e] = true
			}
		}
	}
	out := map[ir.EdgeID]bool{}
	for _, f := range run.IR.Funcs {
		begins := map[ir.Loc]bool{}
		for i := range f.Edges {
			if e := &f.Edges[i]; stores[e.ID] && e.Op.Kind == ir.Store && e.Op.Sync.Order == ir.Release {
				begins[e.From] = true
			}
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind == ir.Fence && e.Op.Fence == ir.StoreStoreFence && e.Op.Sync.Order == ir.OrderUnset && begins[e.To] {
				out[e.ID] = true
			}
		}
	}
	return out
}

// beginOrders sets the limits of the accesses, and the orders with which they begin.
func (r *Repairer) beginOrders() error {
	if !r.Ordered() {
		return nil
	}
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
			for _, p := range r.parts {
				p.fences.SetBase(ir.SiteID(i), r.parts.weakest(s.Access))
			}
		}
	}
	return nil
}

// weakest returns the order with which an access begins.
func (ps parts) weakest(a *ir.OrderedAccess) ir.Order {
	if ps.underC11() {
		return ir.Relaxed
	}
	free := map[ir.AccessKind]ir.Order{
		ir.LoadAccess: ir.Acquire, ir.FailureAccess: ir.Acquire, ir.UpdateAccess: ir.AcqRel, ir.StoreAccess: ir.Release, ir.FenceAccess: ir.AcqRel,
	}[a.Kind]
	if ps.hasPSO() && a.Kind == ir.StoreAccess {
		free = ir.Relaxed
	}
	if ps.hasPSO() && a.Kind == ir.FenceAccess {
		free = ir.Acquire
	}
	switch {
	case a.Written.AtMost(free):
		return a.Written
	case free.AtMost(a.Written):
		return free
	}
	return ir.Relaxed
}

// hasPSO reports whether PSO is among the models.
func (ps parts) hasPSO() bool {
	return slices.ContainsFunc(ps, func(p part) bool { return p.model == memory.PSO })
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

// choices returns what can be chosen at a site.
func (r *Repairer) choices(site ir.SiteID) []ir.FenceAt {
	s := &r.run.Sites[site]
	var out []ir.FenceAt
	add := func(at ir.FenceAt, than ir.Order) {
		if r.parts.underC11() || r.Fences.Helps(at, than, r.parts.hasPSO()) && (len(out) == 0 || r.Fences.Helps(at, out[len(out)-1].Order, r.parts.hasPSO())) {
			out = append(out, at)
		}
	}
	if s.Access == nil {
		for _, o := range ir.FenceAccess.Orders()[1:] {
			add(ir.FenceAt{Site: site, Kind: ir.FullFence, Order: o}, ir.OrderUnset)
		}
		return out
	}
	base := r.Fences.Base(site)
	for _, o := range s.Access.Kind.Orders() {
		if o != base && base.AtMost(o) && o.AtMost(r.limits[site]) && !s.ReadOnly {
			add(ir.FenceAt{Site: site, Order: o}, base)
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

// reachC11 asks the program's own questions under c11, or whether SC has all its executions.
func (r *Repairer) reachC11(ctx context.Context, p *pipeline.Program, flat *ir.Program) (*fences.Finding, error) {
	opt := r.checkOptions()
	how := pipeline.Asked{CheckOptions: query.CheckOptions{Options: r.opt.Options}, Given: r.givenBounds()}
	how.Workers = 1
	if r.opt.For == query.ForRobustness {
		res, err := pipeline.RobustC11(ctx, p, flat, &how)
		if err != nil {
			return nil, err
		}
		found := finding(res)
		for i := range found.Breaks {
			found.Breaks[i].DataRace = pipeline.ShowsDataRace(res)
		}
		return found, nil
	}
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
	if !r.Ordered() {
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
		if s.Access == nil || !r.opt.Orders.Accesses {
			continue
		}
		pos := pipeline.Position(s.Pos)
		list = append(list, verdict.OrderChoice{
			Site: i + 1, Pos: &pos, Access: s.Access.Kind.String(), Label: s.Before, Written: s.Access.Written.String(), Order: orders[i].String(),
			CostWritten: r.accessCost(r.costsAsked, ir.SiteID(i), s.Access.Written), Cost: r.accessCost(r.costsAsked, ir.SiteID(i), orders[i]), ReadOnly: s.ReadOnly,
			Thread: strings.Join(threads[i], ", "),
		})
	}
	before, after = r.costWith(r.costsAsked, set)
	return list, before, after
}

// costWith returns how much all accesses cost, as written and with a set of choices.
func (r *Repairer) costWith(table costTable, set []ir.FenceAt) (before, after int64) {
	orders := r.Fences.Orders(set)
	for i := range r.run.Sites {
		if s := &r.run.Sites[i]; s.Access != nil {
			before += r.accessCost(table, ir.SiteID(i), s.Access.Written)
			after += r.accessCost(table, ir.SiteID(i), orders[i])
		}
	}
	for _, at := range r.fencesOf(set) {
		after += r.accessCost(table, at.Site, at.Order)
	}
	return before, after
}

// OnProcessors says how much the accesses cost on each processor.
func (r *Repairer) OnProcessors(set []ir.FenceAt) (out []verdict.ProcessorCost) {
	for _, name := range slices.Sorted(maps.Keys(processors)) {
		c := verdict.ProcessorCost{Name: string(name)}
		c.Before, c.After = r.costWith(processors[name], set)
		out = append(out, c)
	}
	return out
}

// addOrders adds the table of accesses to a result, with the reason of each choice.
func (r *Repairer) addOrders(res *verdict.Result, out *fences.Repair) {
	rep := res.Repair
	rep.Orders, rep.CostBefore, rep.CostAfter = r.OrderTable(out.Fences)
	rep.Processors = r.OnProcessors(out.Fences)
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

// Ordered reports whether choices have orders: under c11, and where accesses may get other orders.
func (r *Repairer) Ordered() bool { return r.parts.underC11() || r.opt.Orders.Accesses }

// isFence reports whether a choice is a fence, and not the order of an access.
func (r *Repairer) isFence(at ir.FenceAt) bool { return r.run.Sites[at.Site].Access == nil }

// fencesOf returns the fences among choices.
func (r *Repairer) fencesOf(list []ir.FenceAt) []ir.FenceAt {
	return slices.DeleteFunc(slices.Clone(list), func(at ir.FenceAt) bool { return !r.isFence(at) })
}
