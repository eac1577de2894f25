package verdict

// Proof is a proof of value robustness as a table, or how far it came.
type Proof struct {
	Stores []ProofStore `json:"stores"`
	// Invariants are what the proof rests on, as given and as found.
	Invariants []ProofInvariant `json:"invariants,omitempty"`
	// Abstractions are the loads that were made to read more than they do. With any,
	// the proof is about the abstracted program.
	Abstractions []ProofAbstraction `json:"abstractions,omitempty"`
	// Checks are what the program itself asks, each proved by induction or not. They
	// count under TSO only where all stores are atomic.
	Checks []ProofCheck `json:"checks,omitempty"`
	// Arithmetic is what numbers are in the proof: ProofExact or ProofIntegers.
	Arithmetic string `json:"arithmetic,omitempty"`
	// Obligations counts the checks, Queries those that went to the solver.
	Obligations int    `json:"obligations"`
	Queries     int    `json:"queries"`
	Solver      string `json:"solver"`
}

// What numbers are in a proof.
const (
	ProofExact    = "exact"    // what they are in the program
	ProofIntegers = "integers" // they never wrap around: nothing is said of executions in which they do
)

// ProofCheck is an assertion, or another thing a program may do wrong.
type ProofCheck struct {
	ProofInstruction
	What   string `json:"what"` // the condition, or what may go wrong
	Proved bool   `json:"proved"`
	// By is the engine that settled it, if that was not the proof itself.
	By string `json:"by,omitempty"`
	// State is one that the invariants allow and in which it fails.
	State []ProofValue `json:"state,omitempty"`
	Vague bool         `json:"vague,omitempty"` // the solver gave no answer
}

// Open counts the checks that are not proved.
func (p *Proof) Open() int {
	n := 0
	for i := range p.Checks {
		if !p.Checks[i].Proved {
			n++
		}
	}
	return n
}

// Why a store is atomic.
const (
	ByFlow  = "flow"  // no load can overtake it
	ByRight = "right" // every load that can overtake it is a right mover
	ByLeft  = "left"  // it is a left mover
)

// ProofStore is a store and why its issue and commit are one step.
type ProofStore struct {
	ProofInstruction
	By string `json:"by,omitempty"` // ByFlow, ByRight or ByLeft; "": not shown to be atomic
	// Loads can overtake the store.
	Loads []ProofLoad `json:"loads,omitempty"`
	// Blocks are pairs in the way of moving the store left.
	Blocks []ProofPair `json:"blocks,omitempty"`
	// Repairs are what would make the store atomic, in words.
	Repairs []string `json:"repairs,omitempty"`
}

// ProofLoad is a load that can overtake a store.
type ProofLoad struct {
	ProofInstruction
	// Blocks are pairs in the way of moving the load right; none: it moves.
	Blocks []ProofPair `json:"blocks,omitempty"`
}

// ProofPair is an instruction of another thread that something does not move
// across, with a state in which it does not.
type ProofPair struct {
	ProofInstruction
	State []ProofValue `json:"state,omitempty"`
	Vague bool         `json:"vague,omitempty"` // the solver gave no answer
}

// ProofInstruction is an instruction.
type ProofInstruction struct {
	Thread string `json:"thread"`
	Pos    *Pos   `json:"pos,omitempty"`
	Text   string `json:"text,omitempty"`
}

// ProofValue is a variable, or a register written thread:register, in a state.
type ProofValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ProofInvariant is a condition that holds wherever its thread stands at its place.
type ProofInvariant struct {
	ProofInstruction        // Thread "": everywhere
	Cond             string `json:"cond"`
	Found            bool   `json:"found,omitempty"` // by fencepost, rather than given
	// Fails is why a given invariant is none, with a state.
	Fails string       `json:"fails,omitempty"`
	State []ProofValue `json:"state,omitempty"`
	// Unreachable: no state satisfies what is known here; what is proved about this
	// place is about nothing.
	Unreachable bool `json:"unreachable,omitempty"`
}

// ProofAbstraction is a load made to read more than it does.
type ProofAbstraction struct {
	ProofInstruction
	Cond  string `json:"cond"`            // such as h <= H
	Found bool   `json:"found,omitempty"` // by fencepost, rather than written in the program
	// Sound says that the value in memory is always allowed, so that the program
	// without the abstraction does nothing that this one does not.
	Sound bool `json:"sound"`
	// Fails: not a load, but a read-modify-write that may fail instead, as Cond says.
	Fails bool `json:"fails,omitempty"`
}
