package text

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// row is one line of the picture: a step, or several quiet ones of one thread.
type row struct {
	first, last int // steps
	thread      int
	at          string
	text        string
	effect      string
	buffers     []string // one piece per thread with a non-empty buffer
	fails       bool
	marked      bool // the row to look at first
	quiet       bool // nothing but local steps
	edges       []int
	pos         *verdict.Pos // of the statement, nil for several
}

// joinedWidth is how long the text of several local steps in one row may get.
const joinedWidth = 20

// rows turns the steps into lines. Local steps next to each other share a line,
// and so do a local step and the access that belong to the same statement. What
// failed is not said again where the reader knows it.
func rows(w *verdict.Witness, known string) []row {
	buffers := relation.Buffers(w)
	position := positions(w)
	var all []row
	for i, s := range w.Steps {
		r := row{
			first: i, last: i, thread: s.Thread,
			at: position(s), text: stepText(s), effect: effect(s), buffers: bufferPieces(w, buffers[i]),
			fails: s.Kind == verdict.StepFail,
			quiet: s.Kind == verdict.StepExec && s.Note == "",
			edges: []int{s.Edge},
			pos:   s.Pos,
		}
		if r.fails && s.Note == known {
			r.effect = "FAILS"
		}
		if len(all) > 0 {
			prev := &all[len(all)-1]
			if s.Kind == verdict.StepFlush && s.Of == i-1 && i > 0 && prev.last == i-1 {
				prev.atOnce(w.Steps[i-1], r)
				continue
			}
			if prev.absorb(r) {
				continue
			}
		}
		all = append(all, r)
	}
	return all
}

// atOnce takes the flush of the store that ends r into its line: nothing happened
// while the store was in the buffer.
func (r *row) atOnce(store verdict.Step, flush row) {
	r.effect = strings.Replace(r.effect, effectOnMemory(store), assignment(store)+" in memory", 1)
	r.last, r.buffers = flush.last, flush.buffers
}

// absorb takes the next row into r if both fit one line.
func (r *row) absorb(next row) bool {
	if r.thread != next.thread || r.fails || next.fails || !(r.quiet || next.quiet) {
		return false
	}
	// An edge taken twice is the statement run again, not more of it.
	again := slices.Contains(r.edges, next.edges[0])
	switch {
	case !again && contains(r.pos, next.pos):
		r.text, r.at, r.pos = next.text, next.at, next.pos
	case !again && contains(next.pos, r.pos):
	case r.quiet && next.quiet && utf8.RuneCountInString(r.text+next.text)+2 <= joinedWidth:
		r.text, r.pos = strings.TrimSuffix(r.text, ";")+"; "+next.text, nil
	default:
		return false
	}
	if r.effect == "" {
		r.effect = next.effect
	}
	r.last, r.buffers, r.quiet = next.last, next.buffers, r.quiet && next.quiet
	r.edges = append(r.edges, next.edges...)
	return true
}

// contains reports whether the stretch b contains a.
func contains(a, b *verdict.Pos) bool {
	if a == nil || b == nil || a.File != b.File {
		return false
	}
	before := func(line1, col1, line2, col2 int) bool { return line1 < line2 || line1 == line2 && col1 <= col2 }
	return before(b.Line, b.Col, a.Line, a.Col) && before(a.EndLine, a.EndCol, b.EndLine, b.EndCol) &&
		(a.EndLine != 0 || a.Line == b.Line && a.Col == b.Col)
}

func (r *row) number() string {
	if r.first == r.last {
		return strconv.Itoa(r.first + 1)
	}
	return fmt.Sprintf("%d-%d", r.first+1, r.last+1)
}

// positions returns a function that names the position of a step: by line, or by file and
// line if the steps come from several files.
func positions(w *verdict.Witness) func(verdict.Step) string {
	files := make(map[string]bool)
	for _, s := range w.Steps {
		if s.Pos != nil {
			files[s.Pos.File] = true
		}
	}
	return func(s verdict.Step) string {
		switch {
		case s.Pos == nil || s.Pos.Line == 0 || s.Kind == verdict.StepFlush:
			return ""
		case len(files) > 1:
			return fmt.Sprintf("%s:%d", oneLine(path.Base(s.Pos.File)), s.Pos.Line)
		default:
			return strconv.Itoa(s.Pos.Line)
		}
	}
}

func stepText(s verdict.Step) string {
	switch {
	case s.Kind == verdict.StepFlush:
		return "flush"
	case s.Text == "" && s.Kind == verdict.StepWake:
		return "wake up"
	case s.Text == "":
		return "(" + s.Kind.String() + ")"
	default:
		return oneLine(s.Text)
	}
}

// effect says what a step did to memory or buffers, and its note.
func effect(s verdict.Step) string {
	text, note := effectOnMemory(s), oneLine(s.Note)
	switch {
	case s.Kind == verdict.StepFail && note == "":
		return "FAILS"
	case s.Kind == verdict.StepFail && strings.HasPrefix(note, verdict.NotSupportedNote):
		return strings.ToUpper(verdict.NotSupportedNote[:len(verdict.NotSupportedNote)-2]) + note[len(verdict.NotSupportedNote)-2:]
	case s.Kind == verdict.StepFail:
		return "FAILS: " + note
	case text == "" || note == "":
		return text + note
	default:
		return text + "; " + note
	}
}

// byteSources says where the bytes of a load came from that has several sources: runs of
// bytes, lowest address first.
func byteSources(s verdict.Step) string {
	var parts []string
	for k := 0; k < s.Size; {
		end := k + 1
		for end < s.Size && s.ReadsFrom(end) == s.ReadsFrom(k) {
			end++
		}
		bytes := strconv.Itoa(k)
		if end > k+1 {
			bytes = fmt.Sprintf("%d-%d", k, end-1)
		}
		from := "memory"
		if f := s.ReadsFrom(k); f > 0 {
			from = fmt.Sprintf("buffer (step %d)", f)
		}
		parts = append(parts, bytes+" "+from)
		k = end
	}
	return strings.Join(parts, ", ")
}

func effectOnMemory(s verdict.Step) string {
	cell := oneLine(s.Cell())
	switch {
	case s.Kind == verdict.StepLoad && len(s.FromBytes) > 0:
		return fmt.Sprintf("%s -> %s, bytes %s", cell, oneLine(s.ValueText()), byteSources(s))
	case s.Kind == verdict.StepLoad && s.From > 0:
		return fmt.Sprintf("%s -> %s from own buffer (step %d)", cell, oneLine(s.ValueText()), s.From)
	case s.Kind == verdict.StepLoad:
		return fmt.Sprintf("%s -> %s from memory", cell, oneLine(s.ValueText()))
	case s.Kind == verdict.StepStore && s.Buffered:
		return assignment(s) + " buffered"
	case s.Kind == verdict.StepStore:
		return assignment(s) + " in memory"
	case s.Kind == verdict.StepFlush:
		return fmt.Sprintf("%s reaches memory (step %d)", assignment(s), s.Of+1)
	case s.Kind == verdict.StepRMW && s.Wrote:
		return fmt.Sprintf("%s: %s -> %s in memory", cell, oneLine(s.ValueText()), oneLine(s.WrittenText()))
	case s.Kind == verdict.StepRMW:
		return fmt.Sprintf("%s -> %s from memory, not written", cell, oneLine(s.ValueText()))
	case s.Kind == verdict.StepWake:
		return "wakes up without a signal"
	default:
		return ""
	}
}

func assignment(s verdict.Step) string {
	if s.Free {
		return "free " + oneLine(s.Cell())
	}
	return fmt.Sprintf("%s = %s", oneLine(s.Cell()), oneLine(s.ValueText()))
}

func bufferPieces(w *verdict.Witness, threads [][]relation.Entry) []string {
	var all []string
	for t, entries := range threads {
		if len(entries) == 0 {
			continue
		}
		texts := make([]string, len(entries))
		for i, e := range entries {
			texts[i] = oneLine(e.Text)
		}
		all = append(all, oneLine(w.Threads[t])+": "+strings.Join(texts, " "))
	}
	return all
}

// picture prints the witness and what explains it.
func (p *printer) picture(w *verdict.Witness, cause *verdict.Cause, model, reason string, v verdict.Verdict) {
	p.line("")
	if len(w.Steps) == 0 {
		p.line("No step is needed: the initial state shows it already.")
		return
	}
	p.table(w, rows(w, reason))
	for _, s := range w.Steps {
		if s.Kind == verdict.StepFail && len(s.Stack) > 1 {
			p.line("")
			p.line("Called from: %s", oneLine(strings.Join(s.Stack, " > ")))
		}
	}
	p.line("")
	if cause == nil {
		p.line("%s", p.opt.paint(bold, delaySentence(w, model, v)))
		return
	}
	for i, sentence := range cause.Words {
		p.sentence(oneLine(sentence), i == 0)
	}
	if len(cause.Cycle) > 0 {
		p.line("")
		p.line("Happens-before has a cycle:")
		p.chain(cause.Nodes, cause.Cycle)
	}
}

// sentence prints words on as many lines as the width asks for.
func (p *printer) sentence(text string, strong bool) {
	line := ""
	flush := func() {
		if strong {
			line = p.opt.paint(bold, line)
		}
		p.line("%s", line)
		line = ""
	}
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > p.opt.width() {
			flush()
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	flush()
}
