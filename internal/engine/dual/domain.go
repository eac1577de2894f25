package dual

import (
	"context"
	"errors"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/verdict"
)

// Small domains. Package lts runs every thread alone with all values that others may write, so values may
// grow there that cannot grow in any execution: a counter that is incremented only if another thread has reset it. Then
// small domains are tried for the cells that grow. A transition that writes a value outside the domain leads its
// thread to the state left. If no thread can come to this state, no execution writes such a value, and the
// answer with the domain is the answer. A violation that is found with a domain is one in any case.

// widest is the largest domain that is tried, from -widest to widest.
const widest = 16

// decide answers the task, with a domain that is given or with small ones if values seem to grow.
func decide(ctx context.Context, task *engine.Task, opt Options, out *engine.Outcome, given *lts.Domain, answer func(*model, *engine.Outcome) error) error {
	m, grows, err := buildGrowing(ctx, task, opt, domain{given, nil})
	if err != nil {
		return err
	}
	if grows == nil {
		if err := answer(m, out); err != nil || given == nil || len(out.Violations) > 0 {
			return err
		}
		if s := m.search(ctx, m.leaving()); s.stop != nil || s.found != anything { // some value may leave the domain
			out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: "domain", Low: int(given.Lo), Value: int(given.Hi), Hit: true})
		}
		return nil
	}
	cells := map[uint64]bool{grows.Addr: true}
	for k := int64(1); k <= widest; k *= 2 {
		m, more, err := buildGrowing(ctx, task, opt, domain{&lts.Domain{Lo: -k, Hi: k}, cells})
		for ; more != nil && err == nil; m, more, err = buildGrowing(ctx, task, opt, domain{&lts.Domain{Lo: -k, Hi: k}, cells}) {
			cells[more.Addr] = true
		}
		if err != nil {
			return err
		}
		one := &engine.Outcome{}
		err = answer(m, one)
		one.Stats.States += out.Stats.States
		one.Stats.Transitions += out.Stats.Transitions
		*out = *one
		if err != nil || len(out.Violations) > 0 {
			return err
		}
		leaves := m.search(ctx, m.leaving())
		out.Stats.States += int64(len(leaves.elements))
		out.Stats.Transitions += leaves.tried
		switch {
		case errors.Is(leaves.stop, errInstances): // too many to see whether a value leaves the domain
		case leaves.stop != nil:
			return leaves.stop
		case leaves.found == anything:
			return nil
		}
	}
	return grows
}

// domain restricts the values of some cells.
type domain struct {
	*lts.Domain
	cells map[uint64]bool
}

// buildGrowing returns the threads, or a cell that takes more and more values.
func buildGrowing(ctx context.Context, task *engine.Task, opt Options, d domain) (*model, *lts.Growing, error) {
	m, err := build(ctx, task, opt, d)
	var grows *lts.Growing
	if errors.As(err, &grows) {
		return nil, grows, nil
	}
	return m, nil, err
}

// leaving returns the states in which a value has left the domain.
func (m *model) leaving() []target {
	var out []target
	for p, th := range m.threads {
		if th.left != anything {
			out = append(out, target{config: m.one(p, th.left)})
		}
	}
	return out
}

// leaves returns the transition of an action that writes a value outside the domain.
func (m *model) leaves(u user, mv *lts.Move) trans {
	th := m.threads[u.thread]
	if th.left == anything {
		th.left = th.special(lts.State{Thread: u.thread, Loc: -1})
	}
	tr := trans{kind: exclusive, from: u.state, to: th.left}
	if mv.Edge.Op.Kind == ir.Store {
		tr.kind = local
		return tr
	}
	for _, a := range mv.Accesses {
		if a.Read {
			old := m.index(a.Cell, a.Old)
			tr.accesses = append(tr.accesses, access{cell: int32(a.Cell), old: old, new: old})
		}
	}
	return tr
}
