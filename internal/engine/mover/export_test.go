package mover

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// LimitQuestions bounds the work that the solver does for one question. It returns what restores the limit.
func LimitQuestions(work int) (restore func()) {
	old := queryLimit
	queryLimit.Work = work
	return func() { queryLimit = old }
}

// ProveAndCompare proves a program and returns, beside the outcome, the inferred invariants that are false in a
// state of an instance with sizes threads per template, and how often an invariant was compared with a state.
func ProveAndCompare(ctx context.Context, p *ir.Program, props *property.Set, opt Options, reach Reach, sizes ...int) (out *Outcome, bad []string, compared int, err error) {
	asker, err := newAsker(ctx, &opt)
	if err != nil {
		return nil, nil, 0, err
	}
	defer asker.close()
	pr := &prover{ctx: ctx, asker: asker}
	if err := pr.prepare(clone(p), props, opt); err != nil {
		return nil, nil, 0, err
	}
	if out, err = pr.prove(opt); err != nil {
		return nil, nil, 0, err
	}
	told := map[*pred]bool{}
	for _, n := range sizes {
		in := pr.known.instance(n)
		in.each(ctx, reach, func(s State, threads []ir.ThreadID) {
			st := &concrete{State: s}
			try := func(list []*pred, where string) {
				for _, p := range list {
					if p.holds == nil {
						continue
					}
					if compared++; !p.holds(st) && !told[p] {
						told[p] = true
						bad = append(bad, where+": "+p.text)
					}
				}
			}
			try(pr.known.global, "always")
			for _, t := range threads {
				l, _ := s.At(t)
				if st.thread = t; pr.known.joined(in, s, threads, t) {
					continue
				}
				try(pr.known.local[in.of[t]][l], in.of[t].name+" at "+in.of[t].f.Locs[l].Name)
			}
			wrong, tried := pr.known.wrongAbout(in, s, threads)
			bad, compared = append(bad, wrong...), compared+tried
		})
	}
	return out, bad, compared, nil
}

// joined reports whether a thread was joined: what is known where a thread ends is so until it is joined.
func (k *knowledge) joined(in *instance, s State, threads []ir.ThreadID, t ir.ThreadID) bool {
	return slices.ContainsFunc(threads, func(u ir.ThreadID) bool {
		l, _ := s.At(u)
		return k.pr.family.over(in.of[u], l, in.of[t])
	})
}

// wrongAbout returns the separations about two threads and the counts that are wrong in a state, and how
// many were compared with it.
func (k *knowledge) wrongAbout(in *instance, s State, threads []ir.ThreadID) (bad []string, compared int) {
	for _, t := range threads {
		for _, u := range threads {
			l, _ := s.At(t)
			n, _ := s.At(u)
			if t == u {
				continue
			}
			for _, x := range k.separations(in.of[t], l, in.of[u], n) {
				r, v := x.f.r, x.f.s
				if x.swap {
					r, v = v, r
				}
				if compared++; x.f.excludes() || s.Reg(t, r) == s.Reg(u, v) {
					bad = append(bad, x.f.text())
				}
			}
		}
	}
	for _, ct := range k.counts {
		sum := int64(0)
		for _, t := range threads {
			l, _ := s.At(t)
			sum += ct.weight[in.of[t]][l]
		}
		g := &k.pr.regions[ct.x]
		value := g.seenIn(s)
		if ct.y >= 0 {
			value -= k.pr.regions[ct.y].seenIn(s)
		}
		if compared++; (ir.Type{Bits: ct.bits}).Wrap(value-sum) != 0 {
			bad = append(bad, ct.text(k.pr))
		}
		for _, t := range threads {
			l, _ := s.At(t)
			if sum, ok := ct.sum(k, in.of[t], l); ok && !k.joined(in, s, threads, t) {
				if compared++; (ir.Type{Bits: ct.bits}).Wrap(value-sum) != 0 {
					bad = append(bad, fmt.Sprintf("%s, which is %d where %s is at %s", ct.text(k.pr), sum, in.of[t].name, in.of[t].f.Locs[l].Name))
				}
			}
		}
	}
	return bad, compared
}
