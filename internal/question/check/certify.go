//go:build !fencepost_small

package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost/internal/certificate"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Certificates. A safe answer is proved, and the proof is checked by code that knows no engine, on a program that only
// the front end and the passes without which it has no meaning have made (docs/certificates.md).

// holdsNow reports whether an answer is one that certificates are about.
func holdsNow(res *verdict.Result) bool {
	return res.Verdict == verdict.Safe || res.Verdict == verdict.NotObserved
}

// certify proves an answer, if the options ask for that.
func certify(ctx context.Context, q *question, run *pipeline.Run, res *verdict.Result) error {
	if !q.opt.Wanted() || !holdsNow(res) || res.Engine == verdict.ByCertificate {
		return nil
	}
	run.Stage = "certificate under " + res.Model
	optional := q.kept != nil && q.kept.optional
	if optional && asksRaces(q) { // such a certificate would not be taken from the cache
		return nil
	}
	limited := ctx
	if optional {
		var cancel context.CancelFunc
		limited, cancel = supervise.TimeLimit(ctx, timeToKeep(res.Stats.Seconds))
		defer cancel()
	}
	proof, plain, covered, err := prove(limited, q, res)
	refuted := (*certificate.Refuted)(nil)
	if optional && err != nil && !errors.As(err, &refuted) {
		return nil
	}
	switch {
	case errors.As(err, &refuted) && res.Coverage.Exhaustive && !refuted.Beyond:
		return fmt.Errorf("engine %s says %s, and the checker of certificates refutes it: %s", res.Engine, res.Verdict, WhatFailed(plain, refuted))
	case errors.As(err, &refuted) && optional:
		return nil
	case errors.As(err, &refuted):
		pipeline.Uncertified(res, fmt.Sprintf("outside of what the engine covers, %s", WhatFailed(plain, refuted)))
		return nil
	case errors.Is(err, pipeline.ErrRefused):
		return err
	case err != nil && ctx.Err() == nil:
		pipeline.Uncertified(res, err.Error())
		return nil
	case err != nil:
		return err
	}
	reach, before := Coverage(plain, covered), *res
	if optional && !reach.Exhaustive && res.Coverage.Exhaustive {
		return nil
	}
	res.Coverage.Certificate = &verdict.Certificate{Kind: covered.Kind, Size: covered.Size, Bytes: int64(len(proof))}
	pipeline.Certified(res, reach, Given(&q.opt))
	if optional && !holdsNow(res) {
		*res = before
		return nil
	}
	if q.opt.Certificate != nil && holdsNow(res) {
		_, err = q.opt.Certificate.Write(proof)
	}
	return err
}

// fromCertificate returns the answer that a stored certificate proves, nil if there is none.
func fromCertificate(ctx context.Context, q *question) *verdict.Result {
	if q.kept == nil || q.kept.file == nil || asksRaces(q) {
		return nil
	}
	r, err := certificate.Open(bytes.NewReader(q.kept.file))
	if err != nil {
		return nil
	}
	defer r.Close()
	loops := q.Props.Endless || q.Props.Fairness != 0
	model, plain, props, err := provable(q, loops)
	if err != nil || r.Loops != loops {
		return nil
	}
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout)
	defer cancel()
	covered, err := certificate.Check(ctx, r, plain, props, model)
	if err != nil {
		return nil
	}
	how := askedBy(&q.opt)
	// That executions come to their end and reach assertions was seen by the search before the certificate was written.
	out := &engine.Outcome{Coverage: Coverage(plain, covered), Ends: true, ChecksReached: true}
	res := q.ConcludeQuestions(q.model, verdict.ByCertificate, out, &how)
	if q.opt.Leaks {
		res.Question += ", " + verdict.MemoryLeaks
	}
	res.Coverage.Certificate = &verdict.Certificate{Kind: covered.Kind, Size: covered.Size, Bytes: int64(len(q.kept.file))}
	if !holdsNow(res) { // a bound that the user did not set: perhaps an engine does without it
		return nil
	}
	return res
}

// longBuffer is the bound of buffers where the user set none. An answer that meets it is unknown. It is larger than that
// of engines, because automatic variables of one thread are in memory in the plain program.
const longBuffer = 64

// prove makes a proof and checks it.
func prove(ctx context.Context, q *question, res *verdict.Result) ([]byte, *ir.Program, *certificate.Covered, error) {
	model, plain, props, err := provable(q, strings.Contains(string(res.Question), string(verdict.NonTermination)))
	if err != nil {
		return nil, plain, nil, err
	}
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout)
	defer cancel()
	statement := certificate.Statement{Tool: q.opt.Tool, Names: NamesOf(&q.Input), Asked: pipeline.NewAsked(Command, q.opt), Loops: props.Endless || props.Fairness != 0}
	file, err := search(ctx, q, res.Engine, statement, plain, props, model)
	if err != nil {
		return nil, plain, nil, InTime(ctx, err)
	}
	r, err := certificate.Open(bytes.NewReader(file.Bytes()))
	if err != nil {
		return nil, plain, nil, err
	}
	defer r.Close()
	covered, err := certificate.Check(ctx, r, plain, props, model)
	return file.Bytes(), plain, covered, InTime(ctx, err)
}

// smallTree is how many nodes a tree may have that is tried before states are.
const smallTree = 2000

// search makes a proof: a small tree if there is one, then states in half of the time, then clauses, then a tree of any
// size. States have all of the time where a loop waits. Clauses come before states if engine bmc has the answer, or if the program has too many values for states.
func search(ctx context.Context, q *question, by string, statement certificate.Statement, plain *ir.Program, props *property.Set, model replay.Model) (*bytes.Buffer, error) {
	file := &bytes.Buffer{}
	if made := q.made; made != nil && made.None == "" {
		if made.Refuted != nil {
			return file, made.Refuted
		}
		return file, certificate.WriteMade(file, statement, plain, props, model, made)
	}
	if model == replay.C11 || props.DataRaces {
		return file, anyTree(ctx, q, file, statement, plain, props, model)
	}
	begin, cancel := supervise.TimeLimit(ctx, q.opt.Timeout/8)
	_, none := certificate.Classes(begin, file, statement, plain, props, model, smallTree)
	cancel()
	if decides(none) {
		return file, none
	}
	clauses := func() error {
		some, cancel := supervise.TimeLimit(ctx, q.opt.Timeout/2)
		defer cancel()
		file.Reset()
		_, err := certificate.Clauses(some, file, statement, plain, props, model, q.opt.UnrollBound(), refuter(q.opt.Memory))
		return InTime(some, err)
	}
	tried := by == "bmc" || errors.Is(none, replay.ErrUnbounded)
	if tried {
		if err := clauses(); decides(err) || ctx.Err() != nil || errors.Is(none, replay.ErrUnbounded) {
			return file, err
		}
	}
	share := q.opt.Timeout / 2
	if errors.Is(none, replay.ErrLoop) { // only states can say whether loops that wait end
		share = q.opt.Timeout
	}
	some, cancel := supervise.TimeLimit(ctx, share)
	defer cancel()
	limits := certificate.Limits{Buffer: cmp.Or(q.opt.Buffer, longBuffer), Bytes: q.opt.Memory}
	file.Reset()
	_, err := certificate.States(some, file, statement, plain, props, model, limits)
	err = InTime(some, err)
	if decides(err) || ctx.Err() != nil {
		return file, err
	}
	if !tried {
		if other := clauses(); decides(other) || ctx.Err() != nil {
			return file, other
		}
	}
	if errors.Is(none, certificate.ErrTooLarge) {
		file.Reset()
		err = anyTree(ctx, q, file, statement, plain, props, model)
	}
	return file, err
}

// anyTree makes a tree of any size, with the workers of the question.
func anyTree(ctx context.Context, q *question, file *bytes.Buffer, statement certificate.Statement, plain *ir.Program, props *property.Set, model replay.Model) error {
	if q.opt.Workers <= 1 {
		_, err := certificate.Classes(ctx, file, statement, plain, props, model, 0)
		return err
	}
	made, left, err := certificate.Make(ctx, plain, props, model, []certificate.Part{certificate.Whole}, certificate.PartsLimit{Workers: q.opt.Workers})
	switch {
	case err != nil:
		return err
	case made.Refuted != nil:
		return made.Refuted
	case made.None != "":
		return errors.New(made.None)
	case len(left) > 0:
		return errLate
	}
	return certificate.WriteMade(file, statement, plain, props, model, made)
}

// decides reports whether an attempt at a proof needs no other one.
func decides(err error) bool {
	refuted := (*certificate.Refuted)(nil)
	return err == nil || errors.As(err, &refuted)
}

var errLate = errors.New("the proof was not finished within the time limit")

// InTime gives the end of the time its own words.
func InTime(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errLate
	}
	return err
}

// provable returns the program and the question that proofs are about. loops says whether it is asked which loops end.
func provable(q *question, loops bool) (replay.Model, *ir.Program, *property.Set, error) {
	switch {
	case q.opt.Robustness:
		return 0, nil, nil, errors.New("there are no certificates of robustness yet")
	}
	model, err := replay.ParseModel(q.model.String())
	if err != nil {
		return 0, nil, nil, err
	}
	opt := q.opt.Options
	opt.Timeout = 0 // counts from the reading, and these passes have run within it before
	plain, err := pipeline.FlattenPlain(q.Program, opt)
	if err != nil {
		return 0, nil, nil, err
	}
	if model == replay.C11 {
		if plain, err = pipeline.ForC11(q.Program, plain); err != nil {
			return 0, nil, nil, err
		}
	}
	props := *q.Props
	if !loops {
		props.Endless, props.Fairness = false, 0
	}
	props.DataRaces, props.Leaks = asksRaces(q), q.opt.Leaks
	return model, plain, &props, nil
}

// asksRaces reports whether data races are asked about by an option: c11 always asks about them.
func asksRaces(q *question) bool { return q.opt.Races && q.model != memory.C11 }

// NamesOf returns the names of the files of a program.
func NamesOf(in *query.Input) []string {
	names := []string{in.Name}
	for _, f := range in.More {
		names = append(names, f.Name)
	}
	return names
}

// Coverage says what a proof covers.
func Coverage(plain *ir.Program, c *certificate.Covered) verdict.Coverage {
	out := verdict.Coverage{Exhaustive: c.Buffer == 0 && len(c.Cut) == 0}
	if c.Buffer > 0 {
		out.Bounds = append(out.Bounds, verdict.Bound{Name: "buffer", Value: c.Buffer, Hit: true})
	}
	if c.Unroll > 0 {
		out.Exhaustive = false
		out.Bounds = append(out.Bounds, verdict.Bound{Name: "unroll", Value: c.Unroll, Hit: true})
	}
	for _, id := range slices.Sorted(maps.Keys(c.Cut)) {
		_, e, ok := plain.EdgeByID(id)
		if !ok {
			panic("BUG: a bound at no edge of the program")
		}
		out.Bounds = append(out.Bounds, engine.BoundAt(e))
	}
	return out
}

// WhatFailed says what a refutation shows, and where.
func WhatFailed(plain *ir.Program, r *certificate.Refuted) string {
	_, e, ok := plain.EdgeByID(r.Edge)
	if !ok || e.Pos.Line == 0 {
		return r.What
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Pos.File, e.Pos.Line, e.Pos.Col, r.What)
}

// VerifyCertificate checks a certificate of check. The error of a check says why it was refused. override changes the
// options with which a program of this name was read.
func VerifyCertificate(ctx context.Context, in query.Input, r *certificate.Reader, override func(opt *query.Options, name string)) (query.VerifyAnswer, error) {
	var asked query.CheckOptions
	return Verify(ctx, in, r, &asked, &asked.Options, override, func(ctx context.Context, run *pipeline.Run) (string, error) {
		if _, err := Read(ctx, run, &asked); err != nil {
			return "", err
		}
		m, err := pipeline.ParseAnyModel(query.Model(r.Model))
		if err != nil {
			return "", &query.DamagedError{Why: err.Error()}
		}
		q := &question{Program: run.Program, model: m, opt: asked}
		model, plain, props, err := provable(q, r.Loops)
		if err != nil {
			return "", err
		}
		ctx, cancel := supervise.TimeLimit(ctx, asked.Timeout)
		defer cancel()
		covered, err := certificate.Check(ctx, r, plain, props, model)
		if err != nil {
			return "", InTime(ctx, err)
		}
		statement := "safe"
		if run.Program.Observes() {
			statement = "not observed"
		}
		if props.DataRaces {
			statement += ", without data races"
		}
		if props.Leaks {
			statement += ", without memory leaks"
		}
		if r.Loops {
			statement += ", and loops that wait end"
		}
		return Proved(statement, covered, Coverage(plain, covered), r), nil
	})
}

// Verify reads the program of a certificate with the options that the certificate has, and has the proof checked. check
// returns what the proof shows.
func Verify(ctx context.Context, in query.Input, r *certificate.Reader, asked interface{ Validate() error }, options *query.Options, override func(opt *query.Options, name string), check func(context.Context, *pipeline.Run) (string, error)) (query.VerifyAnswer, error) {
	if len(r.Names) != 1+len(in.More) {
		return query.VerifyAnswer{}, &query.DamagedError{Why: fmt.Sprintf("the certificate is about %d files, not %d", len(r.Names), 1+len(in.More))}
	}
	err := pipeline.Recall(r.Asked.Options, asked)
	if err == nil {
		err = asked.Validate()
	}
	if err != nil {
		return query.VerifyAnswer{}, &query.DamagedError{Why: err.Error()}
	}
	override(options, r.Names[0])
	in.Name = r.Names[0]
	in.More = slices.Clone(in.More)
	for i := range in.More {
		in.More[i].Name = r.Names[1+i]
	}
	run := pipeline.Open(in)
	answer := query.VerifyAnswer{}
	err = run.Do(ctx, func(ctx context.Context) error {
		shows, err := check(ctx, run)
		if damaged := (*query.DamagedError)(nil); errors.Is(err, pipeline.ErrRefused) || errors.As(err, &damaged) {
			return err
		}
		answer.Checks = []query.VerifyCheck{{Name: "certificate", Model: r.Model, Step: -1, Shows: shows, Err: err, Open: errors.Is(err, errLate)}}
		return nil
	})
	answer.Diagnostics = run.Diagnostics
	return answer, err
}

// Proved says what a certificate shows.
func Proved(statement string, c *certificate.Covered, coverage verdict.Coverage, r *certificate.Reader) string {
	where := "all executions"
	if !coverage.Exhaustive {
		where = "up to " + coverage.BoundText()
	}
	if with := optionsOf("", r.Asked.Options); len(with) > 0 {
		where += ", with the options " + strings.Join(with, ", ")
	}
	what := "states"
	switch c.Kind {
	case certificate.KindClasses:
		what = "nodes"
	case certificate.KindClauses:
		what = "steps about clauses"
	case certificate.KindRanks:
		what = "states with numbers"
	case certificate.KindHistories:
		what = "programs"
	}
	return fmt.Sprintf("%s, %s, by %d %s", statement, where, c.Size, what)
}

// optionsOf names the options with which a program was read: they come from the certificate.
func optionsOf(prefix string, options map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if inner, nested := options[name].(map[string]any); nested {
			out = append(out, optionsOf(prefix+name+".", inner)...)
		} else if prefix != "" || !slices.Contains(aboutSearch, name) {
			out = append(out, fmt.Sprintf("%s%s=%v", prefix, name, options[name]))
		}
	}
	return out
}
