package herd

// The instructions of a thread. Locations are labels where something jumps to them; a branch is a comparison and a jump.

import (
	"fmt"
	"math"
	"slices"

	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// column is the code of a thread.
type column struct {
	w     *litmusTest
	index int
	name  string // of the thread
	title string // P0
	fn    ir.FuncID
	f     *ir.Func
	regs  []string // by register: that of the processor, "" if it has none

	code    []string
	labels  int
	targets map[ir.Loc]string // locations that are jumped to
	pending string            // labels before the next instruction
	pos     source.Span
	free    []string // scratch registers

	stops, fails bool // the thread can be stopped, or an assertion of it can fail
	end          string
}

// addColumn translates a thread.
func (w *litmusTest) addColumn(id ir.ThreadID) {
	th := &w.p.Threads[id]
	c := &column{w: w, index: int(id), name: th.Name, title: fmt.Sprintf("P%d", id), fn: th.Func, f: w.p.Funcs[th.Func], targets: map[ir.Loc]string{}}
	w.cols = append(w.cols, c)
	if !th.Start {
		w.Refuse(th.Pos, "a thread that another one starts cannot be exported to a litmus test")
		return
	}
	shown := func(r ir.Reg) bool {
		return slices.ContainsFunc(w.watched(), func(v property.Var) bool { return v.Thread == id && v.Reg == r })
	}
	c.allocate(shown)
	if c.name != c.title {
		w.notes = append(w.notes, fmt.Sprintf("%s is thread %s", c.title, c.name))
	}
	c.declare(th)
	if len(w.Refusals) > 0 {
		return
	}
	c.body()
	if len(w.Refusals) > 0 {
		return
	}
	if c.stops || c.fails {
		w.notes = append(w.notes, fmt.Sprintf("%s is %d if an operation of %s cannot go on, %d if an assertion of it has failed", c.statusName(), stopped, c.name, failed))
	}
}

// statusName returns the status as conditions name it.
func (c *column) statusName() string { return fmt.Sprintf("%d:%s", c.index, x86Status) }

// declare gives the registers their first values.
func (c *column) declare(th *ir.Thread) {
	for r := range c.f.Regs {
		reg := ir.Reg(r)
		if c.regs[r] == "" {
			continue
		}
		if name := c.f.Regs[r].Name; name != c.regs[r] {
			c.w.notes = append(c.w.notes, fmt.Sprintf("%s is %s of %s", c.shown(reg), name, c.name))
		}
		v := c.f.Regs[r].Init
		if r < len(th.Args) {
			v = th.Args[r]
		}
		if v != 0 && c.w.facts.IsLive(c.fn, c.f.Entry, reg) {
			c.w.decls = append(c.w.decls, fmt.Sprintf("%s=%d;", c.shown(reg), v))
		}
	}
}

// body writes the locations of the thread. The locations that end it come last.
func (c *column) body() {
	export.InSequence(c.f, c.f.Ends, func(l ir.Loc) (ir.Loc, bool) {
		c.mark(c.label(l))
		return c.location(l)
	}, func(l ir.Loc) { c.jump("jmp", c.label(l)) })
	c.finish()
}

// finish removes jumps to what follows, and writes the end of the thread.
func (c *column) finish() {
	if n := len(c.code); n > 0 && c.end != "" && c.code[n-1] == "jmp "+c.end {
		c.code = c.code[:n-1]
		if c.pending == "" && !slices.ContainsFunc(c.code, func(s string) bool { return hasTarget(s, c.end) }) {
			c.dropUnused()
			return
		}
	}
	if c.end != "" {
		c.mark(c.end)
	}
	if c.pending != "" {
		c.emit("nop")
	}
	c.dropUnused()
}

// hasTarget reports whether an instruction jumps to a label.
func hasTarget(line, label string) bool {
	return len(line) > len(label) && line[len(line)-len(label)-1:] == " "+label
}

// dropUnused removes the labels that nothing jumps to.
func (c *column) dropUnused() {
	for i, line := range c.code {
		for len(line) > 0 && line[0] == 'L' {
			k := 0
			for line[k] != ':' {
				k++
			}
			label := line[:k]
			if slices.ContainsFunc(c.code, func(s string) bool { return hasTarget(s, label) }) {
				break
			}
			line = line[k+2:]
		}
		c.code[i] = line
	}
}

func (c *column) newLabel() string {
	c.labels++
	return fmt.Sprintf("L%d%d", c.index, c.labels)
}

// label returns the label of a location. All locations that end the thread have one.
func (c *column) label(l ir.Loc) string {
	if c.f.Ends(l) {
		if c.end == "" {
			c.end = c.newLabel()
		}
		return c.end
	}
	if c.targets[l] == "" {
		c.targets[l] = c.newLabel()
	}
	return c.targets[l]
}

// mark puts a label before the next instruction.
func (c *column) mark(label string) {
	if c.pending != "" {
		c.emit("nop")
	}
	c.pending = label + ": "
}

func (c *column) emit(format string, args ...any) {
	c.code = append(c.code, c.pending+fmt.Sprintf(format, args...))
	c.pending = ""
}

func (c *column) jump(how, label string) { c.emit("%s %s", how, label) }

// set ends the thread with a status.
func (c *column) set(status int) {
	c.stops, c.fails = c.stops || status == stopped, c.fails || status == failed
	c.emit("movq $%d,%%%s", status, x86Status)
	if c.end == "" {
		c.end = c.newLabel()
	}
	c.jump("jmp", c.end)
}

// location writes the operations that leave a location. It returns the location to go on with, if control reaches what
// follows.
func (c *column) location(l ir.Loc) (ir.Loc, bool) {
	out := c.f.Out(l)
	first := &c.f.Edges[out[0]]
	c.pos = first.Pos
	c.free = slices.Clone(x86Scratch)
	if len(out) > 1 {
		return c.branch(out)
	}
	switch e := first; e.Op.Kind {
	case ir.Assume, ir.Assert:
		status := stopped
		if e.Op.Kind == ir.Assert && c.w.props.Checks {
			status = failed
		}
		ok := c.newLabel()
		c.test(e.Op.Val, true, ok)
		c.set(status)
		c.mark(ok)
	case ir.Bound:
		c.set(stopped)
		return 0, false
	case ir.Return, ir.ThreadExit:
		if c.end == "" {
			c.end = c.newLabel()
		}
		c.jump("jmp", c.end)
		return 0, false
	default:
		c.operation(e)
	}
	return first.To, true
}

// branch writes two assumptions of which exactly one holds.
func (c *column) branch(out []int32) (ir.Loc, bool) {
	a, b := &c.f.Edges[out[0]], &c.f.Edges[out[1]]
	if len(out) != 2 || !export.Complementary(&a.Op, &b.Op) {
		c.w.Refuse(a.Pos, "a choice that no condition decides cannot be exported to a litmus test")
		return 0, false
	}
	c.test(b.Op.Val, true, c.label(b.To))
	return a.To, true
}

// operation writes an operation that lets its thread go on.
func (c *column) operation(e *ir.Edge) {
	op := &e.Op
	switch op.Kind {
	case ir.Nop:
	case ir.Assign:
		c.assign(op.Dst, op.Val)
	case ir.Load:
		c.load(op, c.regs[op.Dst])
	case ir.Await:
		c.await(op)
	case ir.Store:
		c.emit("mov%s %s,%s", suffix(op.Type), c.source(op.Val, op.Type.Size()), c.memory(op))
	case ir.RMW:
		c.rmw(op)
	case ir.Fence:
		switch op.Fence {
		case ir.FullFence:
			c.emit("mfence")
		case ir.StoreStoreFence:
			c.emit("sfence")
		default:
			c.w.Refuse(e.Pos, "a fence for all threads cannot be exported to a litmus test")
		}
	default:
		c.w.Refuse(e.Pos, "%s cannot be exported to a litmus test", op.Kind)
	}
}

func suffix(t ir.Type) string { return map[int]string{1: "b", 2: "w", 4: "l", 8: "q"}[t.Size()] }

// memory returns the operand of an access.
func (c *column) memory(op *ir.Op) string {
	addr, _ := constAddr(c.w.p, op.Addr)
	return "(" + c.w.variable(addr, op.Type.Size()) + ")"
}

// load loads into a register of the processor.
func (c *column) load(op *ir.Op, reg string) {
	if reg == "" { // nothing reads the value
		reg = c.scratch()
	}
	c.emit("%s", extending(op.Type, c.memory(op), reg))
}

// extending returns the move that brings a value of a type, in memory or in the low part of a register, into a whole
// register.
func extending(t ir.Type, from, reg string) string {
	switch {
	case t.Bits == 64:
		return fmt.Sprintf("movq %s,%s", from, sized(reg, 8))
	case t.Bits == 32 && !t.Signed:
		return fmt.Sprintf("movl %s,%s", from, sized(reg, 4))
	case t.Bits == 32:
		return fmt.Sprintf("movslq %s,%s", from, sized(reg, 8))
	case t.Signed:
		return fmt.Sprintf("movs%sq %s,%s", suffix(t), from, sized(reg, 8))
	}
	return fmt.Sprintf("movz%sq %s,%s", suffix(t), from, sized(reg, 8))
}

// await tries once, and stops the thread if the condition does not hold.
func (c *column) await(op *ir.Op) {
	reg := c.scratch()
	if op.Dst != ir.NoReg && c.regs[op.Dst] != "" {
		reg = c.regs[op.Dst]
	}
	c.load(op, reg)
	ok := c.newLabel()
	c.testSeen(op.Cond, reg, ok)
	c.set(stopped)
	c.mark(ok)
}

// immediate reports whether an instruction can hold a number.
func immediate(v int64) bool { return v >= math.MinInt32 && v <= math.MaxInt32 }

// byCompare reports whether a read-modify-write has no instruction of its own: its result is used, and it is no exchange
// and no addition.
func byCompare(op *ir.Op) bool {
	return op.Dst != ir.NoReg && (op.RMW == ir.FetchAnd || op.RMW == ir.FetchOr || op.RMW == ir.FetchXor)
}
