package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// The table has a mark for the failing step or the delayed store, the step's number, its source line,
// the threads, what the step did, and the store buffers. With few threads each
// has a column of its own. Otherwise, or if the columns would get too narrow to
// read, it is a listing: the thread's name stands before the instruction, and
// the buffers on a line of their own after each step that changed them.

const (
	maxColumns   = 4 // threads that get a column each
	maxCell      = 34
	goodCell     = 18
	minCell      = 12 // narrowest column for instructions
	readableCell = 16 // narrowest among several: else one column is easier to read
	maxEffect    = 44
	maxBuffers   = 34
	minBuffers   = 16
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
func (p *printer) table(w *verdict.Witness, all []row) {
	l := newLayout(p.opt, w, all)
	p.header(l, all)
	var before []string
	for i := range all {
		p.row(l, &all[i])
		if !l.columns && !slices.Equal(before, all[i].buffers) {
			p.bufferLine(l, all[i].buffers)
		}
		before = all[i].buffers
	}
}

func newLayout(opt Options, w *verdict.Witness, all []row) *layout {
	l := &layout{opt: opt, columns: len(w.Threads) <= maxColumns, number: len("step"), at: len("line"), name: len("thread")}
	for _, t := range w.Threads {
		t = oneLine(t)
		l.threads = append(l.threads, t)
		l.name = max(l.name, utf8.RuneCountInString(t))
	}
	whole, one := minBuffers, minBuffers // room for all buffers in a line, for the longest
	for i := range all {
		r := &all[i]
		l.number = max(l.number, len(r.number()))
		l.at = max(l.at, utf8.RuneCountInString(r.at))
		l.effect = max(l.effect, utf8.RuneCountInString(r.effect))
		whole = max(whole, utf8.RuneCountInString(strings.Join(r.buffers, "  ")))
		for _, piece := range r.buffers {
			one = max(one, utf8.RuneCountInString(piece))
		}
	}
	l.effect = min(l.effect, maxEffect)
	if l.columns {
		for _, try := range []struct{ cell, buffers int }{
			{goodCell, min(whole, maxBuffers)}, {goodCell, min(one, maxBuffers)}, {readableCell, min(one, maxBuffers)}, {readableCell, minBuffers},
		} {
			if l.fit(all, try.cell, try.buffers) {
				return l
			}
		}
		l.columns = false
	}
	l.fit(all, minCell, 0)
	return l
}

// fit gives the instruction columns what the others leave, and reports whether
// that is at least narrowest for each.
func (l *layout) fit(all []row, narrowest, buffers int) bool {
	n := 1
	fixed := 2 + l.number + columnSpace + l.at + columnSpace
	if l.columns {
		n = len(l.threads)
	} else {
		fixed += l.name + columnSpace
	}
	l.cells = make([]int, n)
	for i := range all {
		c := l.column(all[i].thread)
		l.cells[c] = max(l.cells[c], utf8.RuneCountInString(all[i].text))
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

func (p *printer) row(l *layout, r *row) {
	var b strings.Builder
	mark, color := "  ", threadColors[max(0, r.thread)%len(threadColors)]
	if r.fails {
		mark, color = p.opt.paint(red, ">")+" ", red
	} else if r.marked {
		mark = p.opt.paint(yellow, ">") + " "
	}
	b.WriteString(mark)
	b.WriteString(padLeft(r.number(), l.number) + "  " + padLeft(r.at, l.at) + "  ")
	if !l.columns {
		b.WriteString(p.opt.paint(color, pad(l.threadName(r.thread), l.name+columnSpace)))
	}
	for i, width := range l.cells {
		cell := ""
		if i == l.column(r.thread) {
			cell = l.opt.cut(r.text, width)
		}
		b.WriteString(p.opt.paint(color, cell) + pad("", width+columnSpace-utf8.RuneCountInString(cell)))
	}
	effectColor := ""
	if r.fails {
		effectColor = red
	}
	effect := r.effect
	if l.columns && len(r.buffers) > 0 {
		effect = p.opt.cut(effect, l.effect)
	}
	b.WriteString(p.opt.paint(effectColor, effect) + pad("", l.effect+columnSpace-utf8.RuneCountInString(effect)))
	if l.columns {
		for i, piece := range wrap(r.buffers, l.opt.width()-l.buffers) {
			if i > 0 {
				b.WriteString("\n" + pad("", l.buffers))
			}
			b.WriteString(piece)
		}
	}
	p.line("%s", strings.TrimRight(b.String(), " "))
}

// bufferLine prints the buffers below a step of the listing.
func (p *printer) bufferLine(l *layout, buffers []string) {
	indent := 2 + l.number + columnSpace + l.at + columnSpace
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
	current := ""
	add := func(gap, text, indent string) {
		switch {
		case current == "":
			current = text
		case utf8.RuneCountInString(current+gap+text) <= room:
			current += gap + text
		default:
			lines = append(lines, current)
			current = indent + text
		}
	}
	for _, piece := range pieces {
		if utf8.RuneCountInString(piece) <= room {
			add("  ", piece, "")
			continue
		}
		if current != "" {
			lines, current = append(lines, current), ""
		}
		for word := range strings.FieldsSeq(piece) {
			add(" ", word, "  ")
		}
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}
