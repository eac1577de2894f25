package export

// Properties as processes that watch: each waits for the state it is about and
// then fails. A watcher that never gets to run costs SPIN no states.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// variables are those that goals and the final condition read.
func (w *promela) variables() []property.Var {
	var out []property.Var
	for i := range w.props.Goals {
		if c := w.props.Goals[i].With; c != nil {
			out = append(out, c.Vars...)
		}
	}
	if f := w.props.Final; f != nil {
		out = append(out, f.Cond.Vars...)
	}
	return out
}

// watched is the registers among them.
func (w *promela) watched() map[register]bool {
	out := map[register]bool{}
	for _, v := range w.variables() {
		if !v.IsMemory() {
			out[register{v.Thread, v.Reg}] = true
		}
	}
	return out
}

// monitors writes the watching processes.
func (w *promela) monitors(out *strings.Builder) {
	for i := range w.props.Goals {
		g := &w.props.Goals[i]
		w.pos = g.Pos
		name := "goal"
		if i > 0 {
			name = w.names.name(fmt.Sprintf("goal_%d", i+1))
		}
		fmt.Fprintf(out, "/* goal %s */\n", comment(g.Name))
		w.monitor(out, name, w.goal(g))
	}
	f := w.props.Final
	if f == nil {
		return
	}
	w.pos = f.Pos
	cond := w.cond(f.Cond)
	if f.Quantifier == property.Forall {
		cond = "(!" + cond + ")"
	}
	fmt.Fprintf(out, "/* %s %s */\n", f.Quantifier, comment(f.Cond.Text))
	w.monitor(out, "final", append(append([]string{"running == 0"}, w.allDrained()...), cond))
}

func (w *promela) monitor(out *strings.Builder, name string, conds []string) {
	if w.exits {
		conds = append([]string{"!over"}, conds...)
	}
	fmt.Fprintf(out, "active proctype %s() {\nend_watch:\n\td_step { (%s) -> assert(false) }\n}\n\n", name, strings.Join(conds, " && "))
}

// allDrained is the condition that nothing is pending.
func (w *promela) allDrained() []string {
	var out []string
	for _, t := range w.threads {
		if t.room > 0 {
			out = append(out, t.pending+" == 0")
		}
	}
	return out
}

// goal is the condition of a goal state.
func (w *promela) goal(g *property.Goal) []string {
	conds := []string{"true"}
	for _, at := range g.At {
		t := w.threads[at.Thread]
		var places []string
		for _, l := range at.Locs {
			places = append(places, fmt.Sprintf("%s == %d", t.atVar, t.atCode(l)))
		}
		if len(places) == 0 {
			places = []string{"false"}
		}
		conds = append(conds, "("+strings.Join(places, " || ")+")")
	}
	if g.MentionsMemory() {
		conds = append(conds, w.allDrained()...)
	}
	if g.With != nil {
		conds = append(conds, w.cond(g.With))
	}
	return conds
}

// cond translates a condition over registers and memory.
func (w *promela) cond(c *property.Cond) string {
	in := env{}
	for _, v := range c.Vars {
		in.regs = append(in.regs, w.variable(v))
	}
	return w.expr(c.Expr, in)
}

func (w *promela) variable(v property.Var) string {
	if !v.IsMemory() {
		return w.threads[v.Thread].regs[v.Reg]
	}
	pl, ok := w.fixed(v.Addr, int64(v.Type.Size()), ir.NoObject)
	if !ok || pl.fails {
		return "0"
	}
	return w.seen(v.Type, &pl, "")
}
