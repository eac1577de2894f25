package verdict

// Question names what a result answers. The zero value is unset. An answer about several
// properties of a program joins their names with commas, so a Question need not be one
// of the constants.
type Question string

// The questions that renderings treat in their own way.
const (
	Robustness      Question = "robustness"
	TriangularRaces Question = "triangular-race freedom"
	StateRobustness Question = "state robustness"
	ValueRobustness Question = "value-robustness"
	DataRaces       Question = "data races"
	// MemoryLeaks is the question whether a block of the heap can be out of reach at the end.
	MemoryLeaks Question = "memory leaks"
	// Linearizable is the question whether calls take effect one at a time.
	Linearizable Question = "linearizability"
	// NonTermination is the question of an execution that goes round loops which no thread can end.
	NonTermination Question = "non-termination"
	// UnsupportedConstruct is the question of an execution that reaches a construct that is not
	// supported.
	UnsupportedConstruct Question = "unsupported"
	// FinalStateList is the question if a program asks nothing: which final states are
	// there?
	FinalStateList Question = "final states"
)

// Severity says how bad a diagnostic is. The zero value is unset.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // the input cannot be read, or the question cannot be answered
	SeverityWarning Severity = "warning" // the answer stands
)

// RelianceKind says what an answer relies on. The zero value is unset.
type RelianceKind string

// The kinds.
const (
	RelianceFence  RelianceKind = "fence"
	RelianceAtomic RelianceKind = "atomic" // an operation that must be indivisible or must drain the buffer
)

// ThreadCount says for how many threads an answer holds. The zero value is the number
// that the program starts.
type ThreadCount string

// AnyThreads: the answer holds for any number of threads.
const AnyThreads ThreadCount = "any"
