package check

import (
	"slices"
	"strings"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// What was not asked and could matter. The facts are static: an answer that names nothing has nothing to name, and one
// that names something may be about a program without the fault.

// notAsked returns what the answer does not say about a program in C or machine code.
func notAsked(p *pipeline.Program, flat *ir.Program, opt *query.CheckOptions) []verdict.NotAsked {
	var out []verdict.NotAsked
	if p.BeginsAtMain {
		plain, weak := meeting(flat)
		if plain && !opt.Races {
			out = append(out, verdict.NotAskedRaces)
		}
		if weak && !p.Kernel { // whose model is the kernel's
			out = append(out, verdict.NotAskedC11)
		}
	}
	if p.Kernel {
		out = append(out, verdict.NotAskedKernel)
	}
	if p.Errors && !opt.Leaks && allocates(flat) {
		out = append(out, verdict.NotAskedLeaks)
	}
	return out
}

// allocates reports whether a program has blocks that it could forget to free.
func allocates(flat *ir.Program) bool {
	for t := range flat.Threads {
		if slices.ContainsFunc(flat.ThreadFunc(ir.ThreadID(t)).Edges, func(e ir.Edge) bool { return e.Op.Kind == ir.Alloc && !e.Op.Block.Stack }) {
			return true
		}
	}
	return false
}

// group has the properties that several accesses of one thread have in common.
type group struct {
	thread              ir.ThreadID
	plain, weak, writes bool
}

// meeting reports whether accesses of two threads, one of which writes, may have a byte in common: two plain ones or a
// plain one and another, and atomic ones of which one has an order weaker than sequential consistency.
func meeting(flat *ir.Program) (plain, weak bool) {
	groups := map[group]*analysis.Footprint{}
	facts := analysis.NewFacts(flat, nil)
	for t := range flat.Threads {
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			switch e.Op.Kind {
			case ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW:
			default:
				continue
			}
			if e.Op.Sync.Kind != 0 || inLibrary(e.Pos.File) {
				continue // of a library function
			}
			key := group{
				thread: ir.ThreadID(t), plain: e.Op.Sync.Order == ir.Plain, writes: e.Op.Kind == ir.Store || e.Op.Kind == ir.RMW,
				weak: e.Op.Sync.Order != ir.Plain && e.Op.Sync.Order != ir.SeqCst,
			}
			all := groups[key]
			if all == nil {
				all = &analysis.Footprint{}
				groups[key] = all
			}
			one := facts.Footprint(e)
			all.Anything = all.Anything || one.Anything
			for _, r := range one.Ranges {
				if !slices.Contains(all.Ranges, r) {
					all.Ranges = append(all.Ranges, r)
				}
			}
		}
	}
	for a, first := range groups {
		for b, second := range groups {
			if a.thread == b.thread || !a.writes || !first.Overlaps(*second) {
				continue
			}
			plain = plain || a.plain || b.plain
			weak = weak || a.weak || b.weak
		}
	}
	return plain, weak
}

// inLibrary reports whether a file is one of the sources of our own library.
func inLibrary(file string) bool { return strings.HasPrefix(file, "<fencepost>") }
