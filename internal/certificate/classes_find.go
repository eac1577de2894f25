package certificate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The search for a tree; nothing relies on it.

// Classes searches all executions of a program and writes the tree of them as a certificate. The error is a *Refuted if
// it finds a violation. nodes bounds the size of the tree; 0: no bound but that of all trees.
func Classes(ctx context.Context, w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, nodes int) (*Covered, error) {
	if err := supported(props, model); err != nil {
		return nil, err
	}
	var chosen []byte
	t := &tree{ctx: ctx, props: props, model: model, nodes: nodes, choose: func(_ *replay.Growing, threads []int, next []replay.Next) (int, error) {
		u, err := cheapest(threads, next)
		chosen = append(chosen, byte(u))
		return u, err
	}}
	if err := t.begin(p); err != nil {
		return nil, err
	}
	return &t.covered, writeClasses(w, statement, p, props, model, chosen, t.covered.Size)
}

// writeClasses writes a certificate with the choices at the nodes of a tree.
func writeClasses(w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, chosen []byte, nodes int) error {
	if err := statement.About(p, props, model); err != nil {
		return err
	}
	statement.Kind, statement.Size = KindClasses, nodes
	out, err := newWriter(w, &statement)
	if err != nil {
		return err
	}
	if _, err := out.Write(chosen); err != nil {
		return err
	}
	return out.close()
}

// cheapest returns the thread whose next step has the fewest children: first steps that read nothing, since writes that
// are there early leave fewer reads to be put off.
func cheapest(threads []int, next []replay.Next) (int, error) {
	u := threads[max(0, slices.IndexFunc(next, func(n replay.Next) bool { return n.Does == replay.Steps || n.Private }))]
	if u > 0xff {
		return 0, fmt.Errorf("%w: thread %d", ErrTooLarge, u)
	}
	return u, nil
}
