package promela

// Threads as processes.

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

// thread holds the names and sizes with which the text represents a thread.
type thread struct {
	id     ir.ThreadID
	fn     ir.FuncID
	f      *ir.Func
	name   string   // the name of the process
	title  string   // the name of the thread, for comments
	start  bool     // the thread runs from the beginning
	inside []bool   // by location: whether it is in an atomic section
	regs   []string // by register: its variable
	global []bool   // by register: whether other processes read or set it
	init   []int64  // by register: its initial value

	at    map[ir.Loc]bool // locations that goals name
	atVar string          // the variable that holds the location, "" without such locations

	threadNames

	room    int  // entries of the buffer, 0: none
	bounded bool // a store may have to wait because of the bound
}

// threadNames has the names of a thread's variables and macros in Promela.
type threadNames struct {
	started, ended, joined, result string // variables, "" if they are not needed
	// returned is a variable of the main thread that says whether it has returned. It is
	// ended unless the thread can also end by ThreadExit.
	returned                               string
	pending, slots, values, sizes          string // variables of the buffer
	load, forwards, byteLoad, byteForwards string // macros that read it
}

// addThread adds a thread and chooses the names of its variables.
func (w *promela) addThread(id ir.ThreadID, watched map[export.Register]bool) {
	th := &w.p.Threads[id]
	t := &thread{id: id, fn: th.Func, f: w.p.Funcs[th.Func], title: export.Comment(th.Name), start: th.Start, at: map[ir.Loc]bool{}}
	t.name = w.names.Name(th.Name)
	inside, err := ir.SectionLocs(t.f)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	t.inside = inside
	for r := range t.f.Regs {
		t.regs = append(t.regs, w.names.Name(t.name+"_"+t.f.Regs[r].Name))
		t.global = append(t.global, watched[export.Register{Thread: id, Reg: ir.Reg(r)}] || !th.Start && r < t.f.Params)
		t.init = append(t.init, t.f.Regs[r].Init)
	}
	copy(t.init, th.Args)
	for _, g := range w.props.Goals {
		for _, at := range g.At {
			for _, l := range at.Locs {
				if at.Thread == id {
					t.at[l] = true
				}
			}
		}
	}
	if len(t.at) > 0 {
		t.atVar = w.names.Name("at_" + t.name)
	}
	if !t.start {
		t.started = w.names.Name("started_" + t.name)
	}
	if w.joins || w.props.Deadlock && w.p.Main == id {
		t.ended = w.names.Name("ended_" + t.name)
	}
	if t.returned = t.ended; w.p.Main == id && w.props.Deadlock && exits(t.f) {
		t.returned = w.names.Name("returned_" + t.name)
	}
	if w.joins {
		t.joined = w.names.Name("joined_" + t.name)
	}
	if w.results {
		t.result = w.names.Name("result_" + t.name)
	}
	t.pending, t.slots, t.values = w.names.Name("pending_"+t.name), w.names.Name("slots_"+t.name), w.names.Name("values_"+t.name)
	t.load, t.forwards = w.names.Name("load_"+t.name), w.names.Name("own_"+t.name)
	t.sizes, t.byteLoad, t.byteForwards = w.names.Name("sizes_"+t.name), w.names.Name("byte_"+t.name), w.names.Name("own_byte_"+t.name)
	w.threads = append(w.threads, t)
	w.sizeBuffer(t)
}

func (t *thread) env() env { return env{regs: t.regs} }

// atCode returns the value of atVar at a location.
func (t *thread) atCode(l ir.Loc) int {
	if t.at[l] {
		return int(l) + 1
	}
	return 0
}

// declareThread declares the variables of a thread that other processes read or set.
func (w *promela) declareThread(out *strings.Builder, t *thread) {
	for r := range t.regs {
		if t.global[r] {
			w.declareReg(out, t, ir.Reg(r), "")
		}
	}
	entryEnds := t.f.Ends(t.f.Entry)
	if t.atVar != "" {
		first := 0
		if t.start {
			first = t.atCode(t.f.Entry)
		}
		fmt.Fprintf(out, "short %s = %d; /* 1 + the location, if goals name it */\n", t.atVar, first)
	}
	if t.started != "" {
		fmt.Fprintf(out, "bool %s;\n", t.started)
	}
	if t.ended != "" {
		fmt.Fprintf(out, "bool %s = %d;\n", t.ended, export.Truth(t.start && entryEnds))
	}
	if t.returned != t.ended {
		fmt.Fprintf(out, "bool %s = %d;\n", t.returned, export.Truth(t.start && entryEnds))
	}
	if t.joined != "" {
		fmt.Fprintf(out, "bool %s;\n", t.joined)
	}
	if t.result != "" {
		fmt.Fprintf(out, "int %s;\n", t.result)
	}
}

func (w *promela) declareReg(out *strings.Builder, t *thread, r ir.Reg, indent string) {
	v := t.init[r]
	if !w.facts.IsLive(t.fn, t.f.Entry, r) {
		v = 0
	}
	fmt.Fprintf(out, "%sint %s", indent, t.regs[r])
	if v != 0 {
		w.pos = t.f.Regs[r].Pos
		fmt.Fprintf(out, " = %s", w.number(v))
	}
	out.WriteString(";\n")
}

// process writes a thread.
func (w *promela) process(out *strings.Builder, t *thread) {
	fmt.Fprintf(out, "active proctype %s() {\n", t.name)
	for r := range t.regs {
		if !t.global[r] && export.Used(t.f, ir.Reg(r)) {
			w.declareReg(out, t, ir.Reg(r), "\t")
		}
	}
	if !t.start {
		fmt.Fprintf(out, "end_not_started:\n\t%s;\n", t.started)
	}
	for _, l := range export.Reachable(t.f) {
		w.location(out, t, l)
	}
	if w.stops(t) || w.waits(t) && (w.exits || w.stopped || w.p.Main != ir.NoThread) {
		out.WriteString("end_stuck:\n\tfalse\n")
	}
	out.WriteString("}\n\n")
}

// waiting reports whether a thread that cannot go on at l waits. If it does not wait, an
// assumption has stopped it, which is no deadlock.
func waiting(f *ir.Func, l ir.Loc) bool {
	for _, i := range f.Out(l) {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Lock, ir.Join, ir.Await:
			return true
		case ir.RMW:
			if op.Cond != nil {
				return true
			}
		}
	}
	return false
}

// assumed reports whether an assumption can stop a thread at l. Two assumptions that are
// each other's negation are a branch and stop no thread.
func assumed(f *ir.Func, l ir.Loc) bool {
	out := f.Out(l)
	for _, i := range out {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Assume, ir.AbstractLoad:
		case ir.Havoc:
			if op.Cond == nil && (!op.Range.Bounded || op.Range.Lo <= op.Range.Hi) {
				return false
			}
		default:
			return false
		}
	}
	if len(out) == 2 {
		if export.Complementary(&f.Edges[out[0]].Op, &f.Edges[out[1]].Op) {
			return false
		}
	}
	return len(out) > 0
}

// stops reports whether an assumption can stop the thread and a deadlock is asked about.
func (w *promela) stops(t *thread) bool {
	for _, l := range export.Reachable(t.f) {
		if w.props.Deadlock && assumed(t.f, l) {
			return true
		}
	}
	return false
}

// waits reports whether the thread has a location that is no valid end state.
func (w *promela) waits(t *thread) bool {
	for _, l := range export.Reachable(t.f) {
		if w.props.Deadlock && waiting(t.f, l) {
			return true
		}
	}
	return false
}

// label returns the label of a location. For SPIN, a process that is stuck at a label that
// begins with "end" is in a valid end state.
func (w *promela) label(t *thread, l ir.Loc) string {
	kind := "end"
	if w.props.Deadlock && waiting(t.f, l) {
		kind = "at"
	}
	fresh := export.NewNamer(promelaWords)
	return fmt.Sprintf("%s_%d_%s", kind, l, fresh.Name(t.f.Locs[l].Name))
}

// location writes a label and the steps that leave it.
func (w *promela) location(out *strings.Builder, t *thread, l ir.Loc) {
	fmt.Fprintf(out, "%s:\n", w.label(t, l))
	var lines []string
	for _, i := range t.f.Out(l) {
		e := &t.f.Edges[i]
		w.pos = e.Pos
		text := export.Comment(irtext.FormatOp(w.p, t.f, &e.Op))
		if e.Pos.IsValid() {
			text = fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Col, text)
		}
		lines = append(lines, fmt.Sprintf("\t/* %s */", text))
		for _, a := range w.edge(t, e) {
			lines = append(lines, "\t:: "+w.step(t, e, a))
		}
	}
	if w.props.Deadlock && waiting(t.f, l) {
		if w.exits {
			lines = append(lines, "\t:: over -> goto end_stuck")
		}
		if m := w.p.Main; m != ir.NoThread {
			lines = append(lines, fmt.Sprintf("\t:: (timeout && %s) -> goto end_stuck /* main has returned: no deadlock */", w.threads[m].returned))
		}
	}
	if w.props.Deadlock && waiting(t.f, l) && w.stopped {
		lines = append(lines, "\t:: assumed_away -> goto end_stuck")
	}
	if w.props.Deadlock && assumed(t.f, l) {
		guard := "timeout"
		reads := slices.ContainsFunc(t.f.Out(l), func(i int32) bool { return t.f.Edges[i].Op.Kind == ir.AbstractLoad })
		if w.sections && reads && !t.inside[l] { // the thread may wait for another thread's section
			guard = "(timeout && holder == 0)"
		}
		lines = append(lines, fmt.Sprintf("\t:: %s -> assumed_away = 1; goto end_stuck /* an assumption does not hold: no deadlock */", guard))
	}
	if !strings.Contains(strings.Join(lines, "\n"), "\t:: ") {
		fmt.Fprintf(out, "%s\n\tfalse;\n", strings.Join(lines, "\n"))
		return
	}
	fmt.Fprintf(out, "\tif\n%s\n\tfi;\n", strings.Join(lines, "\n"))
}

// alternative is one possible step of an edge.
type alternative struct {
	guard []string // conditions that all must hold
	acts  []string // statements
	many  bool     // acts pick a value, so that they cannot be a deterministic step
	stops bool     // the thread stops after acts
}

// step returns the text of an alternative, with the acts of arriving and the jump.
func (w *promela) step(t *thread, e *ir.Edge, a alternative) string {
	acts := a.acts
	if !a.stops {
		acts = append(acts[:len(acts):len(acts)], w.arrive(t, e)...)
	}
	guard := a.guard
	if w.exits {
		guard = append([]string{"!over"}, guard...)
	}
	next := " goto " + w.label(t, e.To)
	if a.stops {
		next = " false"
	}
	cond := strings.Join(guard, " && ")
	body := strings.Join(acts, "; ")
	switch {
	case cond == "" && body == "":
		return "skip ->" + next
	case body == "":
		return fmt.Sprintf("(%s) ->%s", cond, next)
	case cond == "" && len(acts) == 1 && !a.many:
		return body + " ->" + next
	}
	if cond != "" {
		body = fmt.Sprintf("(%s) -> %s", cond, body)
	}
	kind := "d_step"
	if a.many {
		kind = "atomic"
	}
	return fmt.Sprintf("%s { %s };%s", kind, body, next)
}

// arrive returns the acts of arriving at the target of an edge: registers that are no
// longer live become 0, and the variables that other processes watch are set.
func (w *promela) arrive(t *thread, e *ir.Edge) []string {
	var acts []string
	defined := map[ir.Reg]bool{}
	e.Op.Defs(func(r ir.Reg) { defined[r] = true })
	for r := range t.regs {
		reg := ir.Reg(r)
		if (w.facts.IsLive(t.fn, e.From, reg) || defined[reg]) && !w.facts.IsLive(t.fn, e.To, reg) {
			acts = append(acts, t.regs[r]+" = 0")
		}
	}
	if t.atVar != "" && t.atCode(e.From) != t.atCode(e.To) {
		acts = append(acts, fmt.Sprintf("%s = %d", t.atVar, t.atCode(e.To)))
	}
	if t.f.Ends(e.To) {
		acts = append(acts, w.ending(t)...)
		if t.returned != t.ended && t.f.Returns(e.To) {
			acts = append(acts, t.returned+" = 1")
		}
		if w.ends {
			acts = append(acts, "running--")
		}
	}
	return acts
}

// ending returns the acts that tell other processes that a thread has ended.
func (w *promela) ending(t *thread) []string {
	if t.ended == "" {
		return nil
	}
	return []string{t.ended + " = 1"}
}

// exits reports whether a thread can end by ThreadExit.
func exits(f *ir.Func) bool {
	return slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return e.Op.Kind == ir.ThreadExit })
}
