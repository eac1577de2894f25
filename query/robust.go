package query

import "slices"

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
	// Models are the memory models that are compared with SC: TSO, PSO and C11; CriterionTRF, MethodInstrument and
	// AnyThreads take TSO alone, and CriterionState does not take C11. The answer has a result for each. Empty: TSO.
	Models Models `asked:"criterion_model"`
	// AnyThreads asks about any number of instances of the program's templates. Domain, if not nil,
	// restricts the values of memory there.
	AnyThreads bool `asked:"-"`
	Domain     *Domain
	Proofs
}

// Validate returns an *OptionError for an option with a value that it cannot have.
func (o *RobustOptions) Validate() error {
	if err := oneOf("method", o.Method, "", MethodSearch, MethodInstrument); err != nil {
		return err
	}
	if err := oneOf("criterion", o.Criterion, "", CriterionTrace, CriterionTRF, CriterionState); err != nil {
		return err
	}
	for _, m := range o.Models {
		if m != TSO && m != PSO && m != C11 {
			return &OptionError{Option: "model of the criterion", Value: string(m), Want: "tso, pso or c11"}
		}
	}
	if o.Criterion == CriterionState && slices.Contains(o.Models, C11) {
		return &OptionError{Option: "model of the criterion state", Value: o.Models.String(), Want: "tso or pso"}
	}
	with := ""
	switch {
	case !slices.Contains(o.Models, PSO) && !slices.Contains(o.Models, C11):
		return nil
	case o.Criterion == CriterionTRF:
		with = "of the criterion trf"
	case o.Method == MethodInstrument:
		with = "of the method instrument"
	case o.AnyThreads:
		with = "for any number of threads"
	default:
		return nil
	}
	return &OptionError{Option: "model " + with, Value: o.Models.String(), Want: "tso"}
}
