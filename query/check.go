package query

import (
	"io"
	"time"
)

// CheckOptions are the options of Check.
//
// shape: options, each stored by the name of its field
type CheckOptions struct {
	Options
	Models    Models  `asked:"-"`      // empty: TSO
	Engines   Engines `asked:"engine"` // the engines to ask; several take turns; empty: all engines that support the program
	Deadlock  bool    // also look for deadlocks
	Endless   `asked:"endless"`
	KeepGoing bool // report every distinct violation, not the first
	Finals    bool // collect the final states
	Endings   bool // with Finals: and an execution for each
	Races     bool // also look for data races on objects that are not atomic
	Leaks     bool // also look for blocks of the heap that no pointer reaches when all threads have ended
	// CrossCheck waits for all engines until the time limit, and compares their answers. A
	// contradiction is an error.
	CrossCheck bool `asked:"-"`
	// Turns, if not nil, is called with a line when an engine gets a turn and when it ends.
	Turns func(line string) `json:"-"`
	// OthersTime is how long the other engines may work where the first has an answer within bounds that the caller
	// did not set; 0: as long as there is time.
	OthersTime time.Duration `asked:"-"`
	// Robustness asks, instead of the program's own questions, whether some execution has a trace with a
	// cycle, by exploring all traces.
	Robustness bool
	Algorithm  Algorithm // of the engine smc; "": OptimalDPOR
	Lazy       LazyMode  `asked:"mode"` // of the engine lazy; "": LazyPractical
	// Log, if not nil, is called with a line about each round of the engine lazy.
	Log func(string) `json:"-"`
	BMC BMCOptions   // of the engine bmc
	// AnyThreads asks about any number of instances of the program's templates, under one model, SC or
	// TSO. Domain, if not nil, restricts the values of memory there.
	AnyThreads bool `asked:"-"`
	Domain     *Domain
	Proofs
	// Store, if not nil, keeps certificates of safe answers under one model. A certificate that proves the answer is checked
	// instead of a search. An answer without a proof stays what it is.
	Store CertificateStore `json:"-"`
	// Binary is the machine code that a compiler made of the program; nil: none. Then there are two results for each
	// model, the second about the machine code.
	Binary *Input `asked:"-"`
}

// Proofs are the options about proofs of answers.
type Proofs struct {
	// Certified says safe only if the checker of certificates, which knows no engine, accepts a proof of it.
	Certified bool
	// Certificate, if not nil, gets the proof of a safe answer, under one model.
	Certificate io.Writer `json:"-"`
	// Tool is the version that a certificate names.
	Tool string `asked:"-"`
}

// CertificateStore keeps certificates. Several goroutines may use it.
type CertificateStore interface {
	// Load returns what was saved last under a key, or nil. It need not be what was saved: every certificate is checked.
	Load(key string) []byte
	Save(key string, certificate []byte)
}

// Wanted reports whether proofs are asked for.
func (o *Proofs) Wanted() bool { return o.Certified || o.Certificate != nil }

// Validate returns an *OptionError for an option with a value that it cannot have.
func (o *CheckOptions) Validate() error {
	if err := oneOf("algorithm", o.Algorithm, "", OptimalDPOR, SourceDPOR); err != nil {
		return err
	}
	return o.Endless.Validate()
}

// Algorithm is a way to explore executions one by one.
type Algorithm string

// The algorithms.
const (
	OptimalDPOR Algorithm = "optimal" // one execution per trace
	SourceDPOR  Algorithm = "source"  // less memory, some executions in vain
)

// LazyMode is a variant of the engine lazy.
type LazyMode string

// The modes.
const (
	LazyPractical LazyMode = "practical" // takes programs with loops as they are
	LazyExact     LazyMode = "exact"     // decides programs without loops
)

// Endless says which loops must end.
type Endless struct {
	// Liveness says which loops must end; "": LivenessSpin for C, and where deadlock is asked, else LivenessOff.
	Liveness Liveness
	// Fairness, with LivenessFair, says which executions are fair; "": FairnessRandom. Starvation is the
	// name of a thread that must not wait for ever, while others go on; "": the program must end.
	Fairness   Fairness
	Starvation string
}

// Liveness says which loops must end.
type Liveness string

// The values.
const (
	LivenessOff  Liveness = "off"  // none; whether loops end is not asked
	LivenessSpin Liveness = "spin" // loops that only wait
	LivenessFair Liveness = "fair" // all loops, in every fair execution
)

// Fairness says which executions are fair.
type Fairness string

// The kinds of fairness. Under both, every store reaches memory in the end.
const (
	FairnessRandom Fairness = "random" // what is possible again and again happens
	FairnessWeak   Fairness = "weak"   // a thread that can always move does
)

// Validate returns an *OptionError for a value that an option cannot have.
func (e *Endless) Validate() error {
	if err := oneOf("liveness", e.Liveness, "", LivenessOff, LivenessSpin, LivenessFair); err != nil {
		return err
	}
	if err := oneOf("fairness", e.Fairness, "", FairnessRandom, FairnessWeak); err != nil {
		return err
	}
	if e.Liveness != LivenessFair && e.Fairness != "" {
		return &OptionError{Option: "fairness", Value: string(e.Fairness), Want: "liveness fair beside it"}
	}
	if e.Liveness != LivenessFair && e.Starvation != "" {
		return &OptionError{Option: "starvation", Value: e.Starvation, Want: "liveness fair beside it"}
	}
	return nil
}

// BMCOptions are the bounds and switches of bounded model checking. Zero bounds have defaults.
type BMCOptions struct {
	Unroll int // how often a loop body runs; 0: as Options.Unroll says
	Rounds int // rounds in which all threads run in turn [TNIFLP16 §VI]
	Clock  int // K: times at which stores can reach memory, 0 to K-1; 1 is SC
	Queue  int // N: writes to one location that are kept, N-1 of them waiting
	Width  int // bits of computed numbers; 0: as many as they need
	// Encoding says how schedules are encoded. "" is the order of events if the program allows it and
	// no bound for rounds, times or lists is set, and rounds otherwise.
	Encoding Encoding
	// Auto raises the bounds step by step until there is an answer or the time is over.
	Auto bool
	// Solver is a SAT solver on the PATH; "" is the embedded one.
	Solver string
	// DIMACS gets the formula of the main question, if not nil, in the language Formula. With WriteOnly nothing is solved
	// then. Header is text for comments at its beginning.
	DIMACS    io.Writer `json:"-"`
	Formula   Formula   `asked:"-"`
	WriteOnly bool      `asked:"-"`
	Header    string    `asked:"-"`
	// Answer has the answer of another solver to the formula, which is then not solved; "": none.
	Answer string `asked:"-"`
	// Report, if not nil, is called with the result of each step of Auto.
	Report func(text string) `json:"-"`
}

// AnswerError says that BMCOptions.Answer is no answer to the formula.
type AnswerError struct{ Why string }

func (e *AnswerError) Error() string { return "the answer of the solver: " + e.Why }

// Formula is a language in which a formula is written.
type Formula string

// The languages.
const (
	FormulaDIMACS Formula = "dimacs" // of SAT solvers; also ""
	FormulaSMT2   Formula = "smt2"   // of SMT solvers
)

// Encoding says how the formula of bounded model checking encodes schedules.
type Encoding string

// The encodings.
const (
	EncodingRounds Encoding = "rounds" // rounds of all threads, times and lists of writes
	EncodingOrder  Encoding = "order"  // the order of all events, without bounds other than unrolling and width
)

// Domain restricts the values of memory where threads are counted.
type Domain struct{ Lo, Hi int64 }

// Under returns the options with other memory models.
func (o CheckOptions) Under(models ...Model) CheckOptions {
	o.Models = models
	return o
}
