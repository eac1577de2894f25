package bmc

import (
	"fmt"
	"io"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/solver/sat"
	"fencepost/query"
)

// The formula as a file for other solvers. Comments say which variables stand for what happens in the program, and where
// that is in the text; the variables that are not listed are gates in between. An answer of another solver is read back by
// encoding the program again: the encoding is deterministic, and sat.Answer demands that the values satisfy every clause.

// write writes the formula of the main question.
func (r *run) write(main sat.Lit) error {
	comments := append(strings.Split(strings.TrimSpace(r.opt.Header), "\n"), r.x.meanings()...)
	style := sat.DIMACS
	if r.opt.Formula == query.FormulaSMT2 {
		style = sat.SMT2
	}
	if err := r.formula.Write(r.opt.DIMACS, style, comments, main); err != nil {
		return fmt.Errorf("writing the formula: %w", err)
	}
	return nil
}

// meanings returns a line for each variable that stands for something in the program.
func (x *encoder) meanings() []string {
	m := &meaning{x: x, seen: map[sat.Lit]bool{}}
	for _, t := range x.threads {
		m.thread(t)
	}
	if x.order != nil {
		m.order(x.order)
	}
	return m.lines
}

type meaning struct {
	x     *encoder
	seen  map[sat.Lit]bool
	lines []string
}

// note says what a gate stands for, if it has a variable. A variable that is true where the gate is false has a minus.
func (m *meaning) note(g gate, format string, args ...any) {
	v := m.x.c.vars[g>>1]
	if g.constant() || v == 0 || m.seen[v] {
		return
	}
	m.seen[v] = true
	if g&1 == 1 {
		v = -v
	}
	m.lines = append(m.lines, fmt.Sprintf("%d = %s", v, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")))
}

// bits says what the bits of a number stand for.
func (m *meaning) bits(w word, format string, args ...any) {
	for i, g := range w.bits {
		m.note(g, "bit %d of %s", i, fmt.Sprintf(format, args...))
	}
}

func (m *meaning) thread(t *thread) {
	name := m.x.prog.Threads[t.id].Name
	for _, l := range t.locs {
		if l.reached == low {
			continue
		}
		for _, st := range l.steps {
			what := m.x.text(t, st.e)
			m.note(st.runs, "%s executes %s", name, what)
			if st.hasChoice {
				m.bits(st.choice, "the value that %s picks in %s", name, what)
			}
			if a := st.access; a != nil {
				m.bits(a.val, "the value that %s reads in %s", name, what)
				m.bits(a.ts, "the time at which the store of %s reaches memory: %s", name, what)
			}
		}
		if l.pos < 0 || l.inner {
			continue
		}
		for round := range t.turns {
			where := fmt.Sprintf("by the end of round %d", round+1)
			if m.x.order != nil {
				where = "at all"
			}
			m.note(t.turns[round][l.pos], "%s goes beyond %s %s", name, m.x.locationText(t, l), where)
		}
	}
}

// order says which events the gates of the order are about.
func (m *meaning) order(o *order) {
	text := make([]string, len(o.groups))
	for _, e := range o.events {
		if text[e.group] != "" {
			continue
		}
		name := m.x.prog.Threads[e.thread.id].Name
		if e.store != nil {
			text[e.group] = fmt.Sprintf("the store of %s reaches memory: %s", name, m.x.text(e.thread, e.store.e))
		} else {
			text[e.group] = fmt.Sprintf("%s leaves %s", name, m.x.locationText(e.thread, e.loc))
		}
	}
	for _, p := range o.pairs {
		m.note(o.gates[p], "[%s] comes before [%s]", text[p.a], text[p.b])
	}
}

// text returns an operation with its position.
func (x *encoder) text(t *thread, e *ir.Edge) string {
	text := irtext.FormatOp(x.prog, t.f, &e.Op)
	if e.Pos.IsValid() {
		text = fmt.Sprintf("%s:%d:%d: %s", e.Pos.File, e.Pos.Line, e.Pos.Col, text)
	}
	return text
}

// locationText returns the name of a location with the first operation there.
func (x *encoder) locationText(t *thread, l *location) string {
	if len(l.steps) == 0 {
		return t.f.Locs[l.id].Name
	}
	return fmt.Sprintf("%s (%s)", t.f.Locs[l.id].Name, x.text(t, l.steps[0].e))
}

// discarded returns where the formula goes: an answer is read with the variables that the formula had when it was written.
func discarded(o *Options) io.Writer {
	if o.Answer != "" && o.DIMACS == nil {
		return io.Discard
	}
	return o.DIMACS
}
