package verdict

// Fence is a fence that fencepost proposes, or one that the program has.
type Fence struct {
	Site   int    `json:"place,omitempty"` // number of the place, from 1; 0: a fence that the program has
	Pos    *Pos   `json:"pos"`             // where it is to stand, or stands
	Kind   string `json:"kind"`            // full, ss (store-store)
	Thread string `json:"thread"`          // the threads that pass it, with commas between
	Label  string `json:"label"`           // the text it is to stand in front of, or its own
	Cost   int64  `json:"cost,omitempty"`
	// Without is what happens with all the other fences in place, but not this one.
	Without *Break `json:"without,omitempty"`
	// ReadOnly: the place is in an included file or inside a macro, and is not changed.
	ReadOnly bool `json:"read_only,omitempty"`
}

// Break is a bad execution: an attack on robustness, or a violation.
type Break struct {
	// With is the fences that are in place, Model the memory model if it is not that of the
	// result.
	With      []FenceRef `json:"with,omitempty"`
	Model     string     `json:"model,omitempty"`
	Attack    *Attack    `json:"attack,omitempty"`
	Violation *Violation `json:"violation,omitempty"`
}

// FenceRef names a fence at a place.
type FenceRef struct {
	Site int    `json:"place"` // from 1, as Fence.Place
	Kind string `json:"kind"`
	Pos  *Pos   `json:"pos"`
}

// Need is fences of which every set that is enough has at least one, and why: the execution is
// bad, and a set without any of them does not prevent it.
type Need struct {
	OneOf []FenceRef `json:"one_of"`
	Break Break      `json:"break"`
}

// Reason is what is bad, as a sentence without a full stop.
func (b *Break) Reason() string {
	if b.Attack != nil {
		return b.Attack.String()
	}
	return b.Violation.Reason
}

// Witness is the execution.
func (b *Break) Witness() *Witness {
	if b.Attack != nil {
		return b.Attack.Witness
	}
	return b.Violation.Witness
}

// Repair is what an answer about fences says beside the fences: how it was found,
// why they are enough and why none is too many.
type Repair struct {
	For     string `json:"for"`     // robustness, assertions
	Costs   string `json:"costs"`   // uniform, loops, profile
	Sites   int    `json:"places"`  // where a fence can be written
	Rounds  int    `json:"rounds"`  // sets of fences tried
	Clauses int    `json:"clauses"` // conditions that every set that is enough must fulfil
	// Bound is what every set that is enough costs at least.
	Bound int64 `json:"bound"`
	// Needs are what Bound rests on: the cheapest set that has a fence of each costs as much.
	Needs []Need `json:"needs,omitempty"`
	// Before is what is wrong without new fences, absent if nothing is.
	Before *Break `json:"before,omitempty"`
	// Hopeless is an execution that no fence at any place prevents, or with Elsewhere none at
	// a place that may be changed.
	Hopeless *Break `json:"hopeless,omitempty"`
	// Elsewhere is a set that is enough, if there is none at places that may be changed. The
	// verdict is Unknown then, and the set was not written.
	Elsewhere []Fence `json:"elsewhere,omitempty"`
	// Optimal lists the cheapest sets, if asked for; More says that there are others.
	Optimal [][]Fence `json:"optimal,omitempty"`
	More    bool      `json:"more,omitempty"`
	// Patches are the changed files. They were read and checked again from scratch.
	Patches []Patch `json:"patches,omitempty"`
	// Redundant lists fences of the program that can go, all of them together; Present
	// says how many it has. Both only if asked for.
	Redundant []Fence `json:"redundant,omitempty"`
	Present   int     `json:"present,omitempty"`
	Removal   bool    `json:"removal,omitempty"` // asked which fences can go
}

// Patch is a change of one file.
type Patch struct {
	File string `json:"file"`
	Diff string `json:"diff"` // unified
	Text string `json:"text"` // the whole file, changed
}
