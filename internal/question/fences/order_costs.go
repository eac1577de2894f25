package fences

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"

	"fencepost/internal/ir"
	"fencepost/query"
	"fencepost/verdict"
)

// What accesses cost with each order.

// orderCosts returns what choices with orders cost: as much as the access costs more than without the choice.
func (r *Repairer) orderCosts() (func(ir.FenceAt) int64, error) {
	costs, weights, err := r.costTable()
	if err != nil {
		return nil, err
	}
	hot, err := r.siteCosts()
	if err != nil {
		return nil, err
	}
	r.accessCost = func(table costTable, site ir.SiteID, order ir.Order) int64 {
		s := &r.run.Sites[site]
		kind := ir.FenceAccess
		if s.Access != nil {
			kind = s.Access.Kind
		}
		if order == ir.Consume {
			order = ir.Acquire // as compilers have it
		}
		cost := table[kind][order]
		for _, times := range []int64{weights[lineKey{path.Base(s.Pos.File), s.Pos.Line}], int64(s.Expansions), hot(ir.FenceAt{Site: site})} {
			cost = min(maxCost, cost*max(1, times))
		}
		return cost
	}
	r.costsAsked = costs
	return func(at ir.FenceAt) int64 {
		base := r.Fences.Base(at.Site)
		if r.run.Sites[at.Site].Access == nil {
			base = ir.Relaxed
		}
		return r.accessCost(costs, at.Site, at.Order) - r.accessCost(costs, at.Site, base)
	}, nil
}

// costTable has what accesses cost.
type costTable map[ir.AccessKind]map[ir.Order]int64

type lineKey struct {
	file string
	line int
}

// processors has what accesses cost, in units of a plain load: loads and stores as the compilers' tables have them, and
// rounded times of the instructions.
var processors = map[query.Processor]costTable{
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

// costTable returns what accesses cost, and how much the lines of a file of costs count.
func (r *Repairer) costTable() (costTable, map[lineKey]int64, error) {
	o := &r.opt.Orders
	costs, weights := costTable{}, map[lineKey]int64{}
	base := o.Processor
	if base == query.ProcessorFile {
		base = query.ProcessorArm
	}
	for kind, list := range processors[base] {
		costs[kind] = maps.Clone(list)
	}
	scan := bufio.NewScanner(bytes.NewReader(o.Costs.Text))
	var refused error
	for n := 1; scan.Scan(); n++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		if words := strings.Fields(text); len(words) > 0 && !costLine(r.run.Input.Name, words, costs, weights) {
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
				low := costs[kind][ir.Relaxed]
				a, b, both := costs[kind][order], costs[kind][other], costs[kind][join]
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
func costLine(program string, words []string, costs costTable, weights map[lineKey]int64) bool {
	cost, err := strconv.ParseInt(words[len(words)-1], 10, 64)
	if err != nil || cost < 0 || cost > maxCost {
		return false
	}
	if len(words) == 2 {
		file, line := path.Base(program), words[0]
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
				costs[kind][order] = cost
				return true
			}
		}
	}
	return false
}
