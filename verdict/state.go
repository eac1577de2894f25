package verdict

// State is a state of a program under a memory model that a run leads to: its memory, store buffers and
// threads, the steps that are possible next, and the execution so far.
type State struct {
	Program string `json:"program"`
	Model   string `json:"model"`
	// Run names the steps that lead to the state, in their order. "0" is the only step of thread 0, "0.2" the
	// third of several, "f0" the flush of the only entry of its store buffer that can leave, and "f0.1" the second
	// of several.
	Run []string `json:"run"`
	// Stops lists the lengths of the beginnings of Run after which several steps were possible, or a step that is
	// not local was taken: where a user who goes back wants to stop.
	Stops []int `json:"stops"`
	// Left lists the steps of the wanted run that were not possible and are therefore not in Run.
	Left []LeftStep `json:"left,omitempty"`

	Threads []ThreadState `json:"threads"`
	Memory  []CellState   `json:"memory"`
	More    int           `json:"more,omitempty"` // cells that are not in Memory, because there are too many
	Next    []NextStep    `json:"next"`
	Blocked []BlockedStep `json:"blocked"`

	// End says why no step is possible: "final", "exit", "failed", "deadlock" or "stopped"; "" if one is.
	End string `json:"end,omitempty"`
	// Final is the text of a final state. Violations lists what the state violates, and Observed the exists
	// condition that it satisfies.
	Final      string   `json:"final,omitempty"`
	Violations []string `json:"violations,omitempty"`
	Observed   string   `json:"observed,omitempty"`

	// Witness is the execution so far, replayed. Cause says which delayed store sequential consistency does not
	// allow, and has the happens-before relation.
	Witness *Witness `json:"witness"`
	Cause   *Cause   `json:"cause,omitempty"`
}

// ThreadState is a thread in a state.
type ThreadState struct {
	Name   string       `json:"name"`
	Status string       `json:"status"` // running, ended, not started, waiting
	Pos    *Pos         `json:"pos,omitempty"`
	Text   string       `json:"text,omitempty"` // the statement at Pos
	Regs   []RegState   `json:"regs"`
	Buffer []EntryState `json:"buffer"` // oldest first
}

// RegState is a register or local variable.
type RegState struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// EntryState is a store that waits in a store buffer. A Marker is a store-store fence: no entry after it
// reaches memory before the entries in front of it.
type EntryState struct {
	Cell   string `json:"cell,omitempty"`
	Value  string `json:"value,omitempty"`
	Free   bool   `json:"free,omitempty"` // the entry frees a block
	Marker bool   `json:"marker,omitempty"`
	Step   int    `json:"step"`            // of the witness, which made the entry
	Flush  string `json:"flush,omitempty"` // the step of Next by which the entry reaches memory, if it can
}

// CellState is a cell of memory.
type CellState struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NextStep is a step that is possible. Step has what it will read and write.
type NextStep struct {
	Name  string `json:"name"`            // as in State.Run
	Local bool   `json:"local,omitempty"` // other threads cannot notice the step
	Step  Step   `json:"step"`
}

// BlockedStep is a step of a thread that is not possible yet, or never.
type BlockedStep struct {
	Thread int    `json:"thread"`
	Pos    *Pos   `json:"pos,omitempty"`
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason"` // such as "waits: buffer not empty"
}

// LeftStep is a step of a run that was not possible.
type LeftStep struct {
	Index  int    `json:"index"` // in the wanted run
	Name   string `json:"name"`
	Thread int    `json:"thread"`
	Text   string `json:"text,omitempty"` // the statement that the thread was at
	Reason string `json:"reason"`
}

// StepMatch says what becomes of a step of a run under another memory model.
type StepMatch struct {
	Possible bool `json:"possible"`
	// Nothing says that there is nothing to do: a flush of a store that is in memory already.
	Nothing bool   `json:"nothing,omitempty"`
	Reason  string `json:"reason,omitempty"` // why the step is not possible
	// Instead is the value that the step reads there, if it reads another one.
	Instead string `json:"instead,omitempty"`
}

// StateGraph is the graph of all states of a small program.
type StateGraph struct {
	Program string      `json:"program"`
	Model   string      `json:"model"`
	Nodes   []GraphNode `json:"nodes"` // the initial state first
	Edges   []GraphEdge `json:"edges"`
	// Complete says that all states are in the graph. Otherwise the limit was reached.
	Complete bool `json:"complete"`
	Limit    int  `json:"limit"`
	// Compared says that the states of SC are known, so that GraphNode.Weak means something.
	Compared bool `json:"compared"`
}

// GraphNode is a state. Local steps that no other thread can notice are not between nodes.
type GraphNode struct {
	Run   []string `json:"run"`             // a shortest run to it
	Depth int      `json:"depth"`           // steps between nodes from the initial state
	Final string   `json:"final,omitempty"` // the text of a final state
	End   string   `json:"end,omitempty"`   // as State.End
	Bad   bool     `json:"bad,omitempty"`   // the state violates a property
	// Weak says that SC has no such state, in whatever order the stores that wait reach memory.
	Weak    bool `json:"weak,omitempty"`
	Waiting int  `json:"waiting"` // stores in buffers
}

// GraphEdge is a step between two states.
type GraphEdge struct {
	From int  `json:"from"`
	To   int  `json:"to"`
	Step Step `json:"step"`
}
