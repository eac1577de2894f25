package html

import (
	"fmt"
	"html/template"
	"strconv"
	"unicode/utf8"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// timeline is a grid: time goes down, a row per step. A thread has a lane for what
// it does, and one for its store buffer in which every store is a bar from the step
// that issues it to the step that takes it to memory. Memory is a lane, too. Wires
// show which way values go. All columns and rows count from 1, as in CSS.
type timeline struct {
	Columns template.CSS // of the grid; made of numbers only
	Dense   bool         // much to show beside each other
	Heads   []head
	Bands   []int // rows
	Events  []event
	Bars    []bar
	Cells   []memoryCell
	Wires   []wire
	End     string // what the last state is
	EndRow  int
	Bad     bool
}

type head struct {
	From, To int // columns
	Name     string
	Sub      string
	Class    string
}

type event struct {
	Step   int
	Row    int
	Column int
	Class  string
	Text   string
	Badge  string
	Label  string // for those who do not see it
}

type bar struct {
	Column, From, To int
	Class            string
	Text             string
}

type memoryCell struct {
	Column, Row int
	Class       string
	Text        string
}

type wire struct {
	Row, From, To int // columns, To exclusive
	Class         string
}

const firstRow = 2 // below the heads

// lane is where a thread's columns are.
type lane struct {
	thread int
	slots  int  // columns of the buffer
	quiet  bool // accesses no memory
	code   int  // column
	buffer int  // first column of the buffer
	// step is +1 where the buffer's first slot is its leftmost.
	step int
}

type builder struct {
	timeline
	w      *verdict.Witness
	lanes  map[int]*lane
	memory int // column
	slot   []int
}

func newTimeline(e *verdict.Execution) timeline {
	b := &builder{w: e.Witness, lanes: map[int]*lane{}}
	b.assignSlots()
	b.assignColumns()
	delayed := -1
	if store, _, ok := relation.Delayed(e); ok && len(relation.Of(e).Cycle) > 0 {
		delayed = store
	}
	b.bars(delayed)
	for i, s := range b.w.Steps {
		b.step(i, s)
		b.Bands = append(b.Bands, i+firstRow)
	}
	b.EndRow = len(b.w.Steps) + firstRow
	b.End, b.Bad = e.Reason, e.Verdict == verdict.Unsafe
	if e.Attack != nil {
		b.End = "happens-before has a cycle"
	}
	return b.timeline
}

// assignSlots gives every buffered store a slot of its buffer that is free while it waits.
func (b *builder) assignSlots() {
	b.slot = make([]int, len(b.w.Steps))
	busy := map[int][]bool{}
	for i, s := range b.w.Steps {
		if s.Thread < 0 || s.Thread >= len(b.w.Threads) {
			continue
		}
		l := b.lanes[s.Thread]
		if l == nil {
			l = &lane{thread: s.Thread, quiet: true}
			b.lanes[s.Thread] = l
		}
		l.quiet = l.quiet && !accessesMemory(s)
		switch {
		case s.Kind == verdict.StepStore && s.Buffered:
			k := 0
			for k < len(busy[s.Thread]) && busy[s.Thread][k] {
				k++
			}
			if k == len(busy[s.Thread]) {
				busy[s.Thread] = append(busy[s.Thread], false)
			}
			busy[s.Thread][k] = true
			b.slot[i] = k
			l.slots = max(l.slots, k+1)
		case s.Kind == verdict.StepFlush && b.isEntry(s.Of):
			busy[s.Thread][b.slot[s.Of]] = false
		}
	}
}

func (b *builder) isEntry(step int) bool {
	return step >= 0 && step < len(b.w.Steps) && b.w.Steps[step].Kind == verdict.StepStore && b.w.Steps[step].Buffered
}

// assignColumns puts memory in the middle, so that stores of the threads on both
// sides flow towards it.
func (b *builder) assignColumns() {
	slot, cell := 5, 6 // widths in characters
	for _, s := range b.w.Steps {
		if s.Kind == verdict.StepStore && s.Buffered {
			slot = max(slot, utf8.RuneCountInString(s.EntryText()))
		}
		cell = max(cell, utf8.RuneCountInString(cellText(s)))
	}
	slot, cell = min(slot, 16), min(cell, 18)
	var order []*lane
	for t := range b.w.Threads {
		if b.lanes[t] != nil {
			order = append(order, b.lanes[t])
		}
	}
	g := &gridColumns{css: "var(--no)", last: 1, chars: cell}
	for i, l := range order {
		code := "minmax(var(--code),1fr)"
		if l.quiet {
			code = "minmax(calc(var(--code)*.6),.55fr)"
		}
		slots := func() int { return g.add(l.slots, fmt.Sprintf("var(--slot,calc(%dch*.92 + 17px))", slot), slot+2) }
		if i < (len(order)+1)/2 {
			l.code, l.step = g.add(1, code, 18), 1
			l.buffer = slots()
			if i == (len(order)+1)/2-1 {
				b.memory = g.add(1, fmt.Sprintf("calc(%dch + var(--pad))", cell), cell)
			}
		} else {
			l.buffer = slots() + l.slots - 1 // mirrored
			l.code, l.step = g.add(1, code, 18), -1
		}
	}
	if len(order) == 0 {
		b.memory = g.add(1, "1fr", cell)
	}
	b.Columns, b.Dense = template.CSS(g.css), g.chars > 95
	b.heads(order)
}

// gridColumns collects the columns of a grid.
type gridColumns struct {
	css   string
	last  int
	chars int // about how wide all of it is
}

// add appends n columns and returns the first.
func (g *gridColumns) add(n int, width string, chars int) int {
	for range n {
		g.css += " " + width
		g.chars += chars
	}
	g.last += n
	return g.last - n + 1
}

func (b *builder) heads(order []*lane) {
	for _, l := range order {
		b.Heads = append(b.Heads, head{l.code, l.code + 1, b.w.Threads[l.thread], "", threadClass(l.thread)})
		if l.slots > 0 {
			from := min(l.buffer, l.buffer+l.step*(l.slots-1))
			b.Heads = append(b.Heads, head{from, from + l.slots, "buffer", "of " + b.w.Threads[l.thread], threadClass(l.thread) + " buf"})
		}
	}
	b.Heads = append(b.Heads, head{b.memory, b.memory + 1, "memory", "", "mem"})
}

func threadClass(t int) string { return "t" + strconv.Itoa(t%6) }

func (b *builder) slotColumn(step int) int {
	l := b.lanes[b.w.Steps[step].Thread]
	return l.buffer + l.step*b.slot[step]
}

// bars draws the stores that wait.
func (b *builder) bars(delayed int) {
	end := map[int]int{}
	for i, s := range b.w.Steps {
		if s.Kind == verdict.StepFlush {
			end[s.Of] = i
		}
	}
	for i, s := range b.w.Steps {
		if !b.isEntry(i) || b.lanes[s.Thread] == nil {
			continue
		}
		one := bar{Column: b.slotColumn(i), From: i + firstRow, To: len(b.w.Steps) + firstRow, Class: threadClass(s.Thread), Text: s.EntryText()}
		if at, ok := end[i]; ok {
			one.To = at + firstRow + 1
		} else {
			one.Class += " open"
		}
		if i == delayed {
			one.Class += " delayed"
		}
		b.Bars = append(b.Bars, one)
	}
}

// step adds what a step shows: the event in its thread's lane, what happens in
// memory, and the wires between.
func (b *builder) step(i int, s verdict.Step) {
	l := b.lanes[s.Thread]
	if l == nil {
		return
	}
	row := i + firstRow
	ev := event{Step: i + 1, Row: row, Column: l.code, Class: threadClass(s.Thread) + " k-" + s.Kind.String(), Text: text.StepText(s), Badge: badge(s)}
	ev.Label = fmt.Sprintf("Step %d, %s: %s", i+1, b.w.Threads[s.Thread], ev.Text)
	if effect := text.Effect(s); effect != "" {
		ev.Label += "; " + effect
	}
	b.Events = append(b.Events, ev)
	cell := func(class string) {
		b.Cells = append(b.Cells, memoryCell{b.memory, row, class + " " + threadClass(s.Thread), cellText(s)})
	}
	switch {
	case s.Kind == verdict.StepLoad:
		for _, from := range s.ForwardedFrom() {
			if b.isEntry(from) {
				b.wire(row, b.slotColumn(from), l.code, "read "+threadClass(s.Thread))
			}
		}
		if s.ReadsMemory() {
			b.wire(row, b.memory, l.code, "read "+threadClass(s.Thread))
			cell("rd")
		}
	case s.Kind == verdict.StepStore && s.Buffered:
		b.wire(row, l.code, b.slotColumn(i), threadClass(s.Thread))
	case s.Kind == verdict.StepStore:
		b.wire(row, l.code, b.memory, threadClass(s.Thread))
		cell("wr")
	case s.Kind == verdict.StepRMW:
		b.wire(row, l.code, b.memory, threadClass(s.Thread))
		if s.Wrote {
			cell("wr")
		} else {
			cell("rd")
		}
	case s.Kind == verdict.StepFlush && b.isEntry(s.Of):
		b.wire(row, b.slotColumn(s.Of), b.memory, threadClass(s.Thread))
		cell("wr")
	}
}

// wire runs through the columns between two columns.
func (b *builder) wire(row, from, to int, class string) {
	w := wire{Row: row, From: from + 1, To: to, Class: class + " right"}
	if to < from {
		w.From, w.To, w.Class = to+1, from, class+" left"
	}
	if w.From == w.To { // neighbours: only the gap is left, at the end of the left one
		w.From--
		w.Class += " gap"
	}
	b.Wires = append(b.Wires, w)
}

// badge is the value beside an instruction that reads.
func badge(s verdict.Step) string {
	switch {
	case s.Kind == verdict.StepLoad:
		return s.ValueText()
	case s.Kind == verdict.StepRMW && s.Wrote:
		return fmt.Sprintf("%s→%s", s.ValueText(), s.WrittenText())
	case s.Kind == verdict.StepRMW:
		return s.ValueText()
	case s.Kind == verdict.StepFail:
		return "fails"
	default:
		return ""
	}
}

func cellText(s verdict.Step) string {
	switch {
	case s.Kind == verdict.StepLoad && len(s.FromBytes) > 0:
		return fmt.Sprintf("%s, in part", s.Cell())
	case s.Kind == verdict.StepLoad && s.From == 0, s.Kind == verdict.StepRMW && !s.Wrote:
		return fmt.Sprintf("%s is %s", s.Cell(), s.ValueText())
	case s.Kind == verdict.StepRMW:
		return fmt.Sprintf("%s=%s", s.Cell(), s.WrittenText())
	case s.Kind == verdict.StepStore, s.Kind == verdict.StepFlush:
		return s.EntryText()
	default:
		return ""
	}
}
