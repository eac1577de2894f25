package verify

import (
	"fmt"
	"reflect"
	"slices"

	engine "fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Answers about memory orders. They are verified like answers about fences: every execution is a graph that is replayed in
// the program with the orders that the result names, and the bound is computed again from the graphs.

// orderExecutions replays every bad graph.
func (f *fenceVerifier) orderExecutions() {
	set, reasons, err := f.rep.Chosen(f.r)
	if err != nil {
		return // stated with the sites
	}
	if b := f.r.Repair.Before; b != nil {
		f.replayWith("before the repair", b, b.With)
	}
	for i, reason := range reasons {
		if reason != nil {
			f.replayWith(fmt.Sprintf("without order %d", i+1), reason, f.rep.Refs(slices.Delete(slices.Clone(set), i, i+1)))
		}
	}
	f.needs()
}

// orderAt finds a choice.
func (f *fenceVerifier) orderAt(site int, kind, order string) (ir.FenceAt, error) {
	if site >= 1 && site <= len(f.rep.Fences.Sites()) {
		for _, at := range f.rep.SearchTask(f.cost).Choices(ir.SiteID(site - 1)) {
			if refs := f.rep.Refs([]ir.FenceAt{at}); refs[0].Kind == kind && refs[0].Order == order {
				return at, nil
			}
		}
	}
	return ir.FenceAt{}, fmt.Errorf("there is no site %d for the order %q", site, order)
}

// orderSites compares all accesses and fences with those of the text.
func (f *fenceVerifier) orderSites() error {
	rep := f.r.Repair
	set, reasons, err := f.rep.Chosen(f.r)
	if err != nil {
		return err
	}
	var cost int64
	for i, at := range set {
		cost += f.cost(at)
		if reasons[i] == nil && !slices.ContainsFunc(f.r.Warnings, func(w verdict.Warning) bool { return w.Code == engine.NoReasons }) {
			return fmt.Errorf("an order has no execution that shows why it is needed")
		}
	}
	if f.r.Verdict != verdict.Safe {
		return nil
	}
	if cost != f.r.Cost {
		return fmt.Errorf("cost: stored %d, computed %d", f.r.Cost, cost)
	}
	if _, _, err := f.found(f.r.Fences); err != nil {
		return err
	}
	if !f.v.question.fences.Orders.Accesses {
		return nil
	}
	list, before, after := f.rep.OrderTable(set)
	stored := slices.Clone(rep.Orders)
	for i := range stored {
		stored[i].Without = nil
	}
	if !reflect.DeepEqual(f.rep.OnProcessors(set), rep.Processors) {
		return fmt.Errorf("repair.processors: not what the orders cost there")
	}
	if !reflect.DeepEqual(list, stored) || before != rep.CostBefore || after != rep.CostAfter {
		return fmt.Errorf("repair.orders: not the accesses of the program with these orders and costs")
	}
	return nil
}
