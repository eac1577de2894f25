package fencepost

import (
	"context"
	"strconv"
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/suite"
	"fencepost/query"
	"fencepost/verdict"
)

// TestPrograms runs every program that says what it expects, in a comment such as
// `expect: sc=safe tso=unsafe robust=no`. An error is an *InputError, before anything ran.
func TestPrograms(ctx context.Context, opt query.TestOptions) (verdict.TestSummary, error) {
	each := query.CheckOptions{Options: opt.Options, Deadlock: opt.Deadlock, Store: opt.Store}
	each.Workers, each.Timeout = 1, 0 // many programs at the same time; the context has the time
	s := &suite.Programs{
		Paths: opt.Paths, Extensions: append(pipeline.Extensions(), suite.ArchiveExtension), Keys: testKeys(each), Timeout: opt.Timeout, Workers: opt.Workers, Tasks: opt.Tasks,
		Done: orNothing(opt.Done), Progress: opt.Tested,
	}
	sum, err := s.RunAll(ctx)
	return sum, err
}

// testKeys is the table of questions a program may have an expectation about.
func testKeys(opt query.CheckOptions) []suite.Key {
	verdicts := []string{"safe", "unsafe", nonterminating, "unknown", "observed", "not-observed"}
	yesNo := []string{"yes", "no"}
	return []suite.Key{
		{Name: "sc", Answers: verdicts, Ask: askModel(query.SC, opt)},
		{Name: "tso", Answers: verdicts, Ask: askModel(query.TSO, opt)},
		{Name: "pso", Answers: verdicts, Ask: askModel(query.PSO, opt)},
		{Name: "c11", Answers: verdicts, Ask: askModel(query.C11, opt)},
		{Name: "robust", Answers: yesNo, Ask: askRobust(query.TSO, query.CriterionTrace, opt)},
		{Name: "robust-c11", Answers: yesNo, Ask: askRobust(query.C11, query.CriterionTrace, opt)},
		{Name: "trf", Answers: yesNo, Ask: askRobust(query.TSO, query.CriterionTRF, opt)},
		{Name: "state", Answers: yesNo, Ask: askRobust(query.TSO, query.CriterionState, opt)},
		{Name: "races", Answers: yesNo, Ask: askRaces(opt)},
		{Name: "fences", Ask: askFences(opt)},
	}
}

// nonterminating is the answer unsafe because of loops that never end.
const nonterminating = "nonterminating"

type askFunc = func(context.Context, suite.Program) (suite.Reply, error)

func askModel(model query.Model, opt query.CheckOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		with := withOptions(opt, p)
		with.Models = query.Models{model}
		answer, err := Check(ctx, query.Input{Name: p.Name, Text: p.Text}, with)
		out, err := reply(answer, err, func(r *verdict.Result) string { return r.Verdict.String() })
		if out.Result != nil && out.Result.Question == verdict.NonTermination {
			out.Exactly = nonterminating
		}
		return out, err
	}
}

func askRobust(against query.Model, criterion query.Criterion, opt query.CheckOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		answer, err := Robust(ctx, query.Input{Name: p.Name, Text: p.Text}, query.RobustOptions{Options: withOptions(opt, p).Options, Criterion: criterion, Models: query.Models{against}})
		return reply(answer, err, yesOrNo)
	}
}

// askRaces asks whether a program has data races under SC, as C11 defines them.
func askRaces(opt query.CheckOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		with := withOptions(opt, p)
		answer, err := Check(ctx, query.Input{Name: p.Name, Text: p.Text}, query.CheckOptions{Options: with.Options, Models: query.Models{query.SC}, Races: true, KeepGoing: true, BMC: with.BMC})
		return reply(answer, err, func(r *verdict.Result) string {
			for _, e := range r.Executions() {
				if e.Question == verdict.DataRaces {
					return "yes"
				}
			}
			if r.Verdict == verdict.Unknown {
				return r.Verdict.String()
			}
			return "no"
		})
	}
}

// ReadArchive returns the program of an archive of the corpus, and sets the options that the archive gives it and
// that are not set yet. An error says which line of the archive is wrong.
func ReadArchive(text []byte, opt *query.CheckOptions) (query.Input, error) {
	a, err := suite.ReadArchive(text)
	if err != nil {
		return query.Input{}, err
	}
	suite.Merge(opt, &a.Options, false)
	return query.Input{Name: a.Name, Text: a.Text}, nil
}

func yesOrNo(r *verdict.Result) string {
	switch r.Verdict {
	case verdict.Safe:
		return "yes"
	case verdict.Unsafe:
		return "no"
	default:
		return r.Verdict.String()
	}
}

// askFences asks for the fewest fences for robustness.
func askFences(opt query.CheckOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		with := withOptions(opt, p)
		answer, err := Fences(ctx, query.Input{Name: p.Name, Text: p.Text}, query.FenceOptions{Options: with.Options, Deadlock: with.Deadlock, BMC: with.BMC})
		return reply(answer, err, func(r *verdict.Result) string {
			if r.Verdict != verdict.Safe {
				return verdict.Unknown.String()
			}
			return strconv.Itoa(len(r.Fences))
		})
	}
}

// reply puts an answer into a word and a line.
func reply(answer query.Answer, err error, word func(*verdict.Result) string) (suite.Reply, error) {
	if err != nil {
		return suite.Reply{}, err
	}
	for _, d := range answer.Diagnostics {
		if d.Severity == verdict.SeverityError {
			return suite.Reply{Refused: true, Detail: strings.TrimSpace(d.Pos.String() + ": " + d.Message)}, nil
		}
	}
	r := &answer.Results[0]
	out := suite.Reply{Answer: word(r), Detail: r.Reason, Result: r}
	if r.Pos != nil && out.Detail != "" {
		out.Detail = r.Pos.String() + ": " + out.Detail
	}
	return out, nil
}

// withOptions returns the options with what the program itself asks for.
func withOptions(opt query.CheckOptions, p suite.Program) query.CheckOptions {
	suite.Merge(&opt, &p.Options, true)
	return opt
}
