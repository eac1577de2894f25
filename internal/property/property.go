package property

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Set holds all questions about one program.
type Set struct {
	// Checks asks whether an assertion can fail or the program can make another error
	// that ir checks. Front ends set it for every program that has such checks.
	Checks bool
	// Goals are sets of states that must not be reachable.
	Goals []Goal
	// Final is a condition on final states, or nil.
	Final *Final
	// Deadlock asks whether the program can reach a state in which threads wait and no
	// thread can go on.
	Deadlock bool
	// Endless asks whether the program can reach a state in which threads go round loops that
	// no thread can end.
	Endless bool
	// DataRaces asks, under models other than C11, whether an execution has a data race by C11's definition. Only certificates
	// ask it so: the engines look at the traces of executions.
	DataRaces bool
	// SomeEnd makes a search in which no execution ends an unknown, as Endless does. It is set where Endless would be and the
	// engine does not ask it.
	SomeEnd bool
	// Fairness, if set, asks whether the program has an endless execution that is fair in this sense.
	Fairness Fairness
	// Starving, with Fairness, is the name of a thread: the endless execution is one in which this
	// thread does nothing that others notice. "": any endless execution.
	Starving string
	// Invariants are conditions on locations that the program states. Only proofs use
	// them.
	Invariants []Invariant
	// Numbers maps a thread that stands for any number of threads to the register that
	// holds the index of each of them. Indices are different, start at 0 and do not change.
	// Only proofs use them.
	Numbers map[ir.ThreadID]ir.Reg
	// Instances is the number of threads that the user chose for each template of any number
	// of threads. It is 0 if the program has no such template or the user chose no number.
	Instances int
	// CodeInvariants are invariants whose conditions are code. Only proofs use them.
	CodeInvariants []CodeInvariant
	// Observe lists the variables whose values distinguish final states when they are
	// collected.
	Observe []Var
	// Whole makes final states also show Objects, the live blocks of the heap, the
	// results of threads, and the cells of mem that are not zero.
	Whole   bool
	Objects []ir.ObjectID
	// Leaks makes final states show, instead of all else, the blocks of the heap that are lost in them (leaks.go).
	Leaks bool
}

// Observed reports whether properties look at registers or locations of threads, or at variables by
// name: at more than checks in the code and Objects.
func (s *Set) Observed() bool {
	return len(s.Goals)+len(s.Invariants)+len(s.CodeInvariants)+len(s.Numbers)+len(s.Observe) > 0 || s.Final != nil
}

// LeastInstance returns how many threads of one template the goals name: smaller instances cannot reach them.
func (s *Set) LeastInstance() int {
	least := 1
	for _, g := range s.Goals {
		of := map[ir.ThreadID]int{}
		for _, at := range g.At {
			of[at.Thread]++
			least = max(least, of[at.Thread])
		}
	}
	return least
}

// ShowsFinals reports whether final states show anything.
func (s *Set) ShowsFinals() bool { return s.Whole || s.Leaks || len(s.Observe) > 0 }

// Empty reports whether the set asks nothing that an execution can violate.
func (s *Set) Empty() bool {
	return !s.Checks && len(s.Goals) == 0 && s.Final == nil && !s.Deadlock && !s.Endless && s.Fairness == 0
}

// Invariant is a condition on memory and the registers of Thread that holds whenever
// Thread is at Loc. If Thread is NoThread, the condition is on memory alone and holds
// always.
type Invariant struct {
	Thread ir.ThreadID
	Loc    ir.Loc
	Cond   *Cond
	Pos    source.Span
}

// CodeInvariant is an invariant that a program states by code that never runs. The code
// begins with Edge of the structured program, which assumes 0, and ends with Last, an assertion
// of the condition. The invariant holds whenever a thread is at the location that Edge
// leaves, or always if Always is set. A value that the code takes from a havoc stands for
// every number. If Abstract is set it is no invariant, but the condition of a read abstraction
// of the load that follows. If Ghost is set it is no invariant, but ghost code: assignments that are
// thought to run with the step that takes the edge Past, which does nothing.
type CodeInvariant struct {
	Edge     ir.EdgeID
	Last     ir.EdgeID
	Always   bool
	Abstract bool
	Ghost    bool
	Past     ir.EdgeID
	Text     string
	Pos      source.Span
}

// Goal is a set of states: each thread in At is at one of its locations, and With holds.
// A goal whose condition mentions memory is tested only in states in which all store
// buffers are empty [BCDM15 §2].
type Goal struct {
	Name string
	At   []At
	With *Cond // nil: true
	Pos  source.Span
}

// At says that a thread is at one of several locations.
type At struct {
	Thread ir.ThreadID
	Locs   []ir.Loc
}

// MentionsMemory reports whether the condition of the goal reads memory, so that the
// goal is tested with empty store buffers only.
func (g *Goal) MentionsMemory() bool { return g.With != nil && g.With.MentionsMemory() }

// Fairness says which endless executions count. The zero value is unset.
type Fairness uint8

// The kinds of fairness. Under both, every store reaches memory in the end.
const (
	_      Fairness = iota
	Random          // no execution from some state on ends: whatever is possible again and again happens
	Weak            // a thread that can always move does
)

// Quantifier says which final states a final condition is about. The zero value is unset.
type Quantifier uint8

// The quantifiers.
const (
	_      Quantifier = iota
	Exists            // some final state satisfies the condition: an observation, not a property
	Never             // no final state satisfies the condition
	Forall            // every final state satisfies the condition
)

func (q Quantifier) String() string {
	switch q {
	case Exists:
		return "exists"
	case Never:
		return "never"
	case Forall:
		return "forall"
	default:
		panic(fmt.Sprintf("BUG: unknown quantifier %d", q))
	}
}

// Final is a condition on final states. In a final state all threads have ended and all
// store buffers are empty.
type Final struct {
	Quantifier Quantifier
	Cond       *Cond
	Pos        source.Span
}

// Cond is an expression in which register i stands for Vars[i].
type Cond struct {
	Vars []Var
	Expr *ir.Expr
	Text string // the condition as the user wrote it
	// Bound lists the registers of Expr that stand for every number. Only invariants have
	// them.
	Bound []ir.Reg
}

// MentionsMemory reports whether one of the variables is a memory cell.
func (c *Cond) MentionsMemory() bool {
	for _, v := range c.Vars {
		if v.IsMemory() {
			return true
		}
	}
	return false
}

// Var is a register of a thread, or a memory cell if Thread is NoThread.
type Var struct {
	Name   string
	Thread ir.ThreadID
	Reg    ir.Reg
	Addr   uint64
	Type   ir.Type
	// AddrExpr is the address of a memory cell that depends on variables before this one,
	// as an expression in which register i stands for Vars[i]. If it is nil, the address is
	// Addr. Only invariants have it.
	AddrExpr *ir.Expr
}

// IsMemory reports whether v is a memory cell.
func (v Var) IsMemory() bool { return v.Thread == ir.NoThread }

// Eval reports whether the condition holds for the given values of Vars, in their order.
func (c *Cond) Eval(values []int64) bool {
	return c.Expr.Eval(ir.Env{Regs: values}) != 0
}
