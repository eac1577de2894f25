package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// row is a row of the table with what the table needs to know beside it.
type row struct {
	*rows.Row
	at      string   // line, or file and line
	effects []string // in words, one line each
	buffers []string // one piece per thread with a non-empty buffer
	marked  bool     // the row to look at first
}

// view is an execution as it is printed.
type view struct {
	*rows.View
	rows []row
}

// viewOf returns the rows of an execution. What failed is not said again where the reader
// knows it.
func (p *printer) viewOf(e *verdict.Execution, known string) *view {
	v := &view{View: rows.Of(e, rows.Options{Full: p.opt.Full, Asm: p.opt.Asm})}
	v.View.Rows = slices.DeleteFunc(v.View.Rows, func(r rows.Row) bool { return r.Fold == rows.Library })
	position := positions(v.View)
	for i := range v.View.Rows {
		r := row{Row: &v.View.Rows[i]}
		if r.Fold != rows.Cut && r.Fold != rows.SetUp {
			r.at = position(r.Pos)
		}
		for _, effect := range r.Effects {
			if s := &v.Witness.Steps[effect.Step]; s.Kind == verdict.StepFail && s.Note == known {
				effect.Text = "FAILS"
			}
			r.effects = append(r.effects, oneLine(effect.Text))
		}
		for _, b := range r.Buffers {
			r.buffers = append(r.buffers, oneLine(v.Witness.Threads[b.Thread]+": "+b.String()))
		}
		v.rows = append(v.rows, r)
	}
	return v
}

// mark marks the row of a step, with words on what the step did.
func (v *view) mark(step int, words string) {
	i := v.RowOf(step)
	if i < 0 {
		return
	}
	r := &v.rows[i]
	r.marked = true
	at := slices.IndexFunc(r.Effects, func(e rows.Effect) bool { return e.Step == step })
	if at < 0 || at >= len(r.effects) {
		r.effects = append(r.effects, words)
		return
	}
	r.effects[at] += ", " + words
}

func (r *row) number() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First + 1)
	}
	return fmt.Sprintf("%d-%d", r.First+1, r.Last+1)
}

// positions returns a function that names a position: by line, or by file and line if the
// rows come from several files.
func positions(v *rows.View) func(*verdict.Pos) string {
	short, several := v.Witness.ShortFiles(), false
	first := ""
	for i := range v.Rows {
		if p := v.Rows[i].Pos; p != nil && v.Rows[i].Fold == rows.Statement {
			several = several || first != "" && p.File != first
			first = p.File
		}
	}
	return func(p *verdict.Pos) string {
		switch {
		case p == nil || p.Line == 0:
			return ""
		case several:
			return fmt.Sprintf("%s:%d", oneLine(short(p.File)), p.Line)
		default:
			return strconv.Itoa(p.Line)
		}
	}
}

// callers returns the functions that a step is inside of, outermost first, with the positions of the calls.
func callers(s *verdict.Step, w *verdict.Witness) string {
	short := w.ShortFiles()
	var out strings.Builder
	stack := rows.Stack(s)
	for k, i := range stack {
		if out.WriteString(s.Stack[i]); k == len(stack)-1 {
			break
		}
		if i < len(s.Calls) && s.Calls[i].Line > 0 {
			fmt.Fprintf(&out, " (%s)", sourceLine(&s.Calls[i], short))
		}
		out.WriteString(" > ")
	}
	return out.String()
}

// picture prints the witness and what explains it.
func (p *printer) picture(e *verdict.Execution, model string) {
	w, cause := e.Witness, e.Cause
	p.line("")
	if len(w.Steps) == 0 {
		p.line("No step is needed: the initial state shows it already.")
		return
	}
	p.execution(p.viewOf(e, e.Reason))
	for _, s := range w.Steps {
		if s.Kind == verdict.StepFail && len(rows.Stack(&s)) > 1 {
			p.line("")
			p.line("Called from: %s", oneLine(callers(&s, w)))
		}
	}
	p.line("")
	if cause == nil {
		p.sentence(delaySentence(w, model, e.Verdict), true)
		return
	}
	for i, sentence := range cause.Words {
		p.sentence(oneLine(sentence), i == 0)
	}
	if len(cause.Cycle) > 0 {
		p.line("")
		if w.Graph != nil {
			p.line("Program order and the order of accesses have a cycle, which SC forbids:")
		} else {
			p.line("Happens-before has a cycle:")
		}
		p.chain(cause.Nodes, cause.Cycle)
	}
}

// execution prints the table, and below it what the names of blocks mean and how to see what
// is folded.
func (p *printer) execution(v *view) {
	p.table(v)
	if len(v.Legend) > 0 {
		p.line("")
	}
	for _, b := range v.Legend {
		p.sentence(blockText(v.Witness, b), false)
	}
	if v.Hidden > 0 {
		p.line("")
		p.line("%s", p.opt.paint(dim, fmt.Sprintf("%s of %s steps are folded; --full shows every step.", Count(int64(v.Hidden)), Count(int64(len(v.Witness.Steps))))))
	}
}

// sourceLine returns file and line of the source, with a short name of the file.
func sourceLine(p *verdict.Pos, short func(string) string) string {
	if p.Source != "" {
		return p.Brief()
	}
	return fmt.Sprintf("%s:%d", short(p.File), p.Line)
}

// blockText says which block a name means, and where the block was freed.
func blockText(w *verdict.Witness, b verdict.Block) string {
	short := w.ShortFiles()
	text := fmt.Sprintf("%s: %s", b.Name, b.By)
	if b.Pos != nil {
		text += " at " + sourceLine(b.Pos, short)
	}
	text += fmt.Sprintf(", step %d", b.Step+1)
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Kind == verdict.StepStore && s.Free && s.Location == b.Name {
			text += "; freed"
			if s.Pos != nil {
				text += " at " + sourceLine(s.Pos, short)
			}
			text += fmt.Sprintf(", step %d", i+1)
		}
	}
	return oneLine(text)
}

// sentence prints words on as many lines as the width asks for.
func (p *printer) sentence(text string, strong bool) {
	for _, line := range wrapWords(text, p.opt.width()) {
		if strong {
			line = p.opt.paint(bold, line)
		}
		p.line("%s", line)
	}
}

// wrapWords breaks a text into lines between words. A word that is too long is broken.
func wrapWords(text string, room int) []string {
	room = max(room, 1)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for line == "" && utf8.RuneCountInString(word) > room {
			lines = append(lines, string([]rune(word)[:room]))
			word = string([]rune(word)[room:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= room:
			line += " " + word
		default:
			lines = append(lines, line)
			line = ""
			for utf8.RuneCountInString(word) > room {
				lines = append(lines, string([]rune(word)[:room]))
				word = string([]rune(word)[room:])
			}
			line = word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
