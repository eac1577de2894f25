package fencepost

import (
	"context"
	"io"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/explore"
	"fencepost/internal/question/export"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/fuzz"
	"fencepost/internal/question/harness"
	"fencepost/internal/question/lin"
	"fencepost/internal/question/litmus"
	"fencepost/internal/question/param"
	"fencepost/internal/question/prove"
	"fencepost/internal/question/robust"
	"fencepost/internal/question/traces"
	"fencepost/internal/question/verify"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Check answers whether the assertions, goals and final condition of a program hold: one result per memory
// model.
func Check(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	opt.Tool = Version()
	switch {
	case opt.Binary != nil:
		return check.RunCompiled(ctx, in, opt)
	case opt.AnyThreads && opt.Wanted():
		return query.Answer{}, errProvesFixed
	case opt.AnyThreads:
		return param.Check(ctx, in, opt)
	default:
		return check.Run(ctx, in, opt)
	}
}

// errProvesFixed says that there are no certificates for any number of threads.
var errProvesFixed = &query.OptionError{Option: "certificate", Value: "any number of threads", Want: "a fixed number"}

// Robust answers whether a program is robust: whether delaying stores gives it no new execution, judged by
// happens-before. The verdict is Safe for robust and Unsafe for not; Attacks say how. With AnyThreads, an
// Unsafe comes with the smallest instance found that is not robust.
func Robust(ctx context.Context, in query.Input, opt query.RobustOptions) (query.Answer, error) {
	opt.Tool = Version()
	if opt.AnyThreads && opt.Wanted() {
		return query.Answer{}, errProvesFixed
	}
	if opt.AnyThreads {
		return param.Robust(ctx, in, opt)
	}
	return robust.Run(ctx, in, opt)
}

// Fences finds a cheapest set of fences that repairs a program. The verdict is Safe with a set of fences,
// which is empty if nothing is wrong, and Unsafe if no set of fences helps. Repair has the changed text, which
// was checked again.
func Fences(ctx context.Context, in query.Input, opt query.FenceOptions) (query.Answer, error) {
	opt.Tool = Version()
	if opt.For == query.ForLinearizability {
		return lin.Repair(ctx, in, opt)
	}
	return fences.Run(ctx, in, opt)
}

// Orders finds the cheapest memory orders with which a program is right under C11's own model. The verdict is Safe with
// orders, perhaps the present ones, and Unsafe if no orders and fences help.
func Orders(ctx context.Context, in query.Input, opt query.FenceOptions) (query.Answer, error) {
	opt.Tool = Version()
	if opt.For == query.ForLinearizability {
		opt.Orders.Accesses = true
		return lin.Repair(ctx, in, opt)
	}
	return fences.RunOrders(ctx, in, opt)
}

// Lin answers whether the functions of a C header or file form a linearizable object: one result per memory model. The
// verdict is Safe for all clients up to a size, and Unsafe with the smallest client that shows otherwise;
// Linearizability says which operations were called, and has that client as C.
func Lin(ctx context.Context, in query.Input, opt query.LinOptions) (query.Answer, error) {
	return lin.Run(ctx, in, opt)
}

// Fuzz looks for violations of the assertions, goals and final condition of a program in executions under random
// schedules: one result per memory model. The verdict is Unsafe, or Observed, with an execution, and otherwise Unknown.
func Fuzz(ctx context.Context, in query.Input, opt query.FuzzOptions) (query.Answer, error) {
	return fuzz.Run(ctx, in, opt)
}

// Prove tries to prove that a program reaches the same shared states with and without store buffers, for any
// number of instances of its templates. The verdict is ValueRobust, Abstracted or Unknown, and Proof says why, or
// Unsafe if an execution of a small instance violates a check of the program; the result has no Proof then. It
// needs an SMT solver; without one the answer has an error that says how to get it.
func Prove(ctx context.Context, in query.Input, opt query.ProveOptions) (query.Answer, error) {
	return prove.Run(ctx, in, opt)
}

// Traces explores one execution for every Shasha-Snir trace of a program, or for every reads-from class.
func Traces(ctx context.Context, in query.Input, opt query.TraceOptions) (query.TraceAnswer, error) {
	return traces.Run(ctx, in, opt)
}

// Litmus runs a litmus test under each of the models.
func Litmus(ctx context.Context, in query.Input, opt query.LitmusOptions) (verdict.LitmusTest, error) {
	return litmus.Run(ctx, in, opt)
}

// Verify replays the executions of stored results about a program, independently of all engines, and compares
// what they say with what it computes. What no execution shows is asked again. Results carry the options they
// were asked for with; options in opt that are not zero replace them.
func Verify(ctx context.Context, in query.Input, results []verdict.Result, opt query.Options) (query.VerifyAnswer, error) {
	return verify.Results(ctx, in, results, opt)
}

// VerifyCertificate checks a certificate that check wrote. The error is about the file, if its bytes are none.
func VerifyCertificate(ctx context.Context, in query.Input, file io.Reader, opt query.Options) (query.VerifyAnswer, error) {
	return verify.Certificate(ctx, in, file, opt)
}

// VerifyTraces does the same for stored traces.
func VerifyTraces(ctx context.Context, in query.Input, sets []verdict.TraceSet, opt query.Options) (query.VerifyAnswer, error) {
	return verify.Traces(ctx, in, sets, opt)
}

// Show prints a program's representation.
func Show(ctx context.Context, in query.Input, opt query.ShowOptions) (query.TextAnswer, error) {
	return export.Show(ctx, in, opt)
}

// FormulaQuestion returns the names of the files of a program and the question whose formula a text is, as Export writes
// it. Check with BMCOptions.Answer then turns the answer of a solver into an execution.
func FormulaQuestion(text string) ([]string, query.CheckOptions, error) {
	return export.FormulaQuestion(text)
}

// Export writes the program and its questions in the language of another tool.
func Export(ctx context.Context, in query.Input, opt query.ExportOptions) (query.TextAnswer, error) {
	return export.Run(ctx, in, opt)
}

// Harness writes a first test of a C library: two threads that call the functions of a header or C file, with
// room for assertions.
func Harness(ctx context.Context, in query.Input, opt query.HarnessOptions) (query.TextAnswer, error) {
	return harness.Run(ctx, in, opt)
}

// Explore returns the state that a run leads to, and what is possible next. A run that is not possible is a
// *query.RunError. Nothing is kept between calls.
func Explore(ctx context.Context, in query.Input, opt query.ExploreOptions) (query.StateAnswer, error) {
	state, diags, err := explore.Run(ctx, in, opt)
	return query.StateAnswer{State: state, Diagnostics: diags}, err
}

// Engines returns the engines that Check can ask, the default first.
func Engines() query.Engines {
	var out query.Engines
	for _, name := range pipeline.EngineNames() {
		out = append(out, query.Engine(name))
	}
	return out
}

// Languages returns the languages of programs, as query.Options.Lang names them.
func Languages() []string { return pipeline.LanguageNames() }

// Extensions returns the extensions of the files that are read as programs, such as .fp.
func Extensions() []string { return pipeline.Extensions() }

// FenceStyles returns the ways to write a fence in C, the default first.
func FenceStyles() []query.FenceStyle {
	var out []query.FenceStyle
	for _, name := range pipeline.FenceStyles() {
		out = append(out, query.FenceStyle(name))
	}
	return out
}

// Sequence returns a context for questions that are asked one after the other. An answer does not wait for the engines
// that it did not need: they are stopped, and take a moment. The next question of the same sequence waits for them, and
// so does the function that Sequence returns.
func Sequence(ctx context.Context) (context.Context, func()) {
	ctx = supervise.WithScope(ctx)
	return ctx, func() { supervise.Wait(ctx) }
}
