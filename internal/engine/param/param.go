package param

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Question is a question for any number of threads. The zero value is unset.
type Question uint8

// The questions.
const (
	_      Question = iota
	Safety          // under SC: a check fails, or a goal is reached
	Robust          // against TSO: an attack is feasible
)

// Answer is the answer for all numbers of instances.
type Answer struct {
	// Possible says that a violation is possible with some number of instances; Enough is a number
	// of instances of every template that is enough for it, 0 if that is not known.
	Possible bool
	Enough   int
	// Unknown says why there is no answer.
	Unknown  string
	Coverage verdict.Coverage
	Stats    verdict.Stats
	Net      Size
}

// Size has the sizes of a net and of the search.
type Size struct {
	Places, Transitions, Elements, Tried, Pruned int
}

// NetOf returns the net of a program and the place that must not be marked.
func NetOf(ctx context.Context, task *engine.Task, q Question, domain *Domain) (*Net, int, error) {
	b, err := build(ctx, task, q == Robust, domain)
	if err != nil {
		return nil, 0, err
	}
	return b.net, int(b.bad), nil
}

// Decide answers a question for every number of instances.
func Decide(ctx context.Context, task *engine.Task, q Question, domain *Domain) (*Answer, error) {
	start := time.Now()
	if err := asks(task, q); err != nil {
		return nil, err
	}
	b, domain, err := buildBounded(ctx, task, q, domain)
	if _, unsupported := err.(*engine.Unsupported); unsupported {
		return nil, err
	}
	if err != nil {
		return &Answer{Unknown: err.Error(), Stats: verdict.Stats{Seconds: time.Since(start).Seconds()}}, nil
	}
	a := &Answer{Net: Size{Places: len(b.net.Places), Transitions: len(b.net.Trans)}}
	c := newCover(b.net, findPairs(ctx, b.net))
	c.memory = task.Limits.MemoryLimit()
	found, complete := c.run(ctx, b.bad)
	a.Net.Elements, a.Net.Tried, a.Net.Pruned = c.stats.Elements, c.stats.Tried, c.stats.Pruned
	a.Stats = verdict.Stats{States: int64(len(c.list)), Transitions: int64(c.stats.Tried)}
	switch {
	case found != nil:
		a.Possible, a.Enough = true, b.enough(found)
	case !complete && ctx.Err() != nil:
		a.Unknown = fmt.Sprintf("%s with %d elements", stopped(ctx), len(c.list))
	case !complete && len(c.list) <= c.limit:
		a.Unknown = fmt.Sprintf("memory limit of %d MiB reached with %d elements", c.memory>>20, len(c.list))
	case !complete:
		a.Unknown = fmt.Sprintf("more than %d elements", c.limit)
	}
	a.Coverage.Bounds = b.sys.Bounds
	if domain != nil && a.Unknown == "" && !a.Possible {
		out, complete := newCover(b.net, c.pairs).run(ctx, b.outside)
		if out != nil || !complete { // some value may leave the domain
			a.Coverage.Bounds = append(a.Coverage.Bounds, verdict.Bound{Name: "domain", Low: int(domain.Lo), Value: int(domain.Hi), Hit: true})
		}
	}
	a.Coverage.Exhaustive = a.Unknown == "" && len(a.Coverage.Bounds) == 0
	a.Stats.Seconds = time.Since(start).Seconds()
	return a, nil
}

// buildBounded returns the net. If the values seem to be unbounded, the net may be too imprecise to
// show that they are bounded. Then small domains are tried, and the net answers whether a value
// leaves the domain, like any other question. Every step under SC is also a step in the net for
// robustness, and the net under SC is much smaller, so it is asked first: values that are unbounded
// there are unbounded in both nets, and a value that leaves a domain there leaves it in both.
func buildBounded(ctx context.Context, task *engine.Task, q Question, domain *Domain) (*builder, *Domain, error) {
	sc := *task
	sc.Props = &property.Set{}
	err := error(nil)
	if q == Robust && domain == nil {
		_, err = build(ctx, &sc, false, nil)
	}
	if _, grows := err.(*lts.Growing); !grows {
		var b *builder
		if b, err = build(ctx, task, q == Robust, domain); err == nil {
			return b, domain, nil
		}
		if _, grows = err.(*lts.Growing); !grows {
			return nil, nil, err
		}
	}
	for k := int64(1); k <= widestGuess; k *= 2 {
		guess := &Domain{Lo: -k, Hi: k}
		if q == Robust {
			if plain, plainErr := build(ctx, &sc, false, guess); plainErr == nil && !stays(ctx, plain) {
				continue
			}
		}
		tight, tightErr := build(ctx, task, q == Robust, guess)
		if tightErr != nil {
			return nil, nil, tightErr
		}
		if stays(ctx, tight) {
			return tight, guess, nil
		}
	}
	return nil, nil, err
}

// stays reports whether no value is known to leave the domain.
func stays(ctx context.Context, b *builder) bool {
	out, complete := newCover(b.net, findPairs(ctx, b.net)).run(ctx, b.outside)
	return complete && out == nil
}

// widestGuess is the largest domain that is tried if none is given.
const widestGuess = 16

// asks returns an error for questions that are not upward closed.
func asks(task *engine.Task, q Question) error {
	if q == Robust {
		return nil
	}
	switch {
	case task.Props.Deadlock:
		return &engine.Unsupported{What: "for any number of threads: deadlock is not supported, since more threads can end one"}
	case task.Props.Endless:
		return &engine.Unsupported{What: "for any number of threads: whether loops end is not supported, since more threads can end one", Advice: "use --liveness off"}
	case task.Props.Final != nil:
		return &engine.Unsupported{What: "for any number of threads: a final condition is not supported"}
	}
	return nil
}

// enough returns the largest number of instances of a template that a marking needs, or 0 if
// instances do not come from the initial marking.
func (b *builder) enough(m marking) int {
	for _, f := range b.p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.Kind == ir.Spawn && slices.ContainsFunc(op.Call.Threads, func(t ir.ThreadID) bool { return b.p.Threads[t].Unbounded }) {
				return 0
			}
		}
	}
	n := 1
	for _, a := range m {
		if b.net.Places[a.Place].Init == Omega {
			n = max(n, int(a.N))
		}
	}
	return n
}
