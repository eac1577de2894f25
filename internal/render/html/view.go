package html

import (
	"fmt"
	"html/template"
	"path"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// page is the input of the template.
type page struct {
	Title   string
	Style   template.CSS
	Script  template.JS
	Results []result
	Data    []resultData // for the script
}

type result struct {
	ID         string
	Tab        string // in the list of results
	Class      string // good, bad, open, plain
	Word       string // such as UNSAFE
	Model      string
	Against    string // under, against
	Program    string
	Question   string
	Headline   string
	Reason     string
	Covers     []string // how far a safe or not observed reaches; what was searched for unknown
	CoversHead string
	Next       []string // what to try after an unknown
	By         string   // what a safe rests on
	Engines    []string // what each engine said, where several were asked
	Warnings   []warning
	Finals     []string
	Stats      string
	Executions []execution
	Sources    []sourceFile
}

type warning struct{ Position, Message, Code string }

type execution struct {
	ID       string
	Name     string
	Title    string
	Words    []string
	Cycle    bool
	Graph    template.HTML
	Timeline timeline
}

// resultData and what follows is read by the script.
type resultData struct {
	ID         string          `json:"id"`
	Executions []executionData `json:"executions"`
}

type executionData struct {
	ID      string      `json:"id"`
	Threads []string    `json:"threads"`
	Memory  [][2]string `json:"memory"` // name and value at the start, "" for unknown
	Steps   []stepData  `json:"steps"`
}

type stepData struct {
	Thread  int            `json:"t"`
	Text    string         `json:"text"`
	Effect  string         `json:"effect,omitempty"`
	Pos     string         `json:"place,omitempty"`
	Fails   bool           `json:"fails,omitempty"`
	File    int            `json:"file"`            // index into the sources, -1: none
	Spans   [][3]int       `json:"spans,omitempty"` // line, from, to; in UTF-16 units
	Memory  []cellChange   `json:"memory,omitempty"`
	Buffers []bufferChange `json:"buffers,omitempty"`
}

type cellChange struct {
	Cell  int    `json:"i"`
	Value string `json:"v"`
}

type bufferChange struct {
	Thread  int      `json:"t"`
	Entries []string `json:"e"`
}

func newPage(results []verdict.Result) *page {
	p := &page{Title: "fencepost", Data: []resultData{}}
	for i := range results {
		r := &results[i]
		one, data := newResult(r, fmt.Sprintf("r%d", i+1))
		p.Results = append(p.Results, one)
		p.Data = append(p.Data, data)
		if i == 0 {
			p.Title = fmt.Sprintf("%s: %s %s %s", path.Base(r.Program), one.Word, one.Against, one.Model)
		}
	}
	if len(results) > 1 {
		p.Title = fmt.Sprintf("%s and %d more", p.Title, len(results)-1)
	}
	return p
}

func newResult(r *verdict.Result, id string) (result, resultData) {
	v := result{
		ID: id, Word: text.VerdictWord(r), Model: strings.ToUpper(r.Model), Against: "under", Class: class(r.Verdict),
		Program: r.Program, Question: string(r.Question), Headline: text.Headline(r), Stats: text.Stats(r), Finals: r.FinalStates,
	}
	if r.Question == verdict.Robustness {
		v.Against = "against"
	}
	v.Tab = fmt.Sprintf("%s %s: %s", path.Base(r.Program), v.Model, v.Word)
	switch {
	case v.Against == "against":
		v.Reason = r.Reason // it names its positions
	case r.Reason != "":
		v.Reason = text.Placed(r.Reason, r.Pos)
	}
	switch r.Verdict {
	case verdict.Safe, verdict.NotObserved:
		v.CoversHead, v.Covers = "Covers", text.Coverage(r.Coverage)
	case verdict.Unknown:
		v.CoversHead, v.Covers, v.Next = "Searched", text.Coverage(r.Coverage), r.Next
	}
	if r.By != "" {
		v.By = "by " + r.By
	}
	for _, e := range r.Engines {
		v.Engines = append(v.Engines, engineLine(&e))
	}
	for _, w := range r.Warnings {
		v.Warnings = append(v.Warnings, warning{positionText(w.Pos), w.Message, w.Code})
	}
	files := newSources(r, id)
	data := resultData{ID: id, Executions: []executionData{}}
	for i, e := range r.Executions() {
		one := execution{ID: fmt.Sprintf("%se%d", id, i+1), Name: upper(e.Name), Title: text.Placed(e.Reason, e.Pos), Timeline: newTimeline(&e)}
		one.Words = causeWords(&e, r.Model)
		one.Cycle = len(relation.Of(&e).Cycle) > 0
		// Drawn by us, with all text escaped.
		one.Graph = template.HTML(svg.Inline(&e, one.ID))
		v.Executions = append(v.Executions, one)
		data.Executions = append(data.Executions, newExecutionData(&e, one.ID, files))
	}
	v.Sources = files.list
	return v, data
}

// engineLine returns the answer of one engine.
func engineLine(e *verdict.EngineReport) string {
	line := fmt.Sprintf("%s, %s under %s: %s", e.Engine, e.Question, strings.ToUpper(e.Model), e.Verdict)
	if e.Reason != "" {
		line += ", " + e.Reason
	}
	if e.States > 0 {
		line += fmt.Sprintf(" (%s states)", text.Count(e.States))
	}
	return line
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

func newExecutionData(e *verdict.Execution, id string, files *sources) executionData {
	w := e.Witness
	d := executionData{ID: id, Threads: w.Threads, Steps: []stepData{}}
	if d.Threads == nil {
		d.Threads = []string{}
	}
	mem := newMemory(w)
	d.Memory = mem.start()
	buffers := relation.Buffers(w)
	before := make([][]relation.Entry, len(w.Threads))
	for i, s := range w.Steps {
		st := stepData{
			Thread: s.Thread, Text: text.StepText(s), Effect: text.Effect(s), Pos: positionText(s.Pos), Fails: s.Kind == verdict.StepFail,
			File: -1, Memory: mem.apply(s),
		}
		if s.Kind == verdict.StepFlush {
			st.Pos = ""
		} else if s.Pos != nil {
			st.File, st.Spans = files.spans(s.Pos)
		}
		for t := range buffers[i] {
			if !sameEntries(before[t], buffers[i][t]) {
				st.Buffers = append(st.Buffers, bufferChange{t, entryTexts(buffers[i][t])})
			}
		}
		before = buffers[i]
		d.Steps = append(d.Steps, st)
	}
	return d
}

func sameEntries(a, b []relation.Entry) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Step != b[i].Step {
			return false
		}
	}
	return true
}

func entryTexts(list []relation.Entry) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Text
	}
	return out
}

func class(v verdict.Verdict) string {
	switch v {
	case verdict.Safe:
		return "good"
	case verdict.Unsafe:
		return "bad"
	case verdict.Unknown, verdict.Unset:
		return "open"
	default:
		return "plain"
	}
}

func positionText(p *verdict.Pos) string {
	if p == nil {
		return ""
	}
	if p.Line == 0 {
		return path.Base(p.File)
	}
	return fmt.Sprintf("%s:%d", path.Base(p.File), p.Line)
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
