package property

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Set is everything asked of one program.
type Set struct {
	// Checks: assertions and the errors a program can make. On wherever the
	// program has any.
	Checks bool
	// Goals are states that must not be reachable.
	Goals []Goal
	// Final is a condition on final states, or nil.
	Final *Final
	// Deadlock asks whether the program can get stuck waiting.
	Deadlock bool
	// Invariants are conditions that the program states about locations. Only proofs use
	// them.
	Invariants []Invariant
	// Numbers are registers of threads that stand for any number: each has there a number
	// from 0 of its own, which it never changes. Only proofs know them.
	Numbers map[ir.ThreadID]ir.Reg
	// Instances is how many threads templates of any number have, where the user said so; 0 if
	// the program has no such template, or the user did not say.
	Instances int
	// Claims are invariants whose conditions are code.
	Claims []Claim
	// Observe lists what distinguishes final states when they are collected.
	Observe []Var
	// Whole says that final states also show Objects, the live blocks of the heap, the
	// results of threads, and cells of mem that are not zero.
	Whole   bool
	Objects []ir.ObjectID
}

// ShowsFinals reports whether final states show anything.
func (s *Set) ShowsFinals() bool { return s.Whole || len(s.Observe) > 0 }

// Empty reports whether nothing is asked.
func (s *Set) Empty() bool {
	return !s.Checks && len(s.Goals) == 0 && s.Final == nil && !s.Deadlock
}

// Invariant is a condition over memory and the registers of one thread that holds
// whenever the thread stands at Loc; with NoThread it is over memory and holds always.
type Invariant struct {
	Thread ir.ThreadID
	Loc    ir.Loc
	Cond   *Cond
	Pos    source.Span
}

// Claim is an invariant that a program says by code which never runs: a way that
// begins with Edge of the structured program, which assumes 0, and ends with the
// assertion of the condition. It holds wherever a thread stands before Edge, or always.
// What the code leaves open by havoc stands for every number.
type Claim struct {
	Edge   ir.EdgeID
	Always bool
	Text   string
	Pos    source.Span
}

// Goal is a set of states: the threads in At stand at the locations named, and
// With holds. A goal whose condition mentions memory is tested only where all
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

// MentionsMemory reports whether the goal waits for empty buffers.
func (g *Goal) MentionsMemory() bool { return g.With != nil && g.With.MentionsMemory() }

// Quantifier of a final condition. The zero value is unset.
type Quantifier uint8

// The quantifiers.
const (
	_      Quantifier = iota
	Exists            // some final state satisfies it: an observation, not a property
	Never             // no final state does
	Forall            // every final state does
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

// Final is a condition on final states: all threads have ended and all buffers
// are empty.
type Final struct {
	Quantifier Quantifier
	Cond       *Cond
	Pos        source.Span
}

// Cond is an expression in which register i stands for Vars[i].
type Cond struct {
	Vars []Var
	Expr *ir.Expr
	Text string // as the user wrote it
	// Bound are variables that stand for every number; of invariants only.
	Bound []ir.Reg
}

// MentionsMemory reports whether a variable is a memory cell.
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
	// Place is the address of memory that depends on variables before this one, as an
	// expression in which register i stands for Vars[i]; nil: Addr. Of invariants only.
	Place *ir.Expr
}

// IsMemory reports whether v is a memory cell.
func (v Var) IsMemory() bool { return v.Thread == ir.NoThread }

// Eval evaluates the condition given the values of Vars in order.
func (c *Cond) Eval(values []int64) bool {
	return c.Expr.Eval(ir.Env{Regs: values}) != 0
}
