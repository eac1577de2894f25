package traces

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/trace"
	"fencepost/query"
	"fencepost/verdict"
)

// How many traces there are up to the exchange of threads that nothing tells apart (docs/engines/symmetry.md).

// maxExchanges bounds the exchanges that are tried with every trace.
const maxExchanges = 720

// orbits explores up to the exchange of threads and notes how many traces there are then. The sizes of their orbits must add
// up to the traces that were counted; otherwise nothing is noted.
func (x *exploration) orbits(ctx context.Context) error {
	if x.set.Reason != "" || !x.set.Coverage.Exhaustive || x.set.Failing > 0 {
		return nil
	}
	task := x.run.ExploreTask(x.flat, x.model, &x.opt.Options)
	y := memory.New(x.flat, x.model, task.MemoryOptions())
	exchanges := exchangesOf(task.Peers(y), y.Threads())
	if len(exchanges) < 2 {
		return nil
	}
	orbits, sum := map[[16]byte]bool{}, int64(0)
	visit := func(w *verdict.Witness) {
		t := trace.New(x.flat, w)
		images := map[[16]byte]bool{}
		for _, as := range exchanges {
			images[trace.Hash(t.Exchanged(as, int(x.flat.Main), x.by == query.ByReadsFrom))] = true
		}
		for h := range images {
			if orbits[h] {
				return
			}
		}
		for h := range images {
			orbits[h] = true
			break
		}
		sum += int64(len(images))
	}
	e := smc.New(smc.Options{Traces: true, Symmetric: true, Visit: visit})
	if x.by == query.ByReadsFrom {
		e = rf.New(rf.Options{Traces: true, Symmetric: true, Visit: visit})
	}
	out, err := pipeline.RunEngine(ctx, &e, task)
	if err != nil {
		return err
	}
	if out.Unknown == "" && sum == x.set.Count {
		x.set.Orbits = int64(len(orbits))
	}
	return nil
}

// exchangesOf returns every exchange of the threads of groups, by thread; nil if there are too many.
func exchangesOf(groups engine.Groups, threads int) [][]int {
	as := make([]int, threads)
	for t := range as {
		as[t] = t
	}
	all := [][]int{as}
	for _, g := range groups {
		for i := range g {
			var next [][]int
			for _, as := range all {
				for k := i; k < len(g); k++ {
					to := append([]int{}, as...)
					to[g[i]], to[g[k]] = to[g[k]], to[g[i]]
					next = append(next, to)
				}
			}
			if all = next; len(all) > maxExchanges {
				return nil
			}
		}
	}
	return all
}
