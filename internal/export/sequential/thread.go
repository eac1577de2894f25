package sequential

// Threads of a sequential program.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
)

// sequentialThread is a thread as a function that goes on where it stopped.
type sequentialThread struct {
	w      *sequential
	id     ir.ThreadID
	f      *ir.Func
	name   string
	names  cexpr.Names
	inside []bool
	loc    ir.Loc // being written
	edge   *ir.Edge
	index  int  // of the edge among those of the location
	waits  bool // the second step of the edge is being written
	lines  []cexpr.Line
	second []ir.Loc // codes of the second steps of operations that wait
	jumped map[ir.Loc]bool
	line   string // the position that #line gave last
}

func (w *sequential) addThread(id ir.ThreadID) {
	th := &w.Program.Threads[id]
	t := &sequentialThread{w: w, id: id, f: w.Program.Funcs[th.Func], name: w.names.Name("thread_" + th.Name), jumped: map[ir.Loc]bool{}}
	w.threads = append(w.threads, t)
	var err error
	if t.inside, err = ir.SectionLocs(t.f); err != nil {
		panic("BUG: " + err.Error())
	}
	for r := range t.f.Regs {
		name := w.names.Name(th.Name + "_" + t.f.Regs[r].Name)
		t.names.Regs = append(t.names.Regs, "s."+name)
		w.regs = append(w.regs, fmt.Sprintf("int64_t %s; /* %s of %s */", name, export.Comment(t.f.Regs[r].Name), export.Comment(th.Name)))
		v := t.f.Regs[r].Init
		if r < len(th.Args) {
			v = th.Args[r]
		}
		if v != 0 {
			w.inits = append(w.inits, fmt.Sprintf(".%s = %s,", name, cexpr.Number(v).Text))
		}
	}
	t.names.Seen = "seen"
}

// hasEnded returns the condition that the thread is at a location that ends it.
func (t *sequentialThread) hasEnded() string {
	var at []string
	for _, l := range t.w.Order[t.id] {
		if t.f.Ends(l) {
			at = append(at, fmt.Sprintf("s.at[%d] == %d", t.id, l))
		}
	}
	if len(at) == 0 {
		return "0"
	}
	return "(" + strings.Join(at, " || ") + ")"
}

func (t *sequentialThread) emit(format string, args ...any) {
	t.lines = append(t.lines, cexpr.Line{Text: fmt.Sprintf(format, args...)})
}

func (t *sequentialThread) refuse(format string, args ...any) {
	t.w.Refuse(t.edge.Pos, format, args...)
}

// expr returns an expression, with addresses as numbers.
func (t *sequentialThread) expr(e *ir.Expr) cexpr.Expr {
	return t.names.Expr(withNumbers(t.w.Program, e))
}

func withNumbers(p *ir.Program, e *ir.Expr) *ir.Expr {
	return e.Map(func(e *ir.Expr) *ir.Expr {
		switch e.Op {
		case ir.AddrOf, ir.FuncAddr:
			return ir.Int(e.Eval(ir.Env{Prog: p}))
		}
		return e
	})
}

// write writes the function.
func (t *sequentialThread) write(out *strings.Builder) {
	order := t.w.Order[t.id]
	if len(order) > 0 {
		reach := map[ir.Loc]bool{}
		for _, l := range order {
			reach[l] = true
		}
		export.InSequence(t.f, func(l ir.Loc) bool { return !reach[l] }, t.location, t.jump)
	}
	fmt.Fprintf(out, "static void %s(void) {\n  int64_t UNUSED seen;\n  switch (s.pc[%d]) {\n", t.name, t.id)
	for _, l := range order {
		if l == t.f.Entry || t.w.Stops[t.id][l] {
			fmt.Fprintf(out, "  case %d:\n    goto L%d;\n", l, l)
			t.jumped[l] = true
		}
	}
	for _, l := range t.second {
		fmt.Fprintf(out, "  case %d:\n    goto L%d;\n", l, l)
		t.jumped[l] = true
	}
	out.WriteString("  default:\n    return;\n  }\n")
	for _, l := range t.lines {
		switch {
		case !l.Label:
			out.WriteString(l.Text + "\n")
		case t.jumped[l.Loc]:
			fmt.Fprintf(out, "L%d: /* %s */;\n", l.Loc, export.Comment(t.locName(l.Loc)))
		}
	}
	out.WriteString("}\n\n")
}

// locName returns the name of a location, or of a wait.
func (t *sequentialThread) locName(l ir.Loc) string {
	if n := int(l) - len(t.f.Locs); n >= 0 {
		return "waits at " + t.f.Locs[t.f.Edges[n].From].Name
	}
	return t.f.Locs[l].Name
}

func (t *sequentialThread) jump(l ir.Loc) {
	if !slices.Contains(t.w.Order[t.id], l) { // no execution comes here
		t.emit("  return;")
		return
	}
	t.jumped[l] = true
	t.emit("  goto L%d;", l)
}

// position writes where an operation is in the source.
func (t *sequentialThread) position(e *ir.Edge) {
	if !e.Pos.IsValid() {
		return
	}
	if at := fmt.Sprintf("#line %d %s", e.Pos.Line, cexpr.Quote(e.Pos.File)); at != t.line {
		t.line = at
		t.emit("%s", at)
	}
}

// cut ends the path of the thread here, which inside an atomic section excludes the execution.
func (t *sequentialThread) cut(indent string) {
	if t.inside[t.loc] {
		t.emit("%s__VERIFIER_assume(0);", indent)
	}
	t.emit("%srest(%d, %d);", indent, t.id, t.loc)
	t.emit("%sreturn;", indent)
}

// location writes a location, and returns the one that follows it.
func (t *sequentialThread) location(l ir.Loc) (ir.Loc, bool) {
	t.loc = l
	t.lines = append(t.lines, cexpr.Line{Label: true, Loc: l})
	t.index, t.waits = 0, false
	if t.w.Stops[t.id][l] {
		t.emit("  if (stop(%d, %d, %d))\n    return;", t.id, l, t.site(SiteStop))
	}
	if t.inside[l] && t.w.asksFor(t.id, l) {
		t.emit("  if (choose(%d, 0, 2)) {\n    s.halted = 1;\n    rest(%d, %d);\n    return;\n  }", t.site(SiteHalt), t.id, l)
	}
	if t.f.Ends(l) {
		t.emit("  s.ended[%d] = 1;", t.id)
		t.cut("  ")
		return 0, false
	}
	out := t.f.Out(l)
	first := &t.f.Edges[out[0]]
	t.edge = first
	t.position(first)
	if len(out) == 2 && export.Complementary(&first.Op, &t.f.Edges[out[1]].Op) {
		second := &t.f.Edges[out[1]]
		t.emit("  if (%s) {", t.expr(second.Op.Val).Text)
		t.jump(second.To)
		t.emit("  }")
		return first.To, true
	}
	if len(out) == 1 {
		return first.To, t.operation(first)
	}
	t.emit("  switch (choose(%d, 0, %d)) {", t.site(SiteWay), len(out))
	for i, index := range out {
		t.edge, t.index, t.waits = &t.f.Edges[index], i, false
		t.emit("  case %d:", i)
		if t.operation(t.edge) {
			t.jump(t.edge.To)
		}
	}
	t.emit("  }")
	t.emit("  return;")
	return 0, false
}

// where returns a text for a failing check of the edge.
func (t *sequentialThread) where(what string) string {
	if t.edge.Pos.IsValid() {
		what = fmt.Sprintf("%s:%d:%d: %s", t.edge.Pos.File, t.edge.Pos.Line, t.edge.Pos.Col, what)
	}
	return cexpr.Quote(what)
}

// fails writes that a check fails unless a condition holds.
func (t *sequentialThread) fails(cond, what string) {
	t.emit("  if (!(%s))", cond)
	t.emit("    fail(%s);", t.where(what))
}

// operation writes an operation. It reports whether control goes on.
func (t *sequentialThread) operation(e *ir.Edge) bool {
	op := &e.Op
	switch op.Kind {
	case ir.Nop:
	case ir.Assign:
		t.set(op.Dst, t.expr(op.Val).Text)
	case ir.Assume:
		t.emit("  if (!%s) {", t.expr(op.Val).Operand())
		t.cut("    ")
		t.emit("  }")
	case ir.Assert:
		what := op.Report.Class.String()
		if op.Report.Msg != "" {
			what += ": " + op.Report.Msg
		}
		t.fails(t.expr(op.Val).Text, what)
	case ir.Havoc:
		t.pick(op)
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Store, ir.RMW:
		t.access(op)
	case ir.Fence:
		switch op.Fence {
		case ir.FullFence:
			t.drain()
		case ir.StoreStoreFence:
			t.emit("  store_fence(%d);", t.id)
		default:
			t.refuse("a fence for all threads cannot be exported to sequential C")
		}
	case ir.AtomicBegin:
		t.drain()
	case ir.AtomicEnd:
	case ir.Return, ir.ThreadExit:
		if op.Val != nil {
			t.emit("  s.result[%d] = %s;", t.id, t.expr(op.Val).Text)
		}
	case ir.Exit, ir.Bound, ir.Unsupported:
		t.cut("  ")
		return false
	case ir.Lock, ir.TryLock, ir.Unlock:
		t.mutex(op)
	case ir.CondWait:
		t.wait(op)
	case ir.Barrier:
		t.barrier(op)
	case ir.Signal, ir.Broadcast:
		t.signal(op)
	case ir.Alloc:
		t.alloc(op)
	case ir.Free:
		t.free(op)
	case ir.Spawn:
		t.spawn(op)
	case ir.Join:
		t.join(op)
	default:
		t.refuse("%s cannot be exported to sequential C", op.Kind)
	}
	return true
}

func (t *sequentialThread) set(r ir.Reg, value string) {
	if r != ir.NoReg {
		t.emit("  %s = %s;", t.names.Regs[r], value)
	}
}

// tick lets time pass before an operation that depends on memory.
func (t *sequentialThread) tick() {
	if t.waits || t.w.Stops[t.id][t.loc] {
		t.emit("  tick(%d);", t.site(SiteClock))
	}
}

// drain waits until all stores of the thread are in memory.
func (t *sequentialThread) drain() {
	t.tick()
	t.emit("  drained(%d);", t.id)
}

// pick gives a register any value.
func (t *sequentialThread) pick(op *ir.Op) {
	if op.Range.Bounded && op.Range.Hi >= op.Range.Lo && op.Range.Hi < math.MaxInt64 && uint64(op.Range.Hi-op.Range.Lo) < math.MaxInt32 {
		t.set(op.Dst, fmt.Sprintf("choose(%d, %s, %s)", t.site(SiteValue), cexpr.Number(op.Range.Lo).Text, cexpr.Number(op.Range.Hi+1).Text))
	} else {
		t.set(op.Dst, fmt.Sprintf("any_number(%d)", t.site(SiteValue)))
		if op.Range.Bounded {
			t.emit("  __VERIFIER_assume(%[1]s >= %[2]s && %[1]s <= %[3]s);", t.names.Regs[op.Dst], cexpr.Number(op.Range.Lo).Text, cexpr.Number(op.Range.Hi).Text)
		}
	}
	if op.Cond != nil {
		t.emit("  if (!%s) {", t.expr(op.Cond).Operand())
		t.cut("    ")
		t.emit("  }")
	}
}
