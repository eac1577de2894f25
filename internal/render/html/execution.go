package html

import (
	"fmt"
	"html/template"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/rows"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// execution is an execution as the template shows it: the drawing of its happens-before relation.
type execution struct {
	ID    string
	Name  string
	Title string
	Graph template.HTML
}

// executionData is an execution as the script reads it. The steps are a table by column, with a number per
// step, because the page repeats the names of fields otherwise; texts are indices into the strings of the page,
// and string 0 is empty.
type executionData struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Words   []string `json:"words"` // why it is possible
	End     string   `json:"end"`
	Bad     bool     `json:"bad"`
	Cycle   bool     `json:"cycle"`
	Delayed int      `json:"delayed"`           // step of the delayed store, or -1
	Repeats int      `json:"repeats,omitempty"` // how many of the last steps repeat for ever
	Threads []string `json:"threads"`
	Cells   [][2]int `json:"cells"` // names and values at the start

	stepColumns
	Spans    [][]int       `json:"spans"`
	Forwards map[int][]int `json:"f"` // by step: the buffered stores that a load reads from
	Changes  map[int][]int `json:"m"` // by step: cell, value, cell, value, ...
	Rows     []any         `json:"rows"`
	Blocks   []string      `json:"blocks"` // what names of heap blocks mean
}

// stepColumns has a number per step in each.
type stepColumns struct {
	Thread   []int `json:"t"`
	Kind     []int `json:"k"` // index into kinds
	Text     []int `json:"x"`
	Effect   []int `json:"e"`
	Badge    []int `json:"b"` // the value beside an instruction that reads
	InMemory []int `json:"c"` // what happens in memory
	Variable []int `json:"v"` // 1 + the cell, 0: none
	Entry    []int `json:"n"` // what a store puts into the buffer
	Of       []int `json:"o"` // 1 + the store that a flush takes to memory
	Span     []int `json:"p"` // 1 + index into Spans
	// Code is, of machine code whose source is known, the same in the listing; Span is in the source then.
	Code []int `json:"a,omitempty"`
}

// The kinds of steps as the script knows them; the names are classes of the style sheet.
const (
	kindExec = iota
	kindLoad
	kindStore // to the buffer
	kindWrite // to memory
	kindFlush
	kindRMW
	kindTry // a read-modify-write that wrote nothing
	kindFence
	kindWake
	kindFail
)

// table interns strings.
type table struct {
	list  []string
	index map[string]int
}

func newTable() *table { return &table{list: []string{""}, index: map[string]int{"": 0}} }

func (t *table) add(s string) int {
	i, ok := t.index[s]
	if !ok {
		i = len(t.list)
		t.list = append(t.list, s)
		t.index[s] = i
	}
	return i
}

// newExecution returns an execution for the template and for the script.
func newExecution(e *verdict.Execution, id, model string, files *sources, words *table) (execution, executionData) {
	if e.Model != "" {
		model = e.Model
	}
	name, title := upper(e.Name), text.Placed(e.Reason, e.Pos)
	order := relation.Of(e)
	d := executionData{
		ID: id, Name: name, Title: title, Words: causeWords(e, model), End: e.Reason, Bad: e.Verdict == verdict.Unsafe, Cycle: len(order.Cycle) > 0, Delayed: -1,
		Repeats: e.Witness.Repeats, Threads: e.Witness.Threads, Forwards: map[int][]int{}, Changes: map[int][]int{}, Spans: [][]int{},
	}
	if d.Threads == nil {
		d.Threads = []string{}
	}
	if e.Attack != nil {
		d.End = "happens-before has a cycle"
	}
	if store, _, ok := relation.Delayed(e); ok && d.Cycle {
		d.Delayed = store
	}
	shown, hidden := rows.InSource(e)
	d.steps(e.Witness, inSource(shown, hidden, files), hidden, files, words)
	view := rows.Of(e, rows.Options{Max: len(e.Witness.Steps) + 1})
	d.Rows, d.Blocks = rowsOf(view.Rows, words), blockWords(view.Legend)
	// Drawn by us, with all text escaped.
	return execution{ID: id, Name: name, Title: title, Graph: template.HTML(svg.Inline(e, id))}, d
}

// steps fills in the table of steps.
func (d *executionData) steps(w *verdict.Witness, inSource []*verdict.Pos, hidden []bool, files *sources, words *table) {
	n := len(w.Steps)
	for _, column := range []*[]int{&d.Thread, &d.Kind, &d.Text, &d.Effect, &d.Badge, &d.InMemory, &d.Variable, &d.Entry, &d.Of, &d.Span} {
		*column = make([]int, n)
	}
	if inSource != nil {
		d.Code = make([]int, n)
	}
	mem := newMemory(w, hidden)
	d.Cells = mem.start(words)
	spans := map[string]int{}
	spanOf := func(p *verdict.Pos) int {
		if p == nil {
			return 0
		}
		span := files.spans(p)
		if key := fmt.Sprint(span); span != nil && spans[key] == 0 {
			d.Spans = append(d.Spans, span)
			spans[key] = len(d.Spans)
		}
		return spans[fmt.Sprint(span)]
	}
	for i, s := range w.Steps {
		d.Thread[i], d.Kind[i] = s.Thread, kindOf(s)
		d.Text[i], d.Effect[i] = words.add(text.StepText(s)), words.add(text.Effect(s))
		d.Badge[i], d.InMemory[i] = words.add(badge(s)), words.add(cellText(s))
		d.Variable[i] = 1 + mem.cell(s)
		if s.Kind == verdict.StepStore {
			d.Entry[i] = words.add(s.EntryText())
		}
		if s.Kind == verdict.StepFlush {
			d.Of[i] = s.Of + 1
		} else if inSource != nil {
			d.Span[i], d.Code[i] = spanOf(inSource[i]), spanOf(s.Pos)
		} else {
			d.Span[i] = spanOf(s.Pos)
		}
		if from := s.ForwardedFrom(); s.Kind == verdict.StepLoad && len(from) > 0 {
			d.Forwards[i] = from
		}
		for _, c := range mem.apply(w, i) {
			d.Changes[i] = append(d.Changes[i], c.cell, words.add(c.value))
		}
	}
}

func kindOf(s verdict.Step) int {
	switch s.Kind {
	case verdict.StepLoad:
		return kindLoad
	case verdict.StepStore:
		if s.Buffered {
			return kindStore
		}
		return kindWrite
	case verdict.StepFlush:
		return kindFlush
	case verdict.StepRMW:
		if s.Wrote {
			return kindRMW
		}
		return kindTry
	case verdict.StepFence:
		return kindFence
	case verdict.StepWake:
		return kindWake
	case verdict.StepFail:
		return kindFail
	default:
		return kindExec
	}
}

// rowsOf returns the rows that the page shows at first. A row is its first and last step, its text and its
// effect, and, if it stands for several rows that a click shows, these rows.
func rowsOf(list []rows.Row, words *table) []any {
	out := []any{}
	for i := range list {
		r := &list[i]
		row := []any{r.First, r.Last, words.add(r.Text), words.add(r.EffectText())}
		if r.Fold != rows.Statement {
			row = append(row, rowsOf(r.Rows, words))
		}
		out = append(out, row)
	}
	return out
}

// blockWords says where the blocks of the heap that the rows name were allocated.
func blockWords(legend []verdict.Block) []string {
	out := []string{}
	for _, b := range legend {
		line := b.Name + " is the block of " + b.By
		if b.Pos != nil {
			line += " at " + positionText(b.Pos)
		}
		out = append(out, line)
	}
	return out
}

// causeWords says why the execution is possible, in sentences.
func causeWords(e *verdict.Execution, model string) []string {
	switch {
	case e.Attack != nil:
		return []string{e.Attack.String() + ".", "No execution without delays orders the accesses like this."}
	case e.Question == verdict.UnsupportedConstruct:
		return []string{text.AfterUnsupported}
	case len(e.Witness.Steps) == 0:
		return []string{"No step is needed: the initial state shows it already."}
	case e.Cause != nil && len(e.Cause.Words) > 0 && e.Like > 0:
		return append([]string{fmt.Sprintf("It has the same cause as violation %d.", e.Like)}, e.Cause.Words...)
	case e.Cause != nil && len(e.Cause.Words) > 0:
		return e.Cause.Words
	default:
		return []string{text.Delay(e.Witness, model, e.Verdict)}
	}
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

// cellText says what a step does to memory.
func cellText(s verdict.Step) string {
	switch {
	case s.Kind == verdict.StepLoad && len(s.FromBytes) > 0:
		return fmt.Sprintf("%s, in part", s.Cell())
	case s.Kind == verdict.StepLoad && s.From == 0, s.Kind == verdict.StepRMW && !s.Wrote:
		return fmt.Sprintf("%s is %s", s.Cell(), s.ValueText())
	case s.Kind == verdict.StepRMW:
		return fmt.Sprintf("%s=%s", s.Cell(), s.WrittenText())
	case s.Kind == verdict.StepStore && !s.Buffered, s.Kind == verdict.StepFlush:
		return s.EntryText()
	default:
		return ""
	}
}
