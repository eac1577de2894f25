package fencepost

import (
	"context"
	"strconv"
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// TestOptions say which programs with expectations to run, and how.
type TestOptions struct {
	Options          // Workers is the number of programs side by side, Timeout is per program
	Paths   []string // files and directories
	Done    func(*verdict.ProgramTest)
	Tested  func(done, total int) // may be nil
}

// TestPrograms runs every program that says what it expects, in a comment such as
// `expect: sc=safe tso=unsafe robust=no`. An error is an *InputError, before anything
// ran.
func TestPrograms(ctx context.Context, opt TestOptions) (verdict.TestSummary, error) {
	each := opt.Options
	each.Workers, each.Timeout = 1, 0 // many programs side by side; the context has the time
	s := &suite.Programs{
		Paths: opt.Paths, Extensions: pipeline.Extensions(), Keys: testKeys(each), Timeout: opt.Timeout, Workers: opt.Workers,
		Done: opt.Done, Progress: opt.Tested,
	}
	return s.RunAll(ctx)
}

// testKeys is the table of questions a program may have an expectation about. Those
// without a function are reported as not checked.
func testKeys(opt Options) []suite.Key {
	verdicts := []string{"safe", "unsafe", "unknown", "observed", "not-observed"}
	yesNo := []string{"yes", "no"}
	return []suite.Key{
		{Name: "sc", Answers: verdicts, Ask: askModel("sc", opt)},
		{Name: "tso", Answers: verdicts, Ask: askModel("tso", opt)},
		{Name: "pso", Answers: verdicts, Ask: askModel("pso", opt)},
		{Name: "robust", Answers: yesNo, Ask: askRobust(opt)},
		{Name: "trf", Answers: yesNo, Ask: askTRF(opt)},
		{Name: "fences", Ask: askFences(opt)},
	}
}

type askFunc = func(context.Context, suite.Program) (suite.Reply, error)

func askModel(model string, opt Options) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		answer, err := Check(ctx, Input{Name: p.Name, Text: p.Text}, []string{model}, programOptions(opt, p))
		return reply(answer, err, func(r *verdict.Result) string { return r.Verdict.String() })
	}
}

func askRobust(opt Options) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		answer, err := Robust(ctx, Input{Name: p.Name, Text: p.Text}, programOptions(opt, p))
		return reply(answer, err, yesOrNo)
	}
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

func askTRF(opt Options) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		one := programOptions(opt, p)
		one.Criterion = CriterionTRF
		answer, err := Robust(ctx, Input{Name: p.Name, Text: p.Text}, one)
		return reply(answer, err, yesOrNo)
	}
}

// askFences asks for the fewest fences for robustness.
func askFences(opt Options) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		one := FenceDefaults()
		one.Options = programOptions(opt, p)
		answer, err := Fences(ctx, Input{Name: p.Name, Text: p.Text}, one)
		return reply(answer, err, func(r *verdict.Result) string {
			if r.Verdict != verdict.Safe {
				return verdict.Unknown.String()
			}
			return strconv.Itoa(len(r.Fences))
		})
	}
}

// reply puts an answer into a word and a line.
func reply(answer Answer, err error, word func(*verdict.Result) string) (suite.Reply, error) {
	if err != nil {
		return suite.Reply{}, err
	}
	for _, d := range answer.Diagnostics {
		if d.Severity == verdict.SeverityError {
			return suite.Reply{Refused: true, Detail: strings.TrimSpace(d.Pos.String() + ": " + d.Message)}, nil
		}
	}
	r := &answer.Results[0]
	out := suite.Reply{Answer: word(r), Detail: r.Reason}
	if r.Pos != nil && out.Detail != "" {
		out.Detail = r.Pos.String() + ": " + out.Detail
	}
	return out, nil
}

// programOptions is opt with what the program itself asks for.
func programOptions(opt Options, p suite.Program) Options {
	opt.Deadlock = opt.Deadlock || p.Options.Deadlock
	for _, o := range []struct {
		given int
		into  *int
	}{
		{p.Options.Buffer, &opt.Buffer}, {p.Options.Unroll, &opt.Unroll}, {p.Options.Threads, &opt.Threads},
		{p.Options.Rounds, &opt.BMC.Rounds}, {p.Options.Clock, &opt.BMC.Clock}, {p.Options.Queue, &opt.BMC.Queue}, {p.Options.Width, &opt.BMC.Width},
	} {
		if o.given > 0 {
			*o.into = o.given
		}
	}
	if p.Options.NondetRange != nil {
		opt.C.NondetRange = p.Options.NondetRange
	}
	return opt
}
