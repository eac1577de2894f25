package sequential

// Deadlocks of a sequential program: in the last state, with all stores in memory, a thread waits and no thread can go on.

import (
	"fmt"
	"strings"

	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
)

// asksFor reports whether a goal names a location.
func (w *sequential) asksFor(t ir.ThreadID, l ir.Loc) bool {
	for _, g := range w.Props.Goals {
		for _, at := range g.At {
			for _, here := range at.Locs {
				if at.Thread == t && here == l {
					return true
				}
			}
		}
	}
	return false
}

// deadlock writes the question about deadlocks.
func (w *sequential) deadlock(out *strings.Builder) {
	var stuck, waiting []string
	for _, t := range w.threads {
		blocked := fmt.Sprintf("blocked_%d()", t.id)
		waiting = append(waiting, blocked)
		stuck = append(stuck, fmt.Sprintf("(!s.started[%d] || %s || %s)", t.id, t.hasEnded(), blocked))
		if t.id == w.Program.Main {
			for _, l := range w.Order[t.id] {
				if t.f.Ends(l) && t.f.Returns(l) {
					stuck = append(stuck, fmt.Sprintf("s.at[%d] != %d", t.id, l))
				}
			}
		}
	}
	fmt.Fprintf(out, "  if (%s &&\n      (%s))\n    fail(\"deadlock\");\n", strings.Join(stuck, " &&\n      "), strings.Join(waiting, " || "))
}

const sequentialPeek = `/* What is in memory in the end, and whether there is any. */
static UNUSED int is_there(uint64_t address, int size) {
  return find(address, size) >= 0%s;
}

static UNUSED uint64_t peek(uint64_t address, int size) {
  int c = find(address, size);
  return memory(c) >> (8 * (address - cells[c].address));
}

`

// peek writes how words are read in the last state.
func (w *sequential) peek(out *strings.Builder) {
	gone := ""
	if len(w.Blocks) > 0 {
		gone = " && (block_at(address, size) < 0 || !s.dead[block_at(address, size)])"
	}
	fmt.Fprintf(out, sequentialPeek, gone)
}

// blocked writes a function that says whether the thread waits in the last state.
func (t *sequentialThread) blocked(out *strings.Builder) {
	fmt.Fprintf(out, "static int blocked_%d(void) {\n  int64_t UNUSED seen;\n  switch (s.at[%d]) {\n", t.id, t.id)
	for _, l := range t.w.Order[t.id] {
		if t.f.Ends(l) || t.inside[l] {
			continue
		}
		var all []string
		waits := false
		for _, index := range t.f.Out(l) {
			e := &t.f.Edges[index]
			switch e.Op.Kind {
			case ir.CondWait, ir.Barrier: // before they begin they are possible
				all = append(all, "0")
				t.blockedInside(out, ir.Loc(len(t.f.Locs))+ir.Loc(index), &e.Op)
				continue
			}
			waits = waits || canBlock(&e.Op)
			all = append(all, t.disabled(&e.Op))
		}
		if waits {
			fmt.Fprintf(out, "  case %d:\n    return %s;\n", l, strings.Join(all, " && "))
		}
	}
	out.WriteString("  }\n  return 0;\n}\n\n")
}

// blockedInside writes the case of a thread that waits inside an operation.
func (t *sequentialThread) blockedInside(out *strings.Builder, code ir.Loc, op *ir.Op) {
	switch {
	case op.Kind == ir.Barrier:
		fmt.Fprintf(out, "  case %d:\n    return s.meets[%d] != 0;\n", code, t.id)
	case !op.Timed:
		addr := "(uint64_t)" + t.expr(op.Val2).Operand()
		fmt.Fprintf(out, "  case %d:\n    return s.sleeps[%d] != 0 || (is_there(%s, 8) && (seen = (int64_t)peek(%s, 8)) != 0 && seen != %d);\n", code, t.id, addr, addr, ir.DestroyedMutex)
	}
}

// canBlock reports whether a thread can wait at an operation.
func canBlock(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.Join, ir.Await:
		return true
	}
	return op.Kind == ir.RMW && op.Cond != nil
}

// disabled returns the condition that an operation is not possible.
func (t *sequentialThread) disabled(op *ir.Op) string {
	size, seen, passes := mutexType.Size(), "", ""
	switch {
	case op.Kind == ir.Assume:
		return "!" + t.expr(op.Val).Operand()
	case op.Kind == ir.Join:
		var any []string
		for _, u := range t.w.threads {
			any = append(any, fmt.Sprintf("(%s == %d && s.started[%d] && !%s)", t.expr(op.Val).Operand(), u.id, u.id, u.hasEnded()))
		}
		return "(" + strings.Join(any, " || ") + ")"
	case op.Kind == ir.Lock:
		seen, passes = "(int64_t)%s", fmt.Sprintf("seen == 0 || seen == %d", ir.DestroyedMutex)
		if op.Mutex.Kind != ir.NormalMutex {
			passes += fmt.Sprintf(" || (uint32_t)seen == %d", t.id+1)
		}
	case canBlock(op):
		size = op.Type.Size()
		seen, passes = cexpr.Expr{Text: "%s", Atom: true}.Cast(op.Type).Text, t.expr(op.Cond).Text
	default:
		return "0"
	}
	addr := "(uint64_t)" + t.expr(op.Addr).Operand()
	valid := fmt.Sprintf("is_there(%s, %d)", addr, size)
	if op.Writes() {
		for i := range t.w.Program.Objects {
			if o := &t.w.Program.Objects[i]; o.ReadOnly {
				valid += fmt.Sprintf(" && (%s < %dU || %s >= %dU)", addr, o.Addr, addr, int64(o.Addr)+o.Size)
			}
		}
	}
	return fmt.Sprintf("(%s && (seen = %s, !(%s)))", valid, fmt.Sprintf(seen, fmt.Sprintf("peek(%s, %d)", addr, size)), passes)
}
