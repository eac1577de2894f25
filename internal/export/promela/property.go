package promela

// Properties as processes that watch the program: each waits for a state that violates
// its property, and then fails. A process that never runs adds no states to SPIN's search.

import (
	"fmt"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// monitors writes the properties of a program as processes that watch it.
type monitors struct{ w *promela }

func monitorsOf(w *promela) monitors { return monitors{w} }

// variables returns the variables that goals and the final condition read.
func (m monitors) variables() []property.Var {
	var out []property.Var
	for i := range m.w.props.Goals {
		if c := m.w.props.Goals[i].With; c != nil {
			out = append(out, c.Vars...)
		}
	}
	if f := m.w.props.Final; f != nil {
		out = append(out, f.Cond.Vars...)
	}
	return out
}

// watched returns the registers among variables.
func (m monitors) watched() map[export.Register]bool {
	out := map[export.Register]bool{}
	for _, v := range m.variables() {
		if !v.IsMemory() {
			out[export.Register{Thread: v.Thread, Reg: v.Reg}] = true
		}
	}
	return out
}

// write writes the watching processes.
func (m monitors) write(out *strings.Builder) {
	for i := range m.w.props.Goals {
		g := &m.w.props.Goals[i]
		m.w.pos = g.Pos
		name := "goal"
		if i > 0 {
			name = m.w.names.Name(fmt.Sprintf("goal_%d", i+1))
		}
		fmt.Fprintf(out, "/* goal %s */\n", export.Comment(g.Name))
		m.monitor(out, name, m.goal(g))
	}
	f := m.w.props.Final
	if f == nil {
		return
	}
	m.w.pos = f.Pos
	cond := m.cond(f.Cond)
	if f.Quantifier == property.Forall {
		cond = "(!" + cond + ")"
	}
	fmt.Fprintf(out, "/* %s %s */\n", f.Quantifier, export.Comment(f.Cond.Text))
	m.monitor(out, "final", append(append([]string{"running == 0"}, m.allDrained()...), cond))
}

// monitor writes a process that fails when all conditions hold.
func (m monitors) monitor(out *strings.Builder, name string, conds []string) {
	if m.w.exits {
		conds = append([]string{"!over"}, conds...)
	}
	fmt.Fprintf(out, "active proctype %s() {\nend_watch:\n\td_step { (%s) -> assert(false) }\n}\n\n", name, strings.Join(conds, " && "))
}

// allDrained returns the conditions that all buffers are empty.
func (m monitors) allDrained() []string {
	var out []string
	for _, t := range m.w.threads {
		if t.room > 0 {
			out = append(out, t.pending+" == 0")
		}
	}
	return out
}

// goal returns the conditions of a goal state.
func (m monitors) goal(g *property.Goal) []string {
	conds := []string{"true"}
	for _, at := range g.At {
		t := m.w.threads[at.Thread]
		var locs []string
		for _, l := range at.Locs {
			locs = append(locs, fmt.Sprintf("%s == %d", t.atVar, t.atCode(l)))
		}
		if len(locs) == 0 {
			locs = []string{"false"}
		}
		conds = append(conds, "("+strings.Join(locs, " || ")+")")
	}
	if g.MentionsMemory() {
		conds = append(conds, m.allDrained()...)
	}
	if g.With != nil {
		conds = append(conds, m.cond(g.With))
	}
	return conds
}

// cond translates a condition over registers and memory.
func (m monitors) cond(c *property.Cond) string {
	in := env{}
	for _, v := range c.Vars {
		in.regs = append(in.regs, m.variable(v))
	}
	return m.w.expr(c.Expr, in)
}

func (m monitors) variable(v property.Var) string {
	if !v.IsMemory() {
		return m.w.threads[v.Thread].regs[v.Reg]
	}
	addr, ok := m.w.fixed(v.Addr, int64(v.Type.Size()), ir.NoObject)
	if !ok || addr.fails {
		return "0"
	}
	return m.w.seen(v.Type, &addr, "")
}
