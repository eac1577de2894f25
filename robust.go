package fencepost

import (
	"context"
	"strings"

	"fencepost/internal/question/param"
	"fencepost/internal/question/robust"
)

// Method is a way to decide robustness.
type Method string

// The methods.
const (
	MethodSearch     Method = "search"     // one search over all attacks
	MethodInstrument Method = "instrument" // one instrumented program per attack
)

// Criterion is a criterion of robustness. Freedom of triangular races implies equal happens-before relations,
// which imply equal final states.
type Criterion string

// The criteria.
const (
	CriterionTRF   Criterion = "trf"   // no SC execution has a triangular race
	CriterionTrace Criterion = "trace" // every execution has the happens-before relation of an SC execution
	CriterionState Criterion = "state" // SC has the same final states
)

// RobustOptions are the options of Robust.
type RobustOptions struct {
	Options
	KeepGoing bool      // report every attack, not the first
	Method    Method    // "": MethodSearch
	Criterion Criterion // "": CriterionTrace
	// Model is the memory model that is compared with SC: TSO or PSO; CriterionTRF, MethodInstrument and
	// AnyThreads take TSO alone. "": TSO.
	Model Model
	// Models, if not empty, are several such models. The answer has a result for each.
	Models []Model
	// AnyThreads asks about any number of instances of the program's templates. Domain, if not nil,
	// restricts the values of memory there.
	AnyThreads bool
	Domain     *Domain
}

func (o *RobustOptions) internal() robust.Options {
	return robust.Options{
		Options: o.Options.internal(), KeepGoing: o.KeepGoing, Method: robust.Method(o.Method), Criterion: robust.Criterion(o.Criterion),
		CriterionModel: o.models(),
	}
}

// models returns the names of the models, separated by commas.
func (o *RobustOptions) models() string {
	if len(o.Models) == 0 {
		return string(o.Model)
	}
	var names []string
	for _, m := range o.Models {
		names = append(names, string(m))
	}
	return strings.Join(names, ",")
}

// Robust answers whether a program is robust: whether delaying stores gives it no new execution, judged by
// happens-before. The verdict is Safe for robust and Unsafe for not; Attacks say how. With AnyThreads, an
// Unsafe comes with the smallest instance found that is not robust.
func Robust(ctx context.Context, in Input, opt RobustOptions) (Answer, error) {
	if opt.AnyThreads {
		return answer(param.Robust(ctx, in.internal(), param.RobustOptions{Options: opt.internal(), Domain: opt.Domain.internal()}))
	}
	return answer(robust.Run(ctx, in.internal(), opt.internal()))
}
