package rows

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/verdict"
)

// MaxRows is the number of rows that a View has at most by default.
const MaxRows = 200

// Options say how much a View shows.
type Options struct {
	Full bool // every statement, local ones too, and no folds
	Asm  bool // instructions of machine code, not the lines of its source
	Max  int  // at most this many rows; 0: MaxRows
}

// View is an execution as rows.
type View struct {
	Witness *verdict.Witness
	Rows    []Row
	// Legend lists the heap blocks that the rows name, in the order of their allocation.
	Legend []verdict.Block
	// Hidden counts the steps that only folds stand for.
	Hidden int
}

// Fold says what a row stands for. The zero value is a statement.
type Fold uint8

// The folds.
const (
	Statement Fold = iota
	SetUp          // what a thread does before it starts others, and starting them
	Rounds         // rounds of a loop
	Private        // statements on memory that no other thread accesses in this execution
	Cut            // rows that were left out because there are too many
	Library        // steps of a library alone, in an execution by lines of the source
)

var foldNames = [...]string{"statement", "set-up", "rounds", "private", "cut", "library"}

func (f Fold) String() string {
	if int(f) >= len(foldNames) {
		panic(fmt.Sprintf("BUG: unknown fold %d", f))
	}
	return foldNames[f]
}

// Row is a statement, or a fold of several rows.
type Row struct {
	First, Last int          // steps of the witness
	Thread      int          // index of the thread, -1 for a fold of several threads
	Fold        Fold         // Statement for a row that is none
	Pos         *verdict.Pos // of the statement, nil if it has none
	Text        string       // the statement in its short form, or the fold in words
	Effects     []Effect     // what happened to memory and buffers, in order
	Buffers     []Buffer     // the buffers that are not empty after the row
	Fails       bool         // the execution ends here with a failure
	Key         bool         // the row has an access that the explanation names
	Repeats     bool         // the row belongs to the steps that repeat for ever
	Rows        []Row        // of a fold

	quiet    bool   // nothing but local steps
	edges    []int  // of all steps
	depth    int    // calls around the statement
	cell     string // of a flush
	accessor bool   // the row stands for a call
}

// Effect describes a step in words.
type Effect struct {
	Step int
	Text string
}

// EffectText returns the effects in one line.
func (r *Row) EffectText() string {
	texts := make([]string, len(r.Effects))
	for i, e := range r.Effects {
		texts[i] = e.Text
	}
	return strings.Join(texts, "; ")
}

// Add appends words to the effect of a step, or adds an effect if the step has none.
func (r *Row) Add(step int, words string) {
	for i := range r.Effects {
		if e := &r.Effects[i]; e.Step == step {
			e.Text += ", " + words
			return
		}
	}
	r.Effects = append(r.Effects, Effect{Step: step, Text: words})
}

// RowOf returns the index of the row that has a step, or -1.
func (v *View) RowOf(step int) int {
	return slices.IndexFunc(v.Rows, func(r Row) bool { return r.First <= step && step <= r.Last })
}

// Of returns the rows of an execution.
func Of(e *verdict.Execution, opt Options) *View {
	w := e.Witness
	key := keySteps(e)
	var hidden []bool
	if !opt.Full && !opt.Asm {
		w, hidden = bySource(w, key)
	}
	v := &View{Witness: w}
	list, round := splitRound(w, statements(w, key, hidden))
	if !opt.Full {
		nameAccessors(w, list)
		nameAccessors(w, round)
		list, round = joinAgain(absorbLocal(list)), joinAgain(absorbLocal(round))
		list, round = foldHeaders(foldLibrary(list)), foldHeaders(foldLibrary(round))
		shared := sharedBytes(w)
		list = foldSetUp(w, list, shared)
		list = foldPrivate(w, list, shared)
		list = foldRounds(list)
	}
	list = append(list, markRound(w, round)...)
	if !opt.Full {
		limit := opt.Max
		if limit <= 0 {
			limit = MaxRows
		}
		list = cutRows(list, limit)
		for i := range list {
			list[i].shorten()
		}
	}
	v.Rows = list
	for i := range list {
		if list[i].Fold != Statement {
			v.Hidden += list[i].Last - list[i].First + 1
		}
	}
	v.Legend = legend(w, list)
	return v
}

// shorten writes atomic operations in their short form.
func (r *Row) shorten() {
	r.Text = ShortForm(r.Text)
	for i := range r.Rows {
		r.Rows[i].shorten()
	}
}

// legend returns the blocks whose names occur in the rows.
func legend(w *verdict.Witness, list []Row) []verdict.Block {
	var texts strings.Builder
	for i := range list {
		for _, e := range list[i].Effects {
			texts.WriteString(e.Text + "\n")
		}
	}
	all := texts.String()
	var out []verdict.Block
	for _, b := range w.Blocks {
		if mentions(all, b.Name) {
			out = append(out, b)
		}
	}
	return out
}

// mentions reports whether a name occurs in a text and does not go on with a digit: node#1
// does not occur in node#10.
func mentions(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		text = text[i+len(name):]
		if text == "" || text[0] < '0' || text[0] > '9' {
			return true
		}
	}
}
