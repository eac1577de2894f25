package html

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/rows"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// page is the input of the template of results.
type page struct {
	frame
	Results []result
	Summary *summary // of many programs
	Data    pageData // for the script
}

// summary heads a page about many programs.
type summary struct {
	Class string
	Word  string
	Lines []string
}

// result is an answer as the template shows it.
//
// shape: a field for each part of the page, written once
type result struct {
	heading
	Program    string
	Question   string
	Reason     string
	Covers     []string // how far a safe or not observed reaches; what was searched for unknown
	CoversHead string
	Next       []string // what to try after an unknown
	By         string   // what a safe rests on
	Relies     []string
	Compiled   []string // of machine code: what the comparison with the source says
	Engines    []string // what each engine said, where several were asked
	Warnings   []warning
	Finals     []string
	FinalsHead string
	LeftOut    []string
	Stats      string
	Repair     *repair
	Proof      *proof
	Executions []execution
	Sources    bool
	Listing    bool   // the assembly is shown beside the source
	Moved      string // what the compiler moved and removed
}

// heading is the head of a result.
type heading struct {
	ID    string
	First bool   // in the document from the start; the script puts the others there
	Tab   string // in the list of results
	Class string // good, bad, open, seen, plain
	Word  string // such as unsafe
	Under string // such as under TSO
}

type warning struct{ Position, Message, Code string }

// pageData is read by the script.
type pageData struct {
	Strings []string     `json:"strings"`
	Files   []sourceFile `json:"files"`
	Results []resultData `json:"results"`
	Groups  []group      `json:"groups"`
	First   int          `json:"first"` // the result to open
	Herd    bool         `json:"herd"`  // relations have herd's names
	Grid    []gridItem   `json:"grid,omitempty"`
	Tests   []testRow    `json:"tests,omitempty"`
}

type resultData struct {
	ID         string          `json:"id"`
	Tab        string          `json:"tab"`
	Class      string          `json:"class"`
	Group      int             `json:"group"`
	Files      []int           `json:"files"`
	Executions []executionData `json:"executions"`
	Listing    *listingData    `json:"listing,omitempty"`
}

func newPage(results []verdict.Result) *page {
	results = rows.AllForPeople(results)
	p := &page{frame: frame{Title: "fencepost"}, Data: pageData{Files: []sourceFile{}, Results: []resultData{}}}
	p.Data.First = firstViolation(results)
	words := newTable()
	known := map[string]int{} // files by name and text
	for i := range results {
		files := newSources(results[i].Sources)
		one, data := newResult(&results[i], executions(&results[i]), fmt.Sprintf("r%d", i+1), files, words)
		one.First = i == p.Data.First
		p.add(one, data, files, known)
	}
	p.Data.Strings = words.list
	p.Data.Groups = groups(results, p.Data.Results)
	if len(results) > 0 {
		one := &p.Results[p.Data.First]
		p.Title = strings.TrimSpace(fmt.Sprintf("%s: %s %s", path.Base(one.Program), one.Word, one.Under))
	}
	if len(results) > 1 {
		p.Title = fmt.Sprintf("%s and %d more", p.Title, len(results)-1)
	}
	return p
}

// add adds a result with its files. known has the files of the page.
func (p *page) add(one result, data resultData, files *sources, known map[string]int) {
	for _, f := range files.list {
		key := f.Name + "\x00" + f.Text
		if _, ok := known[key]; !ok {
			known[key] = len(p.Data.Files)
			p.Data.Files = append(p.Data.Files, f)
		}
		data.Files = append(data.Files, known[key])
	}
	p.Results = append(p.Results, one)
	p.Data.Results = append(p.Data.Results, data)
}

// firstViolation is the result that a reader came for: the first that is violated or observed, or else the
// first one.
func firstViolation(results []verdict.Result) int {
	for _, wanted := range []verdict.Verdict{verdict.Unsafe, verdict.Observed} {
		for i := range results {
			if results[i].Verdict == wanted {
				return i
			}
		}
	}
	return 0
}

func newResult(r *verdict.Result, all []verdict.Execution, id string, files *sources, words *table) (result, resultData) {
	v := result{
		heading: heading{ID: id, Word: text.VerdictWord(r), Under: "under " + strings.ToUpper(r.Model), Class: class(r.Verdict)},
		Program: text.ProgramName(r), Question: string(r.Question), Stats: text.Stats(r), Finals: r.FinalStates, FinalsHead: text.FinalsHead(r), LeftOut: r.LeftOut, Sources: len(files.list) > 0,
	}
	v.Reason = r.Reason // of robustness: it names its positions
	switch r.Question {
	case verdict.Robustness, verdict.StateRobustness:
		v.Under = "against " + strings.ToUpper(r.Model)
	case verdict.TriangularRaces: // which is about SC executions
		v.Under = ""
	default:
		if r.Reason != "" {
			v.Reason = text.Placed(r.Reason, r.Pos)
		}
	}
	switch r.Verdict {
	case verdict.Safe, verdict.NotObserved:
		v.CoversHead, v.Covers = "Covers", text.Coverage(r.Coverage)
		if c := r.Coverage.Checked; c != nil {
			v.Covers = append(v.Covers, text.CheckedText(r.Question, c))
		}
	case verdict.Unknown:
		v.CoversHead, v.Covers, v.Next = "Searched", text.Coverage(r.Coverage), r.Next
	}
	if r.By != "" {
		v.By = "by " + r.By
	}
	v.Compiled = text.CompiledText(r)
	for _, x := range r.Relies {
		if x.Pos != nil {
			v.Relies = append(v.Relies, fmt.Sprintf("%s at %s; without it: %s", x.Kind, x.Pos, x.Without))
		}
	}
	for _, e := range r.Engines {
		v.Engines = append(v.Engines, engineLine(&e))
	}
	for _, w := range r.Warnings {
		v.Warnings = append(v.Warnings, warning{positionText(w.Pos), w.Message, w.Code})
	}
	data := resultData{ID: id, Files: []int{}, Executions: []executionData{}}
	data.Listing, v.Moved = newListing(r, files)
	v.Listing = data.Listing != nil
	for i := range all {
		one, steps := newExecution(&all[i], fmt.Sprintf("%se%d", id, i+1), r.Model, files, words)
		v.Executions = append(v.Executions, one)
		data.Executions = append(data.Executions, steps)
	}
	if r.Repair != nil {
		v.repair(r, all)
	}
	if r.Proof != nil {
		v.proof(r)
	}
	v.Tab = strings.TrimSpace(fmt.Sprintf("%s %s: %s", path.Base(r.Program), strings.ToUpper(r.Model), v.Word))
	data.Tab, data.Class = v.Tab, v.Class
	return v, data
}

// executions returns the executions of a result, and for each fence of a repair the execution that it prevents.
func executions(r *verdict.Result) []verdict.Execution {
	all := r.Executions()
	if len(r.Fences) == 1 && r.Repair != nil && hasWitness(r.Fences[0].Without) && hasWitness(r.Repair.Before) && reflect.DeepEqual(r.Fences[0].Without.Witness(), r.Repair.Before.Witness()) {
		// The only fence prevents the execution before the repair.
		all = slices.DeleteFunc(all, func(e verdict.Execution) bool { return e.Witness == r.Repair.Before.Witness() })
	}
	if t := r.Trace; t != nil && t.Witness != nil && len(r.Attacks) == 0 {
		all = append(all, relation.OfTrace(t))
	}
	for i := range r.Fences {
		if b := r.Fences[i].Without; hasWitness(b) {
			all = append(all, b.Execution(fmt.Sprintf("without fence %d", i+1)))
		}
	}
	if r.Repair != nil {
		for i := range r.Repair.Orders {
			if b := r.Repair.Orders[i].Without; hasWitness(b) {
				all = append(all, b.Execution(fmt.Sprintf("without order %d", i+1)))
			}
		}
	}
	if rep := r.Repair; rep != nil && hasWitness(rep.Hopeless) {
		all = append(all, rep.Hopeless.Execution("with all fences"))
	}
	return all
}

func hasWitness(b *verdict.Break) bool {
	return b != nil && (b.Attack != nil || b.Violation != nil) && b.Witness() != nil
}

// engineLine returns the answer of one engine.
func engineLine(e *verdict.EngineReport) string {
	line := fmt.Sprintf("%s, %s under %s: %s", e.Engine, e.Question, strings.ToUpper(e.Model), e.Verdict)
	if e.Reason != "" {
		line += ", " + text.Reason(e.Reason)
	}
	if e.States > 0 {
		line += fmt.Sprintf(" (%s states)", text.Count(e.States))
	}
	return line
}

func class(v verdict.Verdict) string {
	switch v {
	case verdict.Safe, verdict.ValueRobust, verdict.Abstracted:
		return "good"
	case verdict.Unsafe:
		return "bad"
	case verdict.Unknown, verdict.Unset:
		return "open"
	case verdict.Observed:
		return "seen"
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
	return p.Brief()
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
