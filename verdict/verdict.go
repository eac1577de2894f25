package verdict

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Schema names the layout of the JSON form.
const Schema = "fencepost/1"

// Report is the outermost JSON object: always a list, even for one result.
type Report struct {
	Schema  string   `json:"schema"`
	Results []Result `json:"results"`
}

// Verdict is the answer proper. The zero value is unset.
type Verdict uint8

// The verdicts.
const (
	Unset       Verdict = iota
	Safe                // the property holds, as far as Coverage says
	Unsafe              // violated; there is a witness
	Unknown             // no answer; Reason says why
	Observed            // `exists C`: some execution ends in C; there is a witness
	NotObserved         // `exists C`: none does, as far as Coverage says
	ValueRobust         // the same shared states with and without buffers; Proof says why
	Abstracted          // ValueRobust holds of the program with Proof's read abstractions
)

var verdictNames = [...]string{"unset", "safe", "unsafe", "unknown", "observed", "not-observed", "value-robust", "abstracted"}

func (v Verdict) String() string {
	if int(v) >= len(verdictNames) {
		panic(fmt.Sprintf("BUG: unknown verdict %d", v))
	}
	return verdictNames[v]
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the verdict's name.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q", text)
}

// Result is the answer to one question about one program under one model.
//
// shape: a JSON document has these fields, and none is ever renamed or moved.
type Result struct {
	Program  string   `json:"program"`
	Question Question `json:"question"`
	Model    string   `json:"model"` // sc, tso, pso
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason,omitempty"` // why unknown, or what was violated
	// Next says what to try after Unknown, in one or two lines.
	Next     []string `json:"next,omitempty"`
	Pos      *Pos     `json:"pos,omitempty"` // of what was violated
	Coverage Coverage `json:"coverage"`
	// BoundedOnly says of an Unknown that the search ended and found nothing, so that only
	// bounds that the user did not set prevent Safe.
	BoundedOnly bool `json:"within_bounds,omitempty"`

	Engine   string    `json:"engine"`
	Stats    Stats     `json:"stats"`
	Warnings []Warning `json:"warnings,omitempty"`
	Witness  *Witness  `json:"witness,omitempty"`
	Support
	// Cause says why the violation is possible, for questions about the program itself.
	Cause *Cause `json:"cause,omitempty"`
	// Others are further violations found with --keep-going.
	Others []Violation `json:"others,omitempty"`
	Details
	Origin
}

// Origin says what was asked, and of which program.
type Origin struct {
	// EngineFixed says that no other engine could be asked: of executions in parts, and of the answer of a solver.
	EngineFixed bool `json:"engine_fixed,omitempty"`
	// Asked is the command and its options.
	Asked *Asked `json:"asked,omitempty"`
	// Shard is set if the answer is about a part of the executions only. Several parts can be merged.
	Shard *Shard `json:"shard,omitempty"`
	// Sources is the text of every input file the positions refer to.
	Sources map[string]string `json:"sources,omitempty"`
	// Listing says what the listing of machine code in Sources was made of.
	Listing *Listing `json:"listing,omitempty"`
}

// Details are the parts of an answer that only some questions have.
type Details struct {
	// Attacks show that a program is not robust, each with its own witness: one attack, or
	// all with --all.
	Attacks []Attack `json:"attacks,omitempty"`
	// Triangles are triangular races, if the question was whether there are any.
	Triangles []Triangle `json:"races,omitempty"`
	// Fences repair the program, Cost is their cost, and Repair is the rest of the answer
	// of `fencepost fences`.
	Fences []Fence `json:"fences,omitempty"`
	Cost   int64   `json:"cost,omitempty"`
	Repair *Repair `json:"repair,omitempty"`
	// Trace is a trace with a cycle, if the question was about traces.
	Trace *Trace `json:"trace,omitempty"`
	// Proof proves that a program is value-robust, or shows what is missing.
	Proof *Proof `json:"proof,omitempty"`
	// FinalStates lists the distinct final states where the question asked for them.
	FinalStates []string `json:"final_states,omitempty"`
	// Endings has executions that lead to the FinalStates, in their order, where they were asked for. A state may
	// have none.
	Endings []Ending `json:"endings,omitempty"`
	// LeftOut names what FinalStates does not show.
	LeftOut []string `json:"left_out,omitempty"`
	// Litmus is the part of an answer that only litmus tests have.
	Litmus *Litmus `json:"litmus,omitempty"`
	// Linearizability is the part of an answer that only that question has.
	Linearizability *Linearizability `json:"linearizability,omitempty"`
	// Compiled compares machine code with its source, where both were asked about.
	Compiled *Compiled `json:"compiled,omitempty"`
}

// Support says what an answer rests on, beside the engine.
type Support struct {
	// Instance is the number of threads per template of the instance that a
	// violation was found in, where any number was asked about.
	Instance int `json:"instance,omitempty"`
	// By names the argument for Safe, if the engine alone does not.
	By string `json:"by,omitempty"`
	// Relies lists fences and atomic operations that Safe depends on: the program without
	// any one of them is unsafe. It is computed for small programs only.
	Relies []Reliance `json:"relies,omitempty"`
	// Engines has the answer of every engine, if several were asked.
	Engines []EngineReport `json:"engines,omitempty"`
}

// Ending is an execution that ends in a final state.
type Ending struct {
	State   string   `json:"state"` // as Result.FinalStates has it
	Witness *Witness `json:"witness,omitempty"`
}

// Violation is one way in which the program fails.
type Violation struct {
	Question Question `json:"question"`
	Reason   string   `json:"reason"`
	Pos      *Pos     `json:"pos,omitempty"`
	Witness  *Witness `json:"witness,omitempty"`
	Cause    *Cause   `json:"cause,omitempty"`
	// Like is the number of an earlier violation with the same root cause: 1 is the
	// result's own, 2 the first of Others. 0: a cause of its own.
	Like int `json:"like,omitempty"`
}

// Coverage states how far a Safe reaches.
type Coverage struct {
	Exhaustive bool    `json:"exhaustive"` // all executions
	Bounds     []Bound `json:"bounds,omitempty"`
	// Threads is AnyThreads if the answer holds for any number of threads.
	Threads ThreadCount `json:"threads,omitempty"`
	// Unsupported is why an answer is Unknown: an execution reaches a construct that is not supported.
	Unsupported *Unsupported `json:"unsupported,omitempty"`
	// Checked says what was checked, for questions about the program itself.
	Checked *Checked `json:"checked,omitempty"`
	// Certificate is the proof of the answer that the checker accepted, nil if there is none.
	Certificate *Certificate `json:"certificate,omitempty"`
}

// Certificate describes a proof that an answer is right.
type Certificate struct {
	Kind  string `json:"kind"`  // states, classes, clauses or attacks
	Size  int    `json:"size"`  // states, nodes or steps of the proof
	Bytes int64  `json:"bytes"` // of the file
}

// Checked counts what an answer is about.
type Checked struct {
	Assertions int  `json:"assertions"`         // statements that assert something
	Goals      int  `json:"goals,omitempty"`    // sets of states that must not be reachable
	Final      bool `json:"final,omitempty"`    // a condition on final states
	Errors     bool `json:"errors,omitempty"`   // errors of C programs: memory, locks, division
	Deadlock   bool `json:"deadlock,omitempty"` // whether threads can wait for ever
	Races      bool `json:"races,omitempty"`    // data races of C programs
	Leaks      bool `json:"leaks,omitempty"`    // blocks of the heap that no pointer reaches at the end
	Threads    int  `json:"threads"`
	Loops      bool `json:"loops,omitempty"` // the program has loops, and whether they end was not checked
	// Liveness says which loops were checked to end: spin, loops that only wait, or fair, all loops.
	// With spin, Loops means the others.
	Liveness string `json:"liveness,omitempty"`
	// NotAsked has what was not asked about the program and could matter.
	NotAsked []NotAsked `json:"not_asked,omitempty"`
	// Uninitialised says what memory was taken to hold that was never written: zero, or any, any value. Empty: such memory
	// is an error where its value decides something, or the language has none.
	Uninitialised string `json:"uninitialised,omitempty"`
}

// NotAsked is something that an answer says nothing about.
type NotAsked string

// What an answer may say nothing about.
const (
	NotAskedRaces  NotAsked = "races"  // data races: plain accesses of two threads may meet
	NotAskedC11    NotAsked = "c11"    // executions of C11 that the model does not have: the program has weaker atomic accesses
	NotAskedKernel NotAsked = "kernel" // executions that the Linux kernel's own model allows beyond the model: the program has its words
	NotAskedLeaks  NotAsked = "leaks"  // blocks that are never freed: the program allocates memory
)

// Stats are counts of the work done. They are the same for every run of a
// completed search, whatever the number of workers, except Seconds and, for the
// engine rf with several workers, Transitions.
type Stats struct {
	States      int64 `json:"states,omitempty"`
	Transitions int64 `json:"transitions,omitempty"`
	FinalStates int64 `json:"final_states,omitempty"`
	// For engines that explore executions: the number of executions that ended in any way,
	// the number that ended at an assumption or await that did not hold, and the number
	// that were redundant. FinalStates counts the executions that ended the program.
	Executions int64 `json:"executions,omitempty"`
	Blocked    int64 `json:"blocked,omitempty"`
	Redundant  int64 `json:"redundant,omitempty"`
	// Fingerprint is a sum over the executions that a complete exploration found, of the engine rf: two explorations
	// of one program under one model have the same.
	Fingerprint string `json:"fingerprint,omitempty"`
	Depth       int    `json:"depth,omitempty"`
	Bytes       int64  `json:"bytes,omitempty"` // high-water mark of stored states
	// For formulas: gates of the circuit, variables and clauses, and the solver's time.
	Gates         int64   `json:"gates,omitempty"`
	Variables     int64   `json:"variables,omitempty"`
	Clauses       int64   `json:"clauses,omitempty"`
	SolverSeconds float64 `json:"solver_seconds,omitempty"`
	Seconds       float64 `json:"seconds"`
	// Filters counts the pairs that were ruled out before the search, for robustness.
	Filters *Filters `json:"filters,omitempty"`
	Net     *Net     `json:"net,omitempty"` // where threads were counted
	Fuzz    *Fuzz    `json:"fuzz,omitempty"`
}

// Fuzz says how much of a program random schedules have tried.
type Fuzz struct {
	Seed  uint64 `json:"seed"`            // of the first execution; the next one has the next
	Found uint64 `json:"found,omitempty"` // the seed of the execution that was found, if one was
	Depth int    `json:"depth"`           // changes of priority in an execution, at most
	Steps int64  `json:"steps"`           // of all executions together
	Cut   int64  `json:"cut,omitempty"`   // executions that were cut off because they were too long
	// Points counts the instructions of threads that others can notice and that were reached; Preempted the ones before
	// which another thread ran although the thread could have gone on.
	Points    int `json:"points"`
	Preempted int `json:"preempted"`
	// Stores counts the stores that entered a buffer; Delayed the ones that did not reach memory at once.
	Stores  int `json:"stores,omitempty"`
	Delayed int `json:"delayed,omitempty"`
}

// Filters counts pairs of a store and a later load of one thread, under PSO also of two stores: all of them, the ones
// that the program's text rules out, by reason, and the rest.
type Filters struct {
	Pairs     int64 `json:"pairs"`   // in all
	Fenced    int64 `json:"fenced"`  // every path from the store to the load drains the buffer
	Apart     int64 `json:"apart"`   // no other thread has started, or none conflicts with one of the two
	Forwarded int64 `json:"own"`     // the load reads stores of its own thread; two stores that share a byte
	Acyclic   int64 `json:"acyclic"` // no chain of conflicts leads back
	Left      int64 `json:"left"`    // searched for
}

// Net is the size of a Petri net and of the search in it.
type Net struct {
	PetriPlaces int `json:"places"`
	Transitions int `json:"transitions"`
	Elements    int `json:"elements"` // minimal, at the end
	Tried       int `json:"tried"`
	Pruned      int `json:"pruned"`
}

// Warning is something the user should know about a result.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Pos     *Pos   `json:"pos,omitempty"`
}

// Pos is a stretch of source text. Lines and columns start at 1, the end is
// exclusive, a zero end means a single position.
type Pos struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"end_line,omitempty"`
	EndCol  int    `json:"end_col,omitempty"`
	// Source is the file, line and column of the source that an instruction was made of, as file:line:column: of machine
	// code, whose File is a listing.
	Source string `json:"source,omitempty"`
}

// String returns the position as people read it: that of the source, if there is one.
func (p Pos) String() string {
	if p.Source != "" {
		return p.Source
	}
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Brief returns the last part of the file's name and the line.
func (p Pos) Brief() string {
	file, line := p.SourceLine()
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// SourceLine returns the file and the line of the source, or those of the position if it has no other source.
func (p Pos) SourceLine() (file string, line int) {
	parts := strings.Split(p.Source, ":")
	if len(parts) < 2 {
		return p.File, p.Line
	}
	line, _ = strconv.Atoi(parts[1])
	return parts[0], line
}

// Diagnostic is a message about the input, ready to print.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Pos      Pos      `json:"pos"`
	Message  string   `json:"message"`
	Notes    []string `json:"notes,omitempty"`
	Help     []string `json:"help,omitempty"`    // what to do
	Excerpt  string   `json:"excerpt,omitempty"` // source line and caret line
}

// Reliance is a fence or atomic operation that an answer depends on.
type Reliance struct {
	Kind    RelianceKind `json:"kind"`
	Pos     *Pos         `json:"pos"`
	Without string       `json:"without"` // the violation without it
}

// EngineReport is the answer of one engine among several.
type EngineReport struct {
	Engine   string   `json:"engine"`
	Question Question `json:"question"`
	Model    string   `json:"model"` // it was run under
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason,omitempty"`
	States   int64    `json:"states,omitempty"`
	Seconds  float64  `json:"seconds"`
	// Abandoned says that another engine answered before this one had.
	Abandoned bool `json:"abandoned,omitempty"`
}
