package fencepost

import (
	"context"
	"strconv"
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// TestOptions are the options of TestPrograms.
type TestOptions struct {
	Options           // Workers is the number of programs at the same time, Timeout is per program
	Deadlock bool     // also look for deadlocks
	Paths    []string // files and directories
	// Done is called with the programs, in order. Tested is called with the number of programs that are done.
	// Both may be nil.
	Done   func(*verdict.ProgramTest)
	Tested func(done, total int)
}

// TestPrograms runs every program that says what it expects, in a comment such as
// `expect: sc=safe tso=unsafe robust=no`. An error is an *InputError, before anything ran.
func TestPrograms(ctx context.Context, opt TestOptions) (verdict.TestSummary, error) {
	each := programOptions{Options: opt.Options, deadlock: opt.Deadlock}
	each.Workers, each.Timeout = 1, 0 // many programs at the same time; the context has the time
	s := &suite.Programs{
		Paths: opt.Paths, Extensions: append(pipeline.Extensions(), suite.ArchiveExtension), Keys: testKeys(each), Timeout: opt.Timeout, Workers: opt.Workers,
		Done: orNothing(opt.Done), Progress: opt.Tested,
	}
	sum, err := s.RunAll(ctx)
	return sum, public(err)
}

// testKeys is the table of questions a program may have an expectation about.
func testKeys(opt programOptions) []suite.Key {
	verdicts := []string{"safe", "unsafe", nonterminating, "unknown", "observed", "not-observed"}
	yesNo := []string{"yes", "no"}
	return []suite.Key{
		{Name: "sc", Answers: verdicts, Ask: askModel(SC, opt)},
		{Name: "tso", Answers: verdicts, Ask: askModel(TSO, opt)},
		{Name: "pso", Answers: verdicts, Ask: askModel(PSO, opt)},
		{Name: "robust", Answers: yesNo, Ask: askRobust(CriterionTrace, opt)},
		{Name: "trf", Answers: yesNo, Ask: askRobust(CriterionTRF, opt)},
		{Name: "state", Answers: yesNo, Ask: askRobust(CriterionState, opt)},
		{Name: "races", Answers: yesNo, Ask: askRaces(opt)},
		{Name: "fences", Ask: askFences(opt)},
	}
}

// nonterminating is the answer unsafe because of loops that never end.
const nonterminating = "nonterminating"

type askFunc = func(context.Context, suite.Program) (suite.Reply, error)

func askModel(model Model, opt programOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		with := opt.of(p)
		answer, err := Check(ctx, Input{Name: p.Name, Text: p.Text}, CheckOptions{
			Options: with.Options, Models: []Model{model}, Deadlock: with.deadlock, Liveness: with.liveness, BMC: with.bmc,
		})
		out, err := reply(answer, err, func(r *verdict.Result) string { return r.Verdict.String() })
		if out.Result != nil && out.Result.Question == verdict.NonTermination {
			out.Exactly = nonterminating
		}
		return out, err
	}
}

func askRobust(criterion Criterion, opt programOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		answer, err := Robust(ctx, Input{Name: p.Name, Text: p.Text}, RobustOptions{Options: opt.of(p).Options, Criterion: criterion})
		return reply(answer, err, yesOrNo)
	}
}

// askRaces asks whether a program has data races under SC, as C11 defines them.
func askRaces(opt programOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		with := opt.of(p)
		answer, err := Check(ctx, Input{Name: p.Name, Text: p.Text}, CheckOptions{Options: with.Options, Models: []Model{SC}, Races: true, KeepGoing: true, BMC: with.bmc})
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
func ReadArchive(text []byte, opt *CheckOptions) (Input, error) {
	a, err := suite.ReadArchive(text)
	if err != nil {
		return Input{}, err
	}
	given := programOptions{Options: opt.Options, deadlock: opt.Deadlock, bmc: opt.BMC}
	asked := programOptions{}.of(suite.Program{Options: a.Options})
	for _, b := range []struct {
		into *int
		from int
	}{
		{&given.Buffer, asked.Buffer}, {&given.Unroll, asked.Unroll}, {&given.Threads, asked.Threads},
		{&given.bmc.Rounds, asked.bmc.Rounds}, {&given.bmc.Clock, asked.bmc.Clock}, {&given.bmc.Queue, asked.bmc.Queue}, {&given.bmc.Width, asked.bmc.Width},
	} {
		if *b.into == 0 {
			*b.into = b.from
		}
	}
	if given.C.NondetRange == nil {
		given.C.NondetRange = asked.C.NondetRange
	}
	opt.Options, opt.BMC, opt.Deadlock = given.Options, given.bmc, given.deadlock || asked.deadlock
	if opt.Liveness == "" {
		opt.Liveness = asked.liveness
	}
	return Input{Name: a.Name, Text: a.Text}, nil
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
func askFences(opt programOptions) askFunc {
	return func(ctx context.Context, p suite.Program) (suite.Reply, error) {
		with := opt.of(p)
		answer, err := Fences(ctx, Input{Name: p.Name, Text: p.Text}, FenceOptions{Options: with.Options, Deadlock: with.deadlock, BMC: with.bmc})
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
	out := suite.Reply{Answer: word(r), Detail: r.Reason, Result: r}
	if r.Pos != nil && out.Detail != "" {
		out.Detail = r.Pos.String() + ": " + out.Detail
	}
	return out, nil
}

// programOptions are the options of all questions about a program.
type programOptions struct {
	Options
	deadlock bool
	liveness Liveness
	bmc      BMCOptions
}

// of returns the options with what the program itself asks for.
func (o programOptions) of(p suite.Program) programOptions {
	o.deadlock = o.deadlock || p.Options.Deadlock
	if p.Options.Liveness != "" {
		o.liveness = Liveness(p.Options.Liveness)
	}
	for _, b := range []struct {
		given int
		into  *int
	}{
		{p.Options.Buffer, &o.Buffer}, {p.Options.Unroll, &o.Unroll}, {p.Options.Threads, &o.Threads},
		{p.Options.Rounds, &o.bmc.Rounds}, {p.Options.Clock, &o.bmc.Clock}, {p.Options.Queue, &o.bmc.Queue}, {p.Options.Width, &o.bmc.Width},
	} {
		if b.given > 0 {
			*b.into = b.given
		}
	}
	if p.Options.NondetRange != nil {
		o.C.NondetRange = p.Options.NondetRange
	}
	return o
}
