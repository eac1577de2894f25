package memory

import "fmt"

// Dump is everything Undo must restore, as text.
func (s *State) Dump() string {
	return fmt.Sprint(s.pc, s.regs, s.status, s.wait, s.result, s.fresh, s.mem, s.blocks, s.bufs, s.holder, s.over, s.faulted,
		len(s.undo), len(s.removed), len(s.saved))
}

// NormalPosition and IsNormal are for tests of the normal form.
var (
	NormalPosition = normalPosition
	IsNormal       = isNormal
	Dependent      = dependent
	Insert         = insertEntry
)

// Compile and Eval are for tests of compiled expressions.
var Compile = compile

// Eval evaluates a compiled expression.
func (c *code) Eval(regs []int64, seen int64) int64 { return c.eval(regs, seen) }
