package trencher

import (
	"slices"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Where fences can be written in Trencher's language: at every state, as
// [BDM13 §7] has it. A fence at state q is a transition to a new state, which takes
// over all transitions that left q; what leads to q stays.

// leaving is the location a transition starts at: that of its state, or the one
// after the state's mark.
func (l *lowerer) leaving(tr *transition, held int) ir.Loc {
	from := l.locs[tr.from][held]
	if !l.marked {
		return from
	}
	if l.after == nil {
		l.after = map[ir.Loc]ir.Loc{}
	}
	if to, ok := l.after[from]; ok {
		return to
	}
	at := l.low.Compiler.Span(tr.start, tr.start)
	to := l.low.Func.Loc(l.low.Func.F.Locs[from].Name+"@fence", at)
	l.after[from] = to
	id := l.low.Func.Edge(from, ir.NewOp(ir.Nop), to, at)
	l.tt.marks[tr.from] = append(l.tt.marks[tr.from], id)
	return to
}

// setSites hands out the states with something to do.
func (p *parser) setSites(u *statement.Unit) {
	if !p.marked {
		return
	}
	type point struct {
		t     *thread
		state int
		first *transition
	}
	var points []point
	for _, t := range p.threads {
		for i := range t.list {
			tr := &t.list[i]
			known := slices.ContainsFunc(points, func(q point) bool { return q.t == t && q.state == tr.from })
			if !known && len(t.marks[tr.from]) > 0 {
				points = append(points, point{t, tr.from, tr})
			}
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return a.first.start - b.first.start })
	for _, q := range points {
		u.Sites = append(u.Sites, ir.FenceSite{
			Pos: source.At(p.File.Pos(q.first.start)), Edges: q.t.marks[q.state],
			Before: statement.FirstLine(p.Text[q.first.start:q.first.end]),
		})
	}
	u.Write = func(fences []ir.FenceAt) []source.Edit {
		var edits []source.Edit
		for _, f := range fences {
			q := points[f.Site]
			edits = append(edits, p.fenceState(q.t, q.state, q.first)...)
		}
		return edits
	}
}

// fenceState writes a fence at a state.
func (p *parser) fenceState(t *thread, state int, first *transition) []source.Edit {
	name := t.states[state].Text
	fresh := name + "_fence"
	for {
		if _, taken := t.index[fresh]; !taken {
			break
		}
		fresh += "_"
	}
	indent, _ := p.File.Indent(first.start)
	edits := []source.Edit{{
		File: p.File.Name, Start: first.start, End: first.start,
		Text: "transition " + name + " " + fresh + " mfence\n" + indent,
	}}
	for i := range t.list {
		if tr := &t.list[i]; tr.from == state {
			edits = append(edits, source.Edit{File: p.File.Name, Start: tr.source.start, End: tr.source.end, Text: fresh})
		}
	}
	return edits
}
