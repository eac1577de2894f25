package verdict

// Linearizability is the part of an answer that only the question has whether an object is linearizable.
type Linearizability struct {
	Object     string   `json:"object,omitempty"` // the type that the operations share; "": the globals of the file
	Operations []string `json:"operations"`
	Init       string   `json:"init,omitempty"`
	Destroy    string   `json:"destroy,omitempty"`
	LeftOut    []string `json:"left_out,omitempty"` // functions that are no operations, and why
	Spec       string   `json:"spec"`               // what the calls are compared with
	// What was covered: all clients with at most Calls concurrent calls, after at most Prefix calls one at a time. Drained says
	// that calls after them took out what was left.
	Calls    int   `json:"calls,omitempty"`
	Prefix   int   `json:"prefix,omitempty"`
	Drained  bool  `json:"drained,omitempty"`
	Clients  int   `json:"clients"`  // that were looked at
	Programs int   `json:"programs"` // that were explored: a client has one for every order of its calls that matters
	States   int64 `json:"states,omitempty"`
	// History has the calls that go wrong; nil: nothing, or an error of the program that needs no history.
	History *History `json:"history,omitempty"`
	// Client is a C program that shows what goes wrong, and File a name for it.
	Client string   `json:"client,omitempty"`
	File   string   `json:"file,omitempty"`
	Hints  []string `json:"hints,omitempty"`
	// Mutants are changes of the code, if they were asked for, in the order of the text.
	Mutants []Mutant `json:"mutants,omitempty"`
}

// Mutant is a change of the code that makes it weaker, and whether a client noticed.
type Mutant struct {
	Pos    Pos    `json:"pos"`
	Change string `json:"change"`
	Fate   Fate   `json:"fate"`
	Client string `json:"client,omitempty"` // that goes wrong
	Why    string `json:"why,omitempty"`    // what goes wrong, or why it is not known
}

// Fate says how a mutant ended.
type Fate string

// The fates.
const (
	MutantNoticed   Fate = "noticed"
	MutantUnnoticed Fate = "unnoticed"
	MutantUnknown   Fate = "unknown"
	MutantRefused   Fate = "refused" // it is no program
)

// History is calls with results that no order of the calls explains.
type History struct {
	Calls []HistoryCall `json:"calls"`
	// Before has the pairs of Calls of which the first returned before the second began, beside the pairs that follow from
	// threads and from the order of the others.
	Before [][2]int `json:"before,omitempty"`
	// Best is the order that explains most of the results, and what it leaves unexplained.
	Best string `json:"best,omitempty"`
}

// HistoryCall is a call and what it returned.
type HistoryCall struct {
	Thread  int      `json:"thread"` // from 1; 0: main, before or after the threads
	Call    string   `json:"call"`
	Results []string `json:"results,omitempty"` // the result, and what out-parameters were set to
	Pending bool     `json:"pending,omitempty"` // the call has not returned
}
