package c11

// Threads as functions of C.

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
)

// cThread is a thread as a function.
type cThread struct {
	w       *cProgram
	id      ir.ThreadID
	f       *ir.Func
	name    string
	names   cexpr.Names
	init    []int64
	watched []ir.Reg // registers that main reads
	results []string // by register: the variable that main reads
	at      []ir.Loc // locations that goals name
	inside  []bool   // by location: in an atomic section
	stops   bool     // the thread may stop at a location

	labels map[ir.Loc]string
	jumped map[ir.Loc]bool // locations that something jumps to
	lines  []cexpr.Line
	edge   *ir.Edge
	seen   bool // the variable seen is used
}

func (w *cProgram) addThread(id ir.ThreadID, watched map[export.Register]bool) {
	th := &w.p.Threads[id]
	t := &cThread{w: w, id: id, f: w.p.Funcs[th.Func], name: w.names.Name(th.Name), labels: map[ir.Loc]string{}, jumped: map[ir.Loc]bool{}}
	w.threads = append(w.threads, t)
	if !th.Start {
		w.Refuse(th.Pos, "a thread that another one starts cannot be exported to C")
	}
	var err error
	if t.inside, err = ir.SectionLocs(t.f); err != nil {
		panic("BUG: " + err.Error())
	}
	local := export.NewNamer(cexpr.Words + " " + strings.Join(w.variables(), " "))
	for r := range t.f.Regs {
		reg := ir.Reg(r)
		t.names.Regs = append(t.names.Regs, local.Name(t.f.Regs[r].Name))
		t.init = append(t.init, t.f.Regs[r].Init)
		t.results = append(t.results, "")
		if watched[export.Register{Thread: id, Reg: reg}] {
			t.watched = append(t.watched, reg)
			t.results[r] = w.names.Name(t.name + "_" + t.f.Regs[r].Name)
			w.results = append(w.results, fmt.Sprintf("static int64_t %s; /* %s of %s, when it ends */\n", t.results[r], export.Comment(t.f.Regs[r].Name), export.Comment(th.Name)))
		}
	}
	copy(t.init, th.Args)
	t.names.Seen = "seen"
	t.names.Object = func(o ir.ObjectID) string { w.vars[o].used = true; return w.vars[o].name }
	fresh := export.NewNamer("")
	for l := range t.f.Locs {
		t.labels[ir.Loc(l)] = fresh.Name("L_" + t.f.Locs[l].Name)
	}
	t.placed()
}

// variables returns the names of the variables of objects.
func (w *cProgram) variables() []string {
	var out []string
	for _, v := range w.vars {
		out = append(out, v.name)
	}
	return out
}

// placed finds the locations that goals name.
func (t *cThread) placed() {
	for _, g := range t.w.props.Goals {
		for _, a := range g.At {
			if a.Thread != t.id {
				continue
			}
			for _, l := range a.Locs {
				if t.inside[l] {
					t.w.Refuse(g.Pos, "a goal inside an atomic section cannot be exported to C")
				}
				if !slices.Contains(t.at, l) {
					t.at = append(t.at, l)
				}
			}
		}
	}
	if len(t.at) > 0 {
		t.w.results = append(t.w.results, fmt.Sprintf("static int %s_at; /* where %s has stopped or ended, if a goal names the location */\n", t.name, t.name))
		t.stops = slices.ContainsFunc(t.at, func(l ir.Loc) bool { return !t.f.Ends(l) })
	}
	if t.stops {
		t.w.results = append(t.w.results, fmt.Sprintf("static int %s_stopped;\n", t.name))
	}
}

// left returns the variable in which the thread leaves a register.
func (t *cThread) left(r ir.Reg) string { return t.results[r] }

// atCode returns the number of a location that goals name.
func (t *cThread) atCode(l ir.Loc) int { return slices.Index(t.at, l) + 1 }

func (t *cThread) emit(format string, args ...any) {
	t.lines = append(t.lines, cexpr.Line{Text: fmt.Sprintf(format, args...)})
}

func (t *cThread) refuse(format string, args ...any) { t.w.Refuse(t.edge.Pos, format, args...) }

// write writes the function.
func (t *cThread) write(out *strings.Builder) {
	export.InSequence(t.f, func(ir.Loc) bool { return false }, t.location, t.jump)
	if !slices.ContainsFunc(t.lines, func(l cexpr.Line) bool { return strings.Contains(l.Text, "return NULL;") }) {
		t.emit("return NULL; /* never */")
	}
	fmt.Fprintf(out, "static void *%s(void *unused) {\n", t.name)
	for r := range t.f.Regs {
		if export.Used(t.f, ir.Reg(r)) || t.results[r] != "" {
			fmt.Fprintf(out, "  int64_t %s = %s;\n", t.names.Regs[r], cexpr.Number(t.init[r]).Text)
		}
	}
	if t.seen {
		out.WriteString("  int64_t seen;\n")
	}
	out.WriteString("  (void)unused;\n")
	for r := range t.f.Regs {
		if export.Used(t.f, ir.Reg(r)) && !read(t.f, ir.Reg(r)) && t.results[r] == "" {
			fmt.Fprintf(out, "  (void)%s;\n", t.names.Regs[r])
		}
	}
	for _, l := range t.lines {
		switch {
		case !l.Label:
			fmt.Fprintf(out, "  %s\n", l.Text)
		case t.jumped[l.Loc]:
			fmt.Fprintf(out, "%s:;\n", t.labels[l.Loc])
		}
	}
	out.WriteString("}\n\n")
}

// read reports whether an edge reads the register.
func read(f *ir.Func, r ir.Reg) bool {
	found := false
	for i := range f.Edges {
		f.Edges[i].Op.Uses(func(x ir.Reg) { found = found || x == r })
	}
	return found
}

func (t *cThread) jump(l ir.Loc) {
	t.jumped[l] = true
	t.emit("goto %s;", t.labels[l])
}

// leave ends the thread at a location.
func (t *cThread) leave(l ir.Loc, indent string) {
	for _, r := range t.watched {
		t.emit("%s%s = %s;", indent, t.results[r], t.names.Regs[r])
	}
	if n := t.atCode(l); n > 0 {
		t.emit("%s%s_at = %d;", indent, t.name, n)
	}
	if t.stops && !t.f.Ends(l) {
		t.emit("%s%s_stopped = 1;", indent, t.name)
	}
	t.emit("%sreturn NULL;", indent)
}

// location writes a location, and returns the one that follows it.
func (t *cThread) location(l ir.Loc) (ir.Loc, bool) {
	t.lines = append(t.lines, cexpr.Line{Label: true, Loc: l})
	if t.f.Ends(l) {
		t.leave(l, "")
		return 0, false
	}
	if t.atCode(l) > 0 {
		t.emit("if (__VERIFIER_nondet_bool()) {")
		t.leave(l, "  ")
		t.emit("}")
	}
	out := t.f.Out(l)
	first := &t.f.Edges[out[0]]
	if t.edge = first; first.Pos.IsValid() {
		t.emit("/* %d:%d */", first.Pos.Line, first.Pos.Col)
	}
	if len(out) == 2 && export.Complementary(&first.Op, &t.f.Edges[out[1]].Op) {
		second := &t.f.Edges[out[1]]
		t.emit("if (%s)", t.names.Expr(second.Op.Val).Text)
		t.emit("  goto %s;", t.labels[second.To])
		t.jumped[second.To] = true
		return first.To, true
	}
	for _, i := range out[:len(out)-1] {
		t.edge = &t.f.Edges[i]
		t.emit("if (__VERIFIER_nondet_bool()) {")
		if t.operation(t.edge) {
			t.jump(t.edge.To)
		}
		t.emit("}")
	}
	t.edge = &t.f.Edges[out[len(out)-1]]
	return t.edge.To, t.operation(t.edge)
}

// assume cuts executions off.
func (t *cThread) assume(cond string) { t.emit("__VERIFIER_assume(%s);", cond) }

// operation writes an operation. It reports whether control goes on.
func (t *cThread) operation(e *ir.Edge) bool {
	op := &e.Op
	switch op.Kind {
	case ir.Nop:
	case ir.Assign:
		t.emit("%s = %s;", t.names.Regs[op.Dst], t.names.Expr(op.Val).Text)
	case ir.Assume:
		t.assume(t.names.Expr(op.Val).Text)
	case ir.Assert:
		t.check(op)
	case ir.Havoc:
		t.pick(op)
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Store, ir.RMW:
		t.access(op)
	case ir.Fence:
		t.fence(op)
	case ir.AtomicBegin, ir.AtomicEnd:
		if op.Loads {
			t.refuse("an atomic section that waits for no store cannot be exported to C")
		}
		t.emit("__VERIFIER_%s();", map[ir.OpKind]string{ir.AtomicBegin: "atomic_begin", ir.AtomicEnd: "atomic_end"}[op.Kind])
	case ir.Return, ir.ThreadExit:
		t.leave(e.To, "")
		return false
	case ir.Exit:
		t.emit("exit(0);")
		return false
	case ir.Bound:
		t.assume("0")
		t.emit("return NULL; /* bound: %s */", export.Comment(op.Report.Msg))
		return false
	default:
		t.refuse("%s cannot be exported to C", op.Kind)
	}
	return true
}

func (t *cThread) fence(op *ir.Op) {
	switch op.Fence {
	case ir.FullFence:
		t.emit("atomic_thread_fence(memory_order_seq_cst);")
	case ir.StoreStoreFence:
		t.emit("atomic_thread_fence(memory_order_release);")
	default:
		t.refuse("a fence for all threads cannot be exported to C")
	}
}

// check writes an assertion.
func (t *cThread) check(op *ir.Op) {
	cond := t.names.Expr(op.Val)
	if !t.w.props.Checks {
		t.assume(cond.Text)
		return
	}
	if op.Report.Msg == "" {
		t.emit("assert(%s);", cond.Text)
		return
	}
	t.emit("assert(%s && %s);", cond.Operand(), cexpr.Quote(op.Report.Msg))
}

// maxPicked bounds the values of a range that are picked one by one.
const maxPicked = 64

// pick gives a register any value.
func (t *cThread) pick(op *ir.Op) {
	dst := t.names.Regs[op.Dst]
	if op.Range.Bounded && (op.Range.Hi < op.Range.Lo || uint64(op.Range.Hi-op.Range.Lo) < maxPicked) {
		t.emit("%s = %s;", dst, cexpr.Number(op.Range.Lo).Text)
		if op.Range.Hi < op.Range.Lo {
			t.assume("0")
		}
		for v := op.Range.Lo + 1; v <= op.Range.Hi; v++ {
			t.emit("if (__VERIFIER_nondet_bool()) %s = %s;", dst, cexpr.Number(v).Text)
		}
	} else {
		t.emit("%s = __VERIFIER_nondet_long();", dst)
		if op.Range.Bounded {
			t.assume(fmt.Sprintf("%s >= %s && %s <= %s", dst, cexpr.Number(op.Range.Lo).Text, dst, cexpr.Number(op.Range.Hi).Text))
		}
	}
	if op.Cond != nil {
		t.assume(t.names.Expr(op.Cond).Text)
	}
}
