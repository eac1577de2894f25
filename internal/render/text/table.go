package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/rows"
)

// The table has a mark for the failing step or the delayed store, the step's number, its source line,
// the threads, what the step did, and the store buffers. With few threads each
// has a column of its own. Otherwise, or if the columns would get too narrow to
// read, it is a listing: the thread's name stands before the instruction, and
// the buffers on a line of their own after each step that changed them. No line is
// wider than the terminal: what does not fit goes on in the line below.

const (
	maxColumns   = 4 // threads that get a column each
	maxCell      = 44
	maxLines     = 4 // of an instruction
	goodCell     = 24
	minCell      = 12 // narrowest column for instructions
	readableCell = 16 // narrowest among several: else one column is easier to read
	maxEffect    = 44
	minEffect    = 16
	maxBuffers   = 40
	minBuffers   = 16
	maxName      = 16 // thread names of a listing
	columnSpace  = 2
)

type layout struct {
	opt     Options
	threads []string
	columns bool // a column per thread
	number  int  // widths
	at      int
	name    int   // thread names, if not in columns
	cells   []int // a width per thread, or one for all
	effect  int
	buffers int // column in which the buffers begin
}

// table prints the rows.
func (p *printer) table(v *view) {
	l := newLayout(p.opt, v)
	p.header(l, v.rows)
	var before []string
	for i := range v.rows {
		r := &v.rows[i]
		if r.Fold != rows.Statement {
			p.fold(l, r)
		} else {
			p.row(l, r)
		}
		if (!l.columns || r.Fold != rows.Statement && i == len(v.rows)-1) && !slices.Equal(before, r.buffers) {
			p.bufferLine(l, r.buffers)
		}
		before = r.buffers
	}
}

func newLayout(opt Options, v *view) *layout {
	w, all := v.Witness, v.rows
	l := &layout{opt: opt, columns: len(w.Threads) <= maxColumns, number: len("step"), at: len("line"), name: len("thread")}
	for _, t := range w.Threads {
		t = oneLine(t)
		l.threads = append(l.threads, t)
		l.name = max(l.name, utf8.RuneCountInString(t))
	}
	l.name = min(l.name, maxName)
	whole, one := minBuffers, minBuffers // room for all buffers in a line, for the longest
	for i := range all {
		r := &all[i]
		l.number = max(l.number, len(r.number()))
		l.at = max(l.at, utf8.RuneCountInString(r.at))
		if r.Fold != rows.Statement {
			continue
		}
		for _, e := range r.effects {
			l.effect = max(l.effect, utf8.RuneCountInString(e))
		}
		whole = max(whole, utf8.RuneCountInString(strings.Join(r.buffers, "  ")))
		for _, piece := range r.buffers {
			one = max(one, utf8.RuneCountInString(piece))
		}
	}
	l.effect = min(l.effect, maxEffect)
	l.at = min(l.at, max(len("line"), opt.width()/4))
	if l.columns {
		for _, try := range []struct{ cell, buffers int }{
			{goodCell, min(whole, maxBuffers)}, {goodCell, min(one, maxBuffers)}, {readableCell, min(one, maxBuffers)},
		} {
			if l.fit(all, try.cell, try.buffers) {
				return l
			}
		}
		l.columns = false
	}
	for !l.fit(all, minCell, 0) && l.effect > minEffect {
		l.effect--
	}
	return l
}

// fit gives the instruction columns what the others leave, and reports whether
// that is at least narrowest for each.
func (l *layout) fit(all []row, narrowest, buffers int) bool {
	n := 1
	fixed := l.begin()
	if l.columns {
		n = len(l.threads)
	} else {
		fixed += l.name + columnSpace
	}
	l.cells = make([]int, n)
	for i := range all {
		if all[i].Fold == rows.Statement {
			c := l.column(all[i].Thread)
			l.cells[c] = max(l.cells[c], utf8.RuneCountInString(oneLine(all[i].Text)))
		}
	}
	total := 0
	for i := range l.cells {
		if l.columns {
			l.cells[i] = max(l.cells[i], utf8.RuneCountInString(l.threads[i]))
		}
		l.cells[i] = min(maxCell, max(l.cells[i], minCell))
		total += l.cells[i]
	}
	left := l.opt.width() - fixed - n*columnSpace - l.effect - columnSpace - buffers
	for total > left && shrinkWidest(l.cells, narrowest) {
		total--
	}
	l.buffers = fixed + total + n*columnSpace + l.effect + columnSpace
	return total <= left
}

// begin is the column in which threads and instructions begin.
func (l *layout) begin() int { return 2 + l.number + columnSpace + l.at + columnSpace }

// shrinkWidest takes one from the widest column if that is not too narrow already.
func shrinkWidest(cells []int, narrowest int) bool {
	widest := 0
	for i, c := range cells {
		if c > cells[widest] {
			widest = i
		}
	}
	if len(cells) == 0 || cells[widest] <= narrowest {
		return false
	}
	cells[widest]--
	return true
}

func (l *layout) column(thread int) int {
	if !l.columns || thread < 0 || thread >= len(l.threads) {
		return 0
	}
	return thread
}

func (l *layout) threadName(thread int) string {
	if thread < 0 || thread >= len(l.threads) {
		return "?"
	}
	return l.threads[thread]
}

func (p *printer) header(l *layout, all []row) {
	var b strings.Builder
	b.WriteString("  " + padLeft("step", l.number) + "  " + padLeft("line", l.at) + "  ")
	if l.columns {
		for i, name := range l.threads {
			b.WriteString(pad(l.opt.cut(name, l.cells[i]), l.cells[i]+columnSpace))
		}
	} else {
		b.WriteString(pad("thread", l.name+columnSpace) + pad("instruction", l.cells[0]+columnSpace))
	}
	if l.columns && slices.ContainsFunc(all, func(r row) bool { return len(r.buffers) > 0 }) {
		b.WriteString(pad("", l.effect+columnSpace) + "store buffers")
	}
	p.line("%s", p.opt.paint(bold, strings.TrimRight(b.String(), " ")))
}

// lead returns the mark, the number and the line of a row, and the colour of its thread.
func (p *printer) lead(l *layout, r *row) (text, color string) {
	mark, color := "  ", threadColors[max(0, r.Thread)%len(threadColors)]
	if r.Fails {
		mark, color = p.opt.paint(red, ">")+" ", red
	} else if r.marked {
		mark = p.opt.paint(yellow, ">") + " "
	}
	return mark + padLeft(r.number(), l.number) + "  " + padLeft(l.opt.cutLeft(r.at, l.at), l.at) + "  ", color
}

func (p *printer) row(l *layout, r *row) {
	lead, color := p.lead(l, r)
	start := l.begin() // of the effects
	if !l.columns {
		start += l.name + columnSpace
	}
	for _, width := range l.cells {
		start += width + columnSpace
	}
	instruction := l.instruction(r)
	var buffers []string
	if l.columns {
		buffers = wrap(r.buffers, l.opt.width()-l.buffers)
	}
	room := l.opt.width() - start
	if len(buffers) > 0 {
		room = l.effect
	}
	var effects []string
	for _, e := range r.effects {
		effects = append(effects, wrapWords(e, room)...)
	}
	effectColor := ""
	if r.Fails {
		effectColor = red
	}
	for i := range max(len(instruction), len(effects), len(buffers)) {
		var b strings.Builder
		switch {
		case i > 0 && l.columns:
			b.WriteString(pad("", l.begin()))
		case i > 0:
			b.WriteString(pad("", l.begin()+l.name+columnSpace))
		case l.columns:
			b.WriteString(lead)
		default:
			b.WriteString(lead + p.opt.paint(color, pad(l.opt.cut(l.threadName(r.Thread), l.name), l.name+columnSpace)))
		}
		for c, width := range l.cells {
			cell := ""
			if c == l.column(r.Thread) && i < len(instruction) {
				cell = instruction[i]
			}
			b.WriteString(p.opt.paint(color, cell) + pad("", width+columnSpace-utf8.RuneCountInString(cell)))
		}
		effect := ""
		if i < len(effects) {
			effect = effects[i]
		}
		b.WriteString(p.opt.paint(effectColor, effect))
		if i < len(buffers) {
			b.WriteString(pad("", l.buffers-start-utf8.RuneCountInString(effect)) + buffers[i])
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
}

// instruction returns the lines of an instruction, at least one. What comes after the first line is indented.
func (l *layout) instruction(r *row) []string {
	width := l.cells[l.column(r.Thread)]
	lines := wrapCode(oneLine(r.Text), width)
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], l.opt.cut(strings.Join(lines[maxLines-1:], ""), width))
	}
	return lines
}

// wrapCode breaks a statement after a blank, a comma or a parenthesis, so that no line is longer than width. The
// lines after the first are indented.
func wrapCode(code string, width int) []string {
	const indent = "  "
	width = max(width, minCell)
	var lines []string
	rest := []rune(code)
	for len(rest) > width {
		end := width
		for end > width/2 && !strings.ContainsRune(" ,(", rest[end-1]) {
			end--
		}
		if end == width/2 {
			end = width
		}
		lines = append(lines, strings.TrimRight(string(rest[:end]), " "))
		rest = []rune(indent + strings.TrimLeft(string(rest[end:]), " "))
	}
	return append(lines, string(rest))
}

// fold prints a row that stands for several: its words need no column.
func (p *printer) fold(l *layout, r *row) {
	lead, color := p.lead(l, r)
	text := "... " + oneLine(r.Text)
	if r.Thread >= 0 {
		text = "... " + l.threadName(r.Thread) + ": " + oneLine(r.Text)
	} else {
		color = dim
	}
	if len(r.effects) > 0 {
		text += ": " + strings.Join(r.effects, ", ")
	}
	for i, line := range wrapWords(text, l.opt.width()-l.begin()) {
		if i > 0 {
			lead = pad("", l.begin())
		}
		p.line("%s%s", lead, p.opt.paint(color, line))
	}
}

// bufferLine prints the buffers below a step of the listing.
func (p *printer) bufferLine(l *layout, buffers []string) {
	indent := l.begin()
	lines := wrap(buffers, l.opt.width()-indent-len("buffers  "))
	if len(lines) == 0 {
		lines = []string{"all empty"}
	}
	for i, text := range lines {
		label := "buffers"
		if i > 0 {
			label = ""
		}
		p.line("%s%s", pad("", indent), p.opt.paint(dim, pad(label, len("buffers  "))+text))
	}
}

// wrap puts the buffers' contents on lines of the given width, breaking between
// threads where that is enough and between entries where it is not.
func wrap(pieces []string, room int) []string {
	room = max(room, minBuffers)
	var lines []string
	for _, piece := range pieces {
		if n := len(lines); n > 0 && utf8.RuneCountInString(lines[n-1]+"  "+piece) <= room {
			lines[n-1] += "  " + piece
			continue
		}
		if utf8.RuneCountInString(piece) <= room {
			lines = append(lines, piece)
			continue
		}
		for i, line := range wrapWords(piece, room-2) {
			if i > 0 {
				line = "  " + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}
