package verdict

// Fence is a fence that fencepost proposes, or one that the program has.
type Fence struct {
	Site   int    `json:"place,omitempty"` // number of the fence site, from 1; 0 for a fence that the program has
	Pos    *Pos   `json:"pos"`             // position of the proposed or present fence
	Kind   string `json:"kind"`            // full, ss (store-store)
	Thread string `json:"thread"`          // the threads that execute it, separated by commas
	Label  string `json:"label"`           // the text after it, or its own text
	Cost   int64  `json:"cost,omitempty"`
	// Instructions are, of machine code, the instructions that the fence stands before, if the compiler made several of its position
	// in the source: copies of an inlined function or of an unrolled loop. Pos is the first one.
	Instructions []Pos `json:"instructions,omitempty"`
	// Without is a bad execution that exists with all the other fences, but not this one.
	Without *Break `json:"without,omitempty"`
	// Instead lists other fences that could stand there instead of it, the best first.
	Instead []Fence `json:"instead,omitempty"`
	// ReadOnly: the site is in an included file or in a macro, which is not changed.
	ReadOnly bool `json:"read_only,omitempty"`
	// Order is the memory order of a fence under c11.
	Order string `json:"order,omitempty"`
}

// OrderChoice is an atomic access, or a fence of the program, with the memory order that it has and the one that it
// gets.
type OrderChoice struct {
	Site    int    `json:"place"` // number of the site, from 1
	Pos     *Pos   `json:"pos"`
	Access  string `json:"access"` // load, store, update, failure (of a compare-exchange), fence
	Thread  string `json:"thread"` // the threads that execute it, separated by commas
	Label   string `json:"label"`  // its text
	Written string `json:"written"`
	Order   string `json:"order"`
	// CostWritten and Cost say how much it costs with either order.
	CostWritten int64 `json:"cost_written"`
	Cost        int64 `json:"cost"`
	// Without is a bad execution that exists if the access is as weak as before the choice, with all other choices.
	Without *Break `json:"without,omitempty"`
	// ReadOnly: the text does not say the order in a way that can be changed.
	ReadOnly bool `json:"read_only,omitempty"`
}

// Break is a bad execution: an attack on robustness, or a violation.
type Break struct {
	// With lists the fences that the program has. Model is the memory model if it is not
	// that of the result.
	With      []FenceRef `json:"with,omitempty"`
	Model     string     `json:"model,omitempty"`
	Attack    *Attack    `json:"attack,omitempty"`
	Violation *Violation `json:"violation,omitempty"`
}

// FenceRef names a fence at a site.
type FenceRef struct {
	Site int    `json:"place"` // from 1, as Fence.Site
	Kind string `json:"kind"`
	Pos  *Pos   `json:"pos"`
	// Order is the memory order under c11, of a fence or of an access, which has no kind.
	Order string `json:"order,omitempty"`
}

// Need is a list of fences of which every sufficient set has at least one, with the
// reason: a bad execution that no set without one of them prevents.
type Need struct {
	OneOf []FenceRef `json:"one_of"`
	Break Break      `json:"break"`
}

// Reason says what is bad, as a sentence without a full stop.
func (b *Break) Reason() string {
	if b.Attack != nil {
		return b.Attack.String()
	}
	return b.Violation.Reason
}

// Witness returns the execution.
func (b *Break) Witness() *Witness {
	if b.Attack != nil {
		return b.Attack.Witness
	}
	return b.Violation.Witness
}

// Repair is the part of an answer about fences that is not the fences: how they were
// found, why they suffice, and why no cheaper set does.
type Repair struct {
	For     string `json:"for"`     // robustness, assertions
	Costs   string `json:"costs"`   // uniform, loops, profile
	Sites   int    `json:"places"`  // fence sites of the program
	Rounds  int    `json:"rounds"`  // sets of fences tried
	Clauses int    `json:"clauses"` // conditions that every sufficient set must fulfil
	// Bound is a lower bound on the cost of every sufficient set.
	Bound int64 `json:"bound"`
	// Needs prove Bound: the cheapest set with a fence of each need costs that much.
	Needs []Need `json:"needs,omitempty"`
	// Before is a bad execution without new fences, absent if there is none.
	Before *Break `json:"before,omitempty"`
	// Hopeless is a bad execution that no fence prevents at any site, or, if Elsewhere is
	// set, at any site whose text may be changed.
	Hopeless *Break `json:"hopeless,omitempty"`
	// Elsewhere is a sufficient set if there is none at sites whose text may be changed.
	// The verdict is Unknown then, and the set was not written.
	Elsewhere []Fence `json:"elsewhere,omitempty"`
	// Optimal lists the cheapest sets, if they were asked for. More says that there are
	// others.
	Optimal [][]Fence `json:"optimal,omitempty"`
	More    bool      `json:"more,omitempty"`
	// Orders lists the accesses of a question about memory orders. CostBefore and CostAfter say how much they cost together, with
	// the orders that are written and with the others, new fences included.
	Orders     []OrderChoice `json:"orders,omitempty"`
	CostBefore int64         `json:"cost_before,omitempty"`
	CostAfter  int64         `json:"cost_after,omitempty"`
	// Processors says the same for each processor that the costs are known of.
	Processors []ProcessorCost `json:"processors,omitempty"`
	// Patches are the changed files. They were read and checked again from scratch.
	Patches []Patch `json:"patches,omitempty"`
	// Redundant lists fences of the program that can be removed, all of them together;
	// Present is the number of its fences. Both are set only if they were asked for.
	Redundant []Fence `json:"redundant,omitempty"`
	Present   int     `json:"present,omitempty"`
	Removal   bool    `json:"removal,omitempty"` // the question was which fences can be removed
}

// ProcessorCost says how much the accesses of a program cost on a processor, with the orders that are written and with the
// others.
type ProcessorCost struct {
	Name   string `json:"name"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// Patch is a change of one file.
type Patch struct {
	File string `json:"file"`
	Diff string `json:"diff"` // unified
	Text string `json:"text"` // the whole file, changed
}
