package mover

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Comparison with states. An invariant that the solver has proved and that is false in a reachable state is wrong, and so
// is the encoding. Tests compare all of them with states of instances.

// audit returns the invariants that are false in a state of an instance with sizes threads per template, and how
// often an invariant was compared with a state.
func (k *knowledge) audit(ctx context.Context, reach Reach, sizes ...int) (bad []string, compared int) {
	told := map[*pred]bool{}
	for _, n := range sizes {
		in := k.instance(n)
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
			try(k.global, "always")
			for _, t := range threads {
				l, _ := s.At(t)
				if st.thread = t; k.joined(in, s, threads, t) {
					continue
				}
				try(k.local[in.of[t]][l], in.of[t].name+" at "+in.of[t].f.Locs[l].Name)
			}
			wrong, tried := k.wrongAbout(in, s, threads)
			bad, compared = append(bad, wrong...), compared+tried
		})
	}
	return bad, compared
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
