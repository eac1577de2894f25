package fp

import (
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// properties translates goals and the final condition, and lists what can be
// observed.
func (c *fileCompiler) properties() *property.Set {
	set := &property.Set{}
	var final *finalDecl
	for _, it := range c.tree.items {
		switch {
		case it.goal != nil:
			set.Goals = append(set.Goals, c.goal(it.goal))
		case it.always != nil:
			c.always(it.always)
		case it.final != nil && final != nil:
			c.Errorf(statement.CodeTwoFinals, it.final.start, it.final.end, "a second final condition").
				Note("the first is at %s", c.File.Pos(final.start))
		case it.final != nil:
			final = it.final
			quantifier := map[string]property.Quantifier{"exists": property.Exists, "never": property.Never, "forall": property.Forall}
			set.Final = &property.Final{
				Quantifier: quantifier[final.word],
				Cond:       c.Condition(final.cond),
				Pos:        c.Span(final.start, final.end),
			}
		}
	}
	set.Checks, set.Invariants, set.CodeInvariants, set.Instances = c.Checks, c.Said, c.Ghosts, c.Instances
	if len(c.Numbered) > 0 {
		set.Numbers = c.Numbered
	}
	if !c.Diags.HasErrors() {
		set.Observe = c.Observe()
	}
	return set
}

func (c *fileCompiler) goal(d *goalDecl) property.Goal {
	g := property.Goal{Name: d.name, Pos: c.Span(d.start, d.end)}
	if g.Name == "" {
		g.Name = c.Text(d.start+len("goal"), d.end)
	}
	taken := map[string]bool{}
	for _, a := range d.at {
		t, i := c.FindThread(a.thread.Text, a.index, a.thread.Start, a.thread.End)
		if t == nil {
			continue
		}
		name := t.InstanceName(int(i))
		if taken[name] {
			c.Errorf(statement.CodeGoalTwice, a.start, a.end, "the goal names thread '%s' twice", statement.Clip(name))
		}
		taken[name] = true
		l := t.Labels[a.label.Text]
		if l == nil {
			d := c.Errorf(statement.CodeLabel, a.label.Start, a.label.End, "thread '%s' has no label '%s'", statement.Clip(t.Name), statement.Clip(a.label.Text))
			statement.Suggest(d, a.label.Text, t.Labels)
			continue
		}
		g.At = append(g.At, property.At{Thread: t.Id(i), Locs: []ir.Loc{l.Find().Loc}})
	}
	if d.with != nil {
		g.With = c.Condition(d.with)
	}
	return g
}

// always adds the invariants of all locations.
func (c *fileCompiler) always(e *statement.Expr) {
	c.Said = append(c.Said, property.Invariant{Thread: ir.NoThread, Cond: c.Invariant(e, &statement.Scope{Compiler: c.Compiler}), Pos: c.Span(e.Start, e.End)})
}
