package herd

// Registers of the processor for the registers of a thread. Two registers of the thread that are live at the same
// location get different ones; the others may share one. A register that has the name of one of the processor's keeps it
// if it can.

import (
	"fmt"
	"slices"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// The registers that hold values of the program come first. The accumulator is last, because cmpxchg needs it.
var (
	x86Regs    = []string{"rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "rax"}
	x86Scratch = []string{"r12", "r13", "r14"}
)

const (
	x86Status      = "r15"
	x86Accumulator = "rax"
)

// allocate gives each register of the thread that an operation uses, or that is shown, one of the processor's.
func (c *column) allocate(shown func(ir.Reg) bool) {
	f := c.f
	choice := slices.Clone(x86Regs)
	if c.accumulates() {
		choice = choice[:len(choice)-1]
	} else {
		choice = append([]string{x86Accumulator}, choice[:len(choice)-1]...)
	}
	c.regs = make([]string, len(f.Regs))
	conflicts := c.conflicts()
	order := c.byName()
	for _, r := range order {
		if !export.Used(f, r) && !shown(r) {
			continue
		}
		taken := map[string]bool{}
		for _, o := range conflicts[r] {
			taken[c.regs[o]] = true
		}
		name := f.Regs[r].Name
		if !slices.Contains(choice, name) || taken[name] {
			i := slices.IndexFunc(choice, func(n string) bool { return !taken[n] })
			if i < 0 {
				c.w.Refuse(f.Pos, "thread %s needs more registers than a litmus test for x86 has", c.name)
				return
			}
			name = choice[i]
		}
		c.regs[r] = name
	}
}

// byName returns the registers. Registers with a name of the processor's come first.
func (c *column) byName() []ir.Reg {
	var order []ir.Reg
	for _, named := range []bool{true, false} {
		for r := range c.f.Regs {
			if slices.Contains(x86Regs, c.f.Regs[r].Name) == named {
				order = append(order, ir.Reg(r))
			}
		}
	}
	return order
}

// conflicts returns, for each register, the registers that must not share a register of the processor with it.
func (c *column) conflicts() [][]ir.Reg {
	out := make([][]ir.Reg, len(c.f.Regs))
	add := func(a, b ir.Reg) {
		if a != b && !slices.Contains(out[a], b) {
			out[a], out[b] = append(out[a], b), append(out[b], a)
		}
	}
	live := func(l ir.Loc) []ir.Reg {
		var set []ir.Reg
		for r := range c.f.Regs {
			if c.w.facts.IsLive(c.fn, l, ir.Reg(r)) {
				set = append(set, ir.Reg(r))
			}
		}
		return set
	}
	for l := range c.f.Locs {
		set := live(ir.Loc(l))
		for i, a := range set {
			for _, b := range set[:i] {
				add(a, b)
			}
		}
	}
	for i := range c.f.Edges {
		e := &c.f.Edges[i]
		after := live(e.To)
		var defs []ir.Reg
		e.Op.Defs(func(r ir.Reg) { defs = append(defs, r) })
		for _, d := range defs {
			for _, r := range append(after, defs...) {
				add(d, r)
			}
			// What the operation reads must still be there when its first result is written.
			if len(defs) > 1 || e.Op.Kind == ir.RMW || e.Op.Kind == ir.Await {
				e.Op.Uses(func(r ir.Reg) { add(d, r) })
			}
		}
	}
	return out
}

// accumulates reports whether the thread has an instruction that needs the accumulator.
func (c *column) accumulates() bool {
	return slices.ContainsFunc(c.f.Edges, func(e ir.Edge) bool {
		return e.Op.Kind == ir.RMW && (e.Op.RMW == ir.Cas || byCompare(&e.Op))
	})
}

// sized returns the part of a register that has so many bytes, with its sign.
func sized(reg string, size int) string {
	if reg[1] >= '0' && reg[1] <= '9' {
		return "%" + reg + map[int]string{1: "b", 2: "w", 4: "d", 8: ""}[size]
	}
	stem := reg[1:]
	switch size {
	case 8:
		return "%" + reg
	case 4:
		return "%e" + stem
	case 2:
		return "%" + stem
	}
	if stem[1] == 'x' {
		return "%" + stem[:1] + "l"
	}
	return "%" + stem + "l"
}

// shown returns a register as conditions name it.
func (c *column) shown(r ir.Reg) string {
	if c.regs[r] == "" {
		panic("BUG: a register that is shown has no register of the processor")
	}
	return fmt.Sprintf("%d:%s", c.index, c.regs[r])
}
