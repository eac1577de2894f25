package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/rows"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Options say what is known beside the results.
type Options struct {
	Version string // of the tool
	// Diagnostics are about the input; with an error among them the run was none.
	Diagnostics []verdict.Diagnostic
	// Fixes proposes changes that mend an execution of a result; nil: none are known.
	Fixes func(*verdict.Result, *verdict.Execution) []Fix
}

// Fix is a change of the source that makes an execution impossible.
type Fix struct {
	Description  string
	Replacements []Replacement
}

// Replacement replaces a stretch of a file by Text; at a single position it inserts.
type Replacement struct {
	Pos  verdict.Pos
	Text string
}

// Report writes the results as one run.
func Report(w io.Writer, results []verdict.Result, opt Options) error {
	results = rows.AllForPeople(results)
	b := &builder{opt: opt, files: newFiles(results), rules: map[string]int{}}
	b.run = run{
		Tool:        tool{driver{Name: "fencepost", Version: opt.Version, Rules: []rule{}}},
		Invocations: []invocation{{Successful: true}},
		Artifacts:   b.files.artifacts,
		Results:     []result{},
		ColumnKind:  "unicodeCodePoints",
	}
	for _, d := range opt.Diagnostics {
		b.diagnostic(d)
	}
	for i := range results {
		b.add(&results[i])
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(log{Schema: schema, Version: "2.1.0", Runs: []run{b.run}}); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	return nil
}

type builder struct {
	opt   Options
	run   run
	files *files
	rules map[string]int
}

func (b *builder) add(r *verdict.Result) {
	executions := r.Executions()
	switch {
	case r.Verdict == verdict.Unsafe && len(executions) == 0: // stored without its witness
		b.run.Results = append(b.run.Results, b.result(r, &verdict.Execution{
			Name: "violation", Question: r.Question, Reason: r.Reason, Pos: r.Pos, Verdict: verdict.Unsafe}))
	case len(executions) == 0:
		level := "note"
		if r.Verdict == verdict.Unknown || r.Verdict == verdict.Unset {
			level = "warning"
		}
		words := append([]string{text.Headline(r)}, r.Next...)
		if c := r.Coverage.Checked; c != nil {
			words = append(words, text.CheckedText(r.Question, c))
		}
		b.notify(level, strings.Join(words, "; "), r.Pos)
	}
	for _, w := range r.Warnings {
		b.notify("warning", strings.TrimSpace(w.Message+" "+bracketed(w.Code)), w.Pos)
	}
	for i := range executions {
		b.run.Results = append(b.run.Results, b.result(r, &executions[i]))
	}
}

// diagnostic is a message about the input.
func (b *builder) diagnostic(d verdict.Diagnostic) {
	level := d.Severity
	if level == verdict.SeverityError {
		b.run.Invocations[0].Successful = false
	} else {
		level = verdict.SeverityWarning
	}
	b.notify(string(level), strings.TrimSpace(d.Message+" "+bracketed(d.Code)), &d.Pos)
}

func bracketed(code string) string {
	if code == "" {
		return ""
	}
	return "[" + code + "]"
}

func (b *builder) notify(level, words string, pos *verdict.Pos) {
	n := notification{Level: level, Message: message{words}}
	if pos != nil {
		n.Locations = []location{b.files.location(pos, "")}
	}
	inv := &b.run.Invocations[0]
	inv.Notifications = append(inv.Notifications, n)
}

// rule returns the index of the rule for a question, which it may have to add.
func (b *builder) rule(question string) (id string, index int) {
	id = "fencepost/" + slug(question)
	index, ok := b.rules[id]
	if !ok {
		short, help := describe(question)
		index = len(b.run.Tool.Driver.Rules)
		b.rules[id] = index
		b.run.Tool.Driver.Rules = append(b.run.Tool.Driver.Rules, rule{ID: id, Name: camel(question), Short: message{short}, Help: message{help}})
	}
	return id, index
}

func (b *builder) result(r *verdict.Result, e *verdict.Execution) result {
	id, index := b.rule(string(e.Question))
	out := result{
		RuleID: id, RuleIndex: index, Kind: "fail", Level: "error", Message: message{b.words(r, e)},
		Fingerprints: map[string]string{fingerprintKey: b.fingerprint(id, r, e)},
		Properties:   properties{Program: r.Program, Model: r.Model, Engine: r.Engine, Verdict: e.Verdict.String()},
	}
	switch {
	case e.Question == verdict.UnsupportedConstruct:
		out.Kind, out.Level = "open", "none"
	case e.Verdict == verdict.Observed:
		out.Kind, out.Level = "informational", "none"
	case e.Attack != nil:
		out.Level = "warning"
	}
	if e.Pos != nil {
		out.Locations = []location{b.files.location(e.Pos, "")}
	}
	if e.Witness == nil {
		return out
	}
	if out.Locations == nil { // a deadlock, say: where it ends
		for i := len(e.Witness.Steps) - 1; i >= 0 && out.Locations == nil; i-- {
			if p := e.Witness.Steps[i].Pos; p != nil {
				out.Locations = []location{b.files.location(p, "")}
			}
		}
	}
	out.Related = b.related(e)
	if flow, ok := b.flow(e); ok {
		out.CodeFlows = []codeFlow{flow}
	}
	if b.opt.Fixes != nil {
		for _, f := range b.opt.Fixes(r, e) {
			out.Fixes = append(out.Fixes, b.fix(f))
		}
	}
	return out
}

// words returns the message: the violation, the model, and the cause.
func (b *builder) words(r *verdict.Result, e *verdict.Execution) string {
	if e.Attack != nil {
		return fmt.Sprintf("Not robust against %s: %s.", strings.ToUpper(r.Model), e.Attack)
	}
	reason := e.Reason
	if reason == "" {
		reason = e.Name
	}
	words := fmt.Sprintf("Under %s: %s.", strings.ToUpper(r.Model), strings.TrimSuffix(reason, "."))
	switch {
	case e.Question == verdict.UnsupportedConstruct:
		words += " " + text.AfterUnsupported
	case e.Cause != nil && len(e.Cause.Words) > 0:
		words += " " + strings.Join(e.Cause.Words, " ")
	case e.Witness != nil && len(e.Witness.Steps) > 0:
		words += " " + text.Delay(e.Witness, r.Model, e.Verdict)
	}
	return words
}

// fingerprint recognises a result after lines have moved: by rule, model, file and
// the text of the line.
func (b *builder) fingerprint(id string, r *verdict.Result, e *verdict.Execution) string {
	parts := []string{id, r.Model, r.Program, e.Name}
	if e.Pos != nil {
		file, line := e.Pos.SourceLine()
		parts = append(parts, file, strings.TrimSpace(b.files.line(file, line)))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// Fingerprints returns the fingerprints of the executions of a result, and of a violation
// without its execution.
func Fingerprints(r *verdict.Result) []string {
	b := &builder{files: newFiles([]verdict.Result{*r}), rules: map[string]int{}}
	b.run.Invocations = []invocation{{}}
	b.add(r)
	var out []string
	for i := range b.run.Results {
		out = append(out, b.run.Results[i].Fingerprints[fingerprintKey])
	}
	return out
}

// fingerprintKey names our fingerprints among those of others.
const fingerprintKey = "fencepost/v1"

// ReadFingerprints returns the fingerprints in a SARIF log, and whether the text is one.
func ReadFingerprints(text []byte) (all []string, ok bool) {
	var old struct {
		Runs []struct {
			Results []struct {
				Fingerprints map[string]string `json:"partialFingerprints"`
			} `json:"results"`
		} `json:"runs"`
	}
	if json.Unmarshal(text, &old) != nil || old.Runs == nil {
		return nil, false
	}
	for _, run := range old.Runs {
		for _, r := range run.Results {
			if f := r.Fingerprints[fingerprintKey]; f != "" {
				all = append(all, f)
			}
		}
	}
	return all, true
}

// related are the two accesses that were seen out of order.
func (b *builder) related(e *verdict.Execution) []location {
	store, past, ok := relation.Delayed(e)
	if !ok {
		return nil
	}
	var out []location
	for i, part := range []struct {
		step  int
		words string
	}{{store, "this store is delayed"}, {past, "past this access"}} {
		if part.step < 0 || part.step >= len(e.Witness.Steps) || e.Witness.Steps[part.step].Pos == nil {
			continue
		}
		l := b.files.location(e.Witness.Steps[part.step].Pos, part.words)
		id := i + 1
		l.ID = &id
		out = append(out, l)
	}
	return out
}

// flow is the execution: a thread flow per thread that does something.
func (b *builder) flow(e *verdict.Execution) (codeFlow, bool) {
	w := e.Witness
	shown, hidden := rows.InSource(e)
	buffers := relation.Buffers(w)
	store, past, reordered := relation.Delayed(e)
	flow := codeFlow{Message: message{"The steps of all threads, in the order of their execution order."}}
	for t, name := range w.Threads {
		tf := threadFlow{ID: fmt.Sprintf("%d: %s", t, name), Message: message{"thread " + name}}
		for i, s := range w.Steps {
			if s.Thread != t || hidden != nil && (hidden[i] || shown.Steps[i].Pos == nil && s.Kind != verdict.StepFlush) {
				continue
			}
			l := flowLocation{Location: b.stepLocation(w, shown, i), State: bufferState(w, buffers[i]), ExecutionOrder: i + 1, Importance: "important"}
			switch {
			case s.Kind == verdict.StepFail, reordered && (i == store || i == past):
				l.Importance = "essential"
			case s.Kind == verdict.StepExec:
				l.Importance = "unimportant"
			}
			tf.Locations = append(tf.Locations, l)
		}
		if len(tf.Locations) > 0 {
			flow.ThreadFlows = append(flow.ThreadFlows, tf)
		}
	}
	return flow, len(flow.ThreadFlows) > 0
}

// stepLocation is where a step is, and what it did; a flush is where its store is.
// shown has the texts, and the positions of steps that have no source of their own.
func (b *builder) stepLocation(w, shown *verdict.Witness, i int) location {
	s := shown.Steps[i]
	words := text.StepText(s)
	if effect := text.Effect(s); effect != "" {
		words += ": " + effect
	}
	pos := w.Steps[i].Pos
	if pos == nil || pos.Source == "" {
		pos = s.Pos
	}
	if s.Kind == verdict.StepFlush && pos == nil && s.Of >= 0 && s.Of < len(w.Steps) {
		pos = w.Steps[s.Of].Pos
	}
	if pos == nil {
		return location{Message: &message{words}}
	}
	return b.files.location(pos, words)
}

func bufferState(w *verdict.Witness, buffers [][]relation.Entry) map[string]message {
	state := map[string]message{}
	for t, list := range buffers {
		if len(list) == 0 {
			continue
		}
		var texts []string
		for _, e := range list {
			texts = append(texts, e.Text)
		}
		state["store buffer of "+w.Threads[t]] = message{strings.Join(texts, " ")}
	}
	return state
}

func (b *builder) fix(f Fix) fix {
	out := fix{Description: message{f.Description}}
	byFile := map[string][]replacement{}
	var names []string
	for _, r := range f.Replacements {
		if byFile[r.Pos.File] == nil {
			names = append(names, r.Pos.File)
		}
		reg := b.files.region(&r.Pos)
		if r.Pos.EndLine == 0 {
			reg.EndLine, reg.EndColumn = reg.StartLine, reg.StartColumn
		}
		byFile[r.Pos.File] = append(byFile[r.Pos.File], replacement{Deleted: *reg, Inserted: message{r.Text}})
	}
	sort.Strings(names)
	for _, name := range names {
		out.Changes = append(out.Changes, artifactChange{Artifact: b.files.artifact(name), Replacements: byFile[name]})
	}
	return out
}
