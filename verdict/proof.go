package verdict

// Proof is a proof of value robustness as a table, complete or not.
type Proof struct {
	// Threads lists the threads that the proof is about.
	Threads []ProofThreads `json:"threads,omitempty"`
	Stores  []ProofStore   `json:"stores"`
	// Invariants lists the invariants that the proof uses, given and found ones.
	Invariants []ProofInvariant `json:"invariants,omitempty"`
	// Ghosts lists the ghost code of the program, whose variables the invariants may be about. Nothing depends on it.
	Ghosts []ProofInstruction `json:"ghosts,omitempty"`
	// Abstractions lists the loads that may read more values than in the program. If there
	// are any, the proof is about the abstracted program.
	Abstractions []ProofAbstraction `json:"abstractions,omitempty"`
	// Checks lists the program's own checks, each proved by induction or not. They hold
	// under TSO only if all stores are atomic.
	Checks []ProofCheck `json:"checks,omitempty"`
	// Arithmetic says how the proof models numbers: ProofExact or ProofIntegers.
	Arithmetic string `json:"arithmetic,omitempty"`
	// Uninitialised says what memory holds in the proof that was never written: zero, or any, any value. Empty: such memory is
	// an error where its value decides something, or the language has none.
	Uninitialised string `json:"uninitialised,omitempty"`
	// Instances: no execution of up to this many threads per template violates a check, by an exhaustive search under
	// TSO. It is set where the proof leaves something open; 0: no instance was searched exhaustively.
	Instances int `json:"instances,omitempty"`
	// MaxThreads is the largest number of threads that the proof is for; 0: any number. A proof that counts
	// threads in a number of 32 bits is for fewer threads than make the number wrap around.
	MaxThreads int64 `json:"max_threads,omitempty"`
	// Obligations counts the proof obligations, Queries the ones sent to the solver.
	Obligations int    `json:"obligations"`
	Queries     int    `json:"queries"`
	Solver      string `json:"solver"`
	// CheckedWith says what a second solver answered; nil: none was asked.
	CheckedWith *ProofSecond `json:"checked_with,omitempty"`
}

// ProofSecond counts the answers of a second solver to the questions that the first one answered.
type ProofSecond struct {
	Solver    string `json:"solver"`
	Confirmed int    `json:"confirmed"`
	Open      int    `json:"open"`     // it gave no answer
	Disputed  int    `json:"disputed"` // it gave another answer: nothing is proved then
}

// How a proof models numbers.
const (
	ProofExact    = "exact"    // as in the program
	ProofIntegers = "integers" // unbounded: the proof says nothing about executions in which a number wraps around
)

// ProofCheck is an assertion or another check of the program.
type ProofCheck struct {
	ProofInstruction
	What   string `json:"what"` // the condition, or the possible failure
	Proved bool   `json:"proved"`
	// Failure is the kind of failure that must not happen, such as out-of-bounds; "" for assertions and goals.
	Failure string `json:"failure,omitempty"`
	// By is the engine that decided the check, if the proof did not.
	By string `json:"by,omitempty"`
	// State is a state that the invariants allow and in which the check fails.
	State []ProofValue `json:"state,omitempty"`
	Vague bool         `json:"vague,omitempty"` // the solver gave no answer
	// Missing lists conditions that hold in all states of small instances that were seen, that the state violates, and
	// that were not proved to be invariants.
	Missing []ProofMissing `json:"missing,omitempty"`
}

// ProofMissing is a condition that may be an invariant, and why it was not proved to be one.
type ProofMissing struct {
	ProofInstruction        // where it holds; Thread "": always
	Cond             string `json:"cond"`
	Proves           bool   `json:"proves,omitempty"` // with it the check is proved
	// Fails says what breaks it: Step, from State, leads to a state in which it is false. No step: it is the beginning.
	Fails string            `json:"fails"`
	Step  *ProofInstruction `json:"step,omitempty"`
	State []ProofValue      `json:"state,omitempty"`
}

// ProofThreads is the threads of one name that a proof is about.
type ProofThreads struct {
	Name   string `json:"name"`
	Any    bool   `json:"any,omitempty"`    // any number of them
	Number int    `json:"number,omitempty"` // how many there are, if not any number
	Loop   bool   `json:"loop,omitempty"`   // as many as a loop starts; Number is not set
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
	// Blocks are the instructions that the store cannot be moved left across.
	Blocks []ProofPair `json:"blocks,omitempty"`
	// Crosses are the instructions that a left mover is moved across although they may access the same memory.
	Crosses []ProofInstruction `json:"crosses,omitempty"`
	// Overtakers are the younger stores of the thread that can reach memory before it, under PSO.
	Overtakers []ProofInstruction `json:"overtakers,omitempty"`
	// Repairs lists changes that make the store atomic, in words.
	Repairs []string `json:"repairs,omitempty"`
}

// ProofLoad is a load that can overtake a store.
type ProofLoad struct {
	ProofInstruction
	// Blocks are the instructions that the load cannot be moved right across; none if it
	// is a right mover.
	Blocks []ProofPair `json:"blocks,omitempty"`
	// Crosses are the instructions that it is moved across although they may access the same memory.
	Crosses []ProofInstruction `json:"crosses,omitempty"`
}

// ProofPair is an instruction of another thread that a store or load does not move across,
// with a state that shows it.
type ProofPair struct {
	ProofInstruction
	State []ProofValue `json:"state,omitempty"`
	Vague bool         `json:"vague,omitempty"` // the solver gave no answer
}

// ProofInstruction is an instruction of a thread.
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

// ProofInvariant is a condition that holds whenever its thread is about to execute the
// instruction.
type ProofInvariant struct {
	ProofInstruction        // Thread "": the condition always holds
	Cond             string `json:"cond"`
	Found            bool   `json:"found,omitempty"` // by fencepost, rather than given
	// Fails says why a given condition is not an invariant, with a state.
	Fails string       `json:"fails,omitempty"`
	State []ProofValue `json:"state,omitempty"`
	// Unreachable: no state satisfies the invariants at this instruction, so a proof about
	// it says nothing.
	Unreachable bool `json:"unreachable,omitempty"`
	// Form identifies a condition that was found, so that it can be proved again without a search.
	Form *ProofForm `json:"form,omitempty"`
}

// ProofForm is the form of a condition that was found. Classes of threads, locations, registers and variables are
// numbers in the program as the proof sees it.
type ProofForm struct {
	Kind  string `json:"kind"` // FormGlobal, FormLocal, FormPair, FormCount or FormLock
	Class int    `json:"class,omitempty"`
	Loc   int    `json:"loc,omitempty"`
	// Of two threads: the class of the other one, the registers that differ (none: the threads are never there
	// together), and the pairs of locations.
	With      int      `json:"with,omitempty"`
	Registers []int    `json:"registers,omitempty"`
	Pairs     [][2]int `json:"pairs,omitempty"`
	// Of a lock: its variable. Of a count: one variable or two, and for each class the locations at which its threads are counted.
	Variables []int   `json:"variables,omitempty"`
	Counted   [][]int `json:"counted,omitempty"`
}

// The forms of conditions.
const (
	FormGlobal = "global" // always
	FormLocal  = "local"  // at a location
	FormPair   = "pair"   // about two threads
	FormCount  = "count"  // how many threads are somewhere
	FormLock   = "lock"   // a variable is a lock
)

// ProofAbstraction is a load that may read more values than in the program.
type ProofAbstraction struct {
	ProofInstruction
	Cond  string `json:"cond"`            // such as h <= H; empty for a havoc of an .fp program
	Found bool   `json:"found,omitempty"` // by fencepost, rather than written in the program
	// Sound says that the abstraction always allows the value in memory, so that the
	// abstracted program has every execution of the original one.
	Sound bool `json:"sound"`
	// Fails: the instruction is a read-modify-write that may also fail, as Cond says.
	Fails bool `json:"fails,omitempty"`
	// Variant is the number of Cond among the conditions that are tried, from 1, if it was found.
	Variant int `json:"variant,omitempty"`
}
