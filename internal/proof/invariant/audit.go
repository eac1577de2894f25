package invariant

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
)

// Comparison with states. An invariant that the solver has proved and that is false in a reachable state is wrong, and so
// is the encoding. Tests compare all of them with states of instances.

// Audit returns the invariants that are false in a state of an instance with sizes threads per template, and how
// often an invariant was compared with a state.
func (k *Knowledge) Audit(ctx context.Context, reach program.Reach, sizes ...int) (bad []string, compared int) {
	told := map[*Condition]bool{}
	for _, n := range sizes {
		in := k.instance(n)
		in.each(ctx, reach, func(s program.State, threads []ir.ThreadID) {
			st := &concrete{State: s}
			try := func(list []*Condition, where string) {
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
				try(k.Local[in.of[t]][l], in.of[t].Name+" at "+in.of[t].Code.Locs[l].Name)
			}
			wrong, tried := k.wrongAbout(in, s, threads)
			bad, compared = append(bad, wrong...), compared+tried
		})
	}
	return bad, compared
}

// joined reports whether a thread was joined: what is known where a thread ends is so until it is joined.
func (k *Knowledge) joined(in *instance, s program.State, threads []ir.ThreadID, t ir.ThreadID) bool {
	return slices.ContainsFunc(threads, func(u ir.ThreadID) bool {
		l, _ := s.At(u)
		return k.pr.Lifetimes.Over(in.of[u], l, in.of[t])
	})
}

// wrongAbout returns the separations about two threads and the counts that are wrong in a state, and how
// many were compared with it.
func (k *Knowledge) wrongAbout(in *instance, s program.State, threads []ir.ThreadID) (bad []string, compared int) {
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
		g := &k.pr.Regions[ct.x]
		value := g.SeenIn(s)
		if ct.y >= 0 {
			value -= k.pr.Regions[ct.y].SeenIn(s)
		}
		if compared++; (ir.Type{Bits: ct.bits}).Wrap(value-sum) != 0 {
			bad = append(bad, ct.text(k.pr))
		}
		for _, t := range threads {
			l, _ := s.At(t)
			if sum, ok := ct.sum(k, in.of[t], l); ok && !k.joined(in, s, threads, t) {
				if compared++; (ir.Type{Bits: ct.bits}).Wrap(value-sum) != 0 {
					bad = append(bad, fmt.Sprintf("%s, which is %d where %s is at %s", ct.text(k.pr), sum, in.of[t].Name, in.of[t].Code.Locs[l].Name))
				}
			}
		}
	}
	return bad, compared
}
