package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// Checks in parts: by engine rf, whose tasks can be done in any order by any process that has the program. The answer is
// assembled from what all parts found exactly as the answer of one run is: violations are replayed, and coverage is
// stated.

// Identity says what an exploration is about. Parts of explorations with different identities are never mixed.
type Identity struct {
	Version string      `json:"version"` // of fencepost
	Program string      `json:"program"` // hash of the text of all files that were read, and of what the front end made of them
	Model   query.Model `json:"model"`
	Options string      `json:"options"` // the options that change what is explored, as JSON with sorted names
}

// Differs says what two identities differ in first; nil: in nothing.
func (id Identity) Differs(o Identity) *DifferentError {
	switch {
	case id.Version != o.Version:
		return &DifferentError{What: "version"}
	case id.Program != o.Program:
		return &DifferentError{What: "program"}
	case id.Model != o.Model:
		return &DifferentError{What: "memory model"}
	case id.Options != o.Options:
		return &DifferentError{What: "options", Options: differentOptions(id.Options, o.Options)}
	default:
		return nil
	}
}

// differentOptions names the options in which two texts of options differ.
func differentOptions(x, y string) []string {
	var one, other map[string]json.RawMessage
	if json.Unmarshal([]byte(x), &one) != nil || json.Unmarshal([]byte(y), &other) != nil {
		return nil // of a version that stored them otherwise
	}
	different := map[string]bool{}
	for name, v := range one {
		different[name] = !bytes.Equal(v, other[name])
	}
	for name := range other {
		different[name] = different[name] || one[name] == nil
	}
	maps.DeleteFunc(different, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(different))
}

// opened is a question about a program that was read, for a check in parts.
type opened struct {
	Identity Identity
	run      *pipeline.Run
	q        *question
	task     *engine.Task
}

// Exploration is a check that is done in parts. Its methods can be called at the same time, except Answer.
type Exploration struct {
	*rf.Parts
	*opened
	sum   [sha256.Size]byte // of what it is about
	proof proofSubject
}

// Open reads a program for a check in parts. Without an exploration and an error, the program or the question was
// refused, and the diagnostics say why.
func Open(ctx context.Context, in query.Input, opt query.CheckOptions, version string) (*Exploration, []verdict.Diagnostic, error) {
	var e *Exploration
	diags, err := openRun(ctx, in, "rf", opt, version, func(o *opened) error {
		text, err := json.Marshal(o.Identity)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		parts, err := rf.NewParts(o.task, sum)
		if err != nil {
			return o.q.Refuse(o.q.Unsupported(err))
		}
		e = &Exploration{Parts: parts, opened: o, sum: sum}
		e.prepareProof()
		return nil
	})
	return e, diags, err
}

// openRun does the first stages of a question that an engine answers in parts, and returns the diagnostics.
func openRun(ctx context.Context, in query.Input, engine query.Engine, opt query.CheckOptions, version string, work func(*opened) error) ([]verdict.Diagnostic, error) {
	if err := inParts(&opt, engine); err != nil {
		return nil, err
	}
	run := pipeline.Open(in)
	run.Asks(about(&opt), opt.Models[0])
	err := run.Do(ctx, func(ctx context.Context) error {
		o, err := open(ctx, run, opt, version)
		if err != nil {
			return err
		}
		return work(o)
	})
	if err != nil {
		return nil, err
	}
	return run.Diagnostics, nil
}

// inParts refuses what cannot be explored in parts, and chooses the engine.
func inParts(opt *query.CheckOptions, name query.Engine) error {
	if err := opt.Validate(); err != nil {
		return err
	}
	opt.Models = opt.Models.OrTSO()
	switch {
	case opt.AnyThreads:
		return &query.OptionError{Option: "number of threads for an exploration in parts", Value: "any", Want: "a number"}
	case len(opt.Models) != 1:
		return &query.OptionError{Option: "memory models for an exploration in parts", Value: opt.Models.String(), Want: "one"}
	case len(opt.Engines) > 0 && opt.Engines.String() != string(name):
		return &query.OptionError{Option: "engine for an exploration in parts", Value: opt.Engines.String(), Want: string(name)}
	case onlyC11(opt.Models) && name != "rf":
		return &query.OptionError{Option: "memory model for a search of states in parts", Value: opt.Models.String(), Want: "sc, tso or pso"}
	case opt.Robustness:
		return &query.OptionError{Option: "question for an exploration in parts", Value: "robustness", Want: "one without it"}
	case opt.Leaks:
		return &query.OptionError{Option: "question for an exploration in parts", Value: "memory leaks", Want: "one without them"}
	case opt.Races:
		return &query.OptionError{Option: "question for an exploration in parts", Value: "data races", Want: "one without them"}
	}
	opt.Engines, opt.CrossCheck, opt.Endings = query.Engines{name}, false, false
	return nil
}

func open(ctx context.Context, run *pipeline.Run, opt query.CheckOptions, version string) (*opened, error) {
	m, err := pipeline.ParseAnyModel(opt.Models[0])
	if err != nil {
		return nil, err
	}
	flat, err := Read(ctx, run, &opt)
	if err != nil {
		return nil, err
	}
	q := &question{Program: run.Program, flat: flat, model: m, opt: opt}
	if memory.HasC11 && m == memory.C11 {
		if err := prepareC11(q); err != nil {
			return nil, err
		}
	}
	if err := q.refused(); err != nil {
		return nil, err
	}
	id, err := identify(q, version)
	if err != nil {
		return nil, err
	}
	how := askedBy(&q.opt)
	task := q.QuestionTask(q.flat, m, &how)
	if report := task.Progress; report != nil {
		task.Progress = func(p query.Progress) {
			p.Engine = opt.Engines[0]
			report(p)
		}
	}
	return &opened{Identity: id, run: run, q: q, task: task}, nil
}

// limits are options that do not change what is explored.
var limits = []string{"timeout", "memory", "certified"}

func identify(q *question, version string) (Identity, error) {
	options := pipeline.NewAsked(Command, q.opt).Options
	for _, name := range limits {
		delete(options, name)
	}
	maps.DeleteFunc(options, func(_ string, v any) bool { // structs of which only functions are set, which are not stored
		inner, is := v.(map[string]any)
		return is && len(inner) == 0
	})
	text, err := json.Marshal(options) // sorts the names
	if err != nil {
		return Identity{}, err
	}
	program := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(q.Files)) {
		fmt.Fprintf(program, "%q %q\n", name, q.Files[name].Text)
	}
	fmt.Fprint(program, irtext.Print(q.flat))
	return Identity{
		Version: version, Program: hex.EncodeToString(program.Sum(nil)), Model: query.Model(q.model.String()), Options: string(text),
	}, nil
}

// Answer returns the answer, given what all parts found, what they made of a proof (nil: nothing), and how many seconds
// they took. If tasks are left, unfinished says why.
func (e *Exploration) Answer(ctx context.Context, found rf.Found, proof *MadeProof, unfinished string, seconds float64) (query.Answer, error) {
	e.q.made = proof
	if unfinished != "" && !found.Stopped {
		found.Stopped, found.Unknown = true, fmt.Sprintf("%s after %d executions", unfinished, found.All())
	}
	return e.answer(ctx, &rf.Engine, func() (*engine.Outcome, error) {
		out, err := e.Outcome(&found)
		if err == nil {
			out.Stats.Seconds = seconds
		}
		return out, err
	})
}

// answer assembles the answer from the outcome of all parts, as if the engine had returned it.
func (e *opened) answer(ctx context.Context, whole *engine.Engine, outcome func() (*engine.Outcome, error)) (query.Answer, error) {
	by := &engine.Engine{
		Name: whole.Name, Supports: func(*engine.Task) error { return nil },
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			if task.Program != e.q.flat { // the stages ask something else, about a changed program
				return whole.Run(ctx, task)
			}
			return outcome()
		},
	}
	return e.run.Answer(ctx, Command, e.q.opt, func(ctx context.Context) ([]verdict.Result, error) {
		a := &pipeline.Asking{Engine: by, Model: e.q.model, Under: e.q.model}
		e.q.Ask(ctx, a, e.q.flat, askedBy(&e.q.opt))
		if a.Err != nil {
			return nil, a.Err
		}
		res := e.finish(a.Result)
		if err := certify(ctx, e.q, e.run, res); err != nil { // the proof does not depend on how the search was done
			return nil, err
		}
		return []verdict.Result{*res}, nil
	})
}

// finish adds to a result what every answer says.
func (e *opened) finish(res *verdict.Result) *verdict.Result {
	e.run.Restrict(res, &e.q.opt.Options)
	res.EngineFixed = true
	opt := e.q.opt
	if memory.HasC11 && e.q.model == memory.C11 {
		sayC11(e.q, res)
		opt.Races = true
	}
	cover(res, e.q.Program, e.q.flat, &opt)
	return res
}

// Files returns the names of the files of the program, and the texts of all files that were read.
func (e *opened) Files() (inputs []string, texts map[string]string) {
	inputs, texts = []string{e.q.Input.Name}, map[string]string{}
	for _, f := range e.q.Input.More {
		inputs = append(inputs, f.Name)
	}
	for name, f := range e.q.Files {
		texts[name] = string(f.Text)
	}
	return inputs, texts
}
