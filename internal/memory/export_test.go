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

// Queue gives tests the buffer of a thread to change: entries come in at i, go out at i, and steps are undone.
type Queue struct{ S *State }

// NewQueue returns an empty buffer.
func NewQueue() Queue { return Queue{&State{bufs: make([][]Entry, 1), fronts: make([]front, 1)}} }

// Push inserts e at i, Remove takes the entry at i out, and Empty empties the buffer for good.
func (q Queue) Push(i int, e Entry) { q.S.push(0, i, e) }
func (q Queue) Remove(i int)        { q.S.remove(0, i) }
func (q Queue) Empty()              { q.S.emptyBuffer(0); q.S.undo, q.S.removed = q.S.undo[:0], q.S.removed[:0] }

// Mixed reports whether a removal may leave a buffer that is not in normal form.
func (q Queue) Mixed() bool { return q.S.sizes.mixed }
