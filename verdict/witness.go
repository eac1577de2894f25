package verdict

import (
	"fmt"
	"slices"
)

// Witness is an execution, step by step, in the order in which things happened.
// Everything a rendering shows (columns, buffer contents, memory, the
// happens-before graph) is derived from it.
type Witness struct {
	Threads []string `json:"threads"` // names, by index
	// Names has the names by which people call the threads of machine code: the function that they run, and its line. An empty
	// name stands for that of Threads.
	Names []string `json:"names,omitempty"`
	// Lines has the lines of the source files that positions of machine code refer to, where a renderer has them.
	Lines map[string][]string `json:"-"`
	Steps []Step              `json:"steps"`
	// Blocks lists the blocks of the heap in the order of their allocation.
	Blocks []Block `json:"blocks,omitempty"`
	// Repeats is how many of the last steps repeat for ever: after them the state is as before them.
	Repeats int `json:"repeats,omitempty"`
	// Graph is set under the model c11. There an execution is a graph, and the steps are in one of the orders that
	// program order and reads-from allow: a load may read an older store than the last one before it.
	Graph *Graph `json:"graph,omitempty"`
}

// Graph says what each step of an execution under c11 reads from, and in which order stores take effect. Steps are
// numbered from 0.
type Graph struct {
	Reads  []GraphRead  `json:"reads"`
	Orders []GraphOrder `json:"orders"`
	// Last are bytes whose last store counts: SC has no execution with these reads and these last stores.
	Last []GraphLast `json:"last,omitempty"`
}

// GraphLast is some bytes.
type GraphLast struct {
	Addr uint64 `json:"addr"`
	Size int    `json:"size"`
}

// GraphRead is a read of some bytes by a step.
type GraphRead struct {
	Step int    `json:"step"`
	Addr uint64 `json:"addr"`
	Size int    `json:"size"`
	From int    `json:"from"` // the step that wrote what is read; -1: the initial value
}

// GraphOrder is the modification order of some bytes: the steps that write them.
type GraphOrder struct {
	Addr   uint64 `json:"addr"`
	Size   int    `json:"size"`
	Writes []int  `json:"writes"`
}

// Until returns the witness up to a step, which is its last one then.
func (w *Witness) Until(step int) *Witness {
	out := *w
	out.Steps = w.Steps[:step+1]
	if w.Graph == nil {
		return &out
	}
	out.Graph = &Graph{}
	for _, r := range w.Graph.Reads {
		if r.Step <= step {
			out.Graph.Reads = append(out.Graph.Reads, r)
		}
	}
	for _, o := range w.Graph.Orders {
		o.Writes = slices.DeleteFunc(slices.Clone(o.Writes), func(i int) bool { return i > step })
		if len(o.Writes) > 0 {
			out.Graph.Orders = append(out.Graph.Orders, o)
		}
	}
	return &out
}

// Block is a block of the heap. Steps name it: node#1.next is a part of it.
type Block struct {
	Name string `json:"name"` // such as node#1: the type, or the function that allocates, and a number
	By   string `json:"by"`   // the function that allocates it, such as malloc
	Step int    `json:"step"` // of the witness, which allocates it
	Pos  *Pos   `json:"pos,omitempty"`
}

// StepKind says what a step did. The zero value is unset.
type StepKind uint8

// The kinds of steps.
const (
	StepUnset StepKind = iota
	StepExec           // an instruction that accesses no memory, or whose effect needs no description
	StepLoad           // read memory, the thread's buffer, or some bytes from either (From, FromBytes)
	StepStore          // a store; Buffered says whether it went to the buffer or straight to memory
	StepFlush          // the entry made by step Of reached memory
	StepRMW            // read and wrote memory in one step; Wrote tells a failed compare-exchange apart
	StepFence          // a fence
	StepWake           // a waiting thread woke up without a signal
	StepFail           // an assertion or check failed here
)

var stepNames = [...]string{"unset", "exec", "load", "store", "flush", "rmw", "fence", "wake", "fail"}

func (k StepKind) String() string {
	if int(k) >= len(stepNames) {
		panic(fmt.Sprintf("BUG: unknown step kind %d", k))
	}
	return stepNames[k]
}

// MarshalText writes the kind's name.
func (k StepKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the kind's name.
func (k *StepKind) UnmarshalText(text []byte) error {
	for i, name := range stepNames {
		if name == string(text) {
			*k = StepKind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown step kind %q", text)
}

// Step is one transition of the memory model.
//
// Thread, Kind, Edge, Choice and Of identify the transition. Replay uses only these, and
// compares the other fields with what it computes.
type Step struct {
	Thread int      `json:"thread"`
	Kind   StepKind `json:"kind"`
	Edge   int      `json:"edge"`             // ir edge id; -1 for a flush
	Choice int64    `json:"choice,omitempty"` // value of a havoc, block reused, thread signalled
	Of     int      `json:"of"`               // StepFlush: index of the step that made the entry; else -1

	Instruction

	Addr     uint64 `json:"addr,omitempty"`
	Size     int    `json:"size,omitempty"`
	Location string `json:"location,omitempty"` // name of Addr, such as flag[1]
	Data
	Buffered bool `json:"buffered,omitempty"` // store: went to the buffer
	From     int  `json:"from,omitempty"`     // load: 0 memory, else 1 + index of the buffered store that it reads
	// FromBytes is set if the bytes of a load come from different stores. It has one number
	// per byte, with the meaning of From, which is then 0.
	FromBytes []int `json:"from_bytes,omitempty"`
	Free      bool  `json:"free,omitempty"` // store, flush: the entry frees a block
	Sync
	Note string `json:"note,omitempty"` // what failed, who was woken, and the like
}

// Instruction tells what a step executes, and where the program has it.
type Instruction struct {
	Pos   *Pos     `json:"pos,omitempty"`
	Text  string   `json:"text,omitempty"`  // the instruction as the user wrote it
	Stack []string `json:"stack,omitempty"` // call stack, innermost last
	// Calls has the positions of the calls of Stack, of a step that fails: the first is in Stack[0].
	Calls []Pos `json:"calls,omitempty"`
}

// Data has the values that a step reads and writes.
type Data struct {
	Value   int64 `json:"value,omitempty"`   // read (load, RMW) or written (store, flush)
	Written int64 `json:"written,omitempty"` // RMW: the value written
	Wrote   bool  `json:"wrote,omitempty"`   // RMW: whether it wrote
	// Points and WrittenPoints say what Value and Written are the addresses of, such as
	// &q.slot[1] or null; empty: no addresses, or of nothing known.
	Points        string `json:"points,omitempty"`
	WrittenPoints string `json:"written_points,omitempty"`
	// Number and WrittenNumber are Value and Written of an access to floating point, of which
	// they are the bits: 1.5, -0.0, inf, nan.
	Number        string `json:"number,omitempty"`
	WrittenNumber string `json:"written_number,omitempty"`
}

// Sync tells of the other threads that a step moves, and of what it accesses beside the memory that the program names.
type Sync struct {
	Other   int  `json:"other,omitempty"`   // 1 + the thread started or joined, else 0
	Signals bool `json:"signals,omitempty"` // the step wakes threads that wait
	// Accesses lists the bytes that the step reads and writes beside the memory
	// accesses of the program: a condition variable, the mutex of a wait, a barrier, a block
	// allocated or freed. Wakes lists the threads that the step wakes.
	Accesses []Access `json:"touches,omitempty"`
	Wakes    []int    `json:"wakes,omitempty"`
}

// IsAccess reports whether the step loads, stores or does both.
func (s Step) IsAccess() bool {
	return s.Kind == StepLoad || s.Kind == StepStore || s.Kind == StepRMW
}

// SetReadsFrom sets where each byte of a load came from: 0 for memory, else 1 + the index of
// the buffered store.
func (s *Step) SetReadsFrom(from []int) {
	s.From, s.FromBytes = 0, nil
	for _, f := range from {
		if f != from[0] {
			s.FromBytes = from
			return
		}
	}
	if len(from) > 0 {
		s.From = from[0]
	}
}

// ReadsFrom returns where byte k of a load came from: 0 for memory, else 1 + the index of
// the buffered store.
func (s *Step) ReadsFrom(k int) int {
	if k < len(s.FromBytes) {
		return s.FromBytes[k]
	}
	return s.From
}

// ReadsMemory reports whether a load took at least one byte from memory.
func (s *Step) ReadsMemory() bool {
	if len(s.FromBytes) == 0 {
		return s.From == 0
	}
	return slices.Contains(s.FromBytes, 0)
}

// ForwardedFrom returns the buffered stores that a load took bytes from, as indices of
// steps, each once, oldest first.
func (s *Step) ForwardedFrom() []int {
	if s.From > 0 {
		return []int{s.From - 1}
	}
	var out []int
	for _, f := range s.FromBytes {
		if f > 0 {
			out = append(out, f-1)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Access is a range of bytes that a step reads, or reads and writes.
type Access struct {
	Addr  uint64 `json:"addr"`
	Size  int    `json:"size"`
	Wrote bool   `json:"wrote,omitempty"`
}
