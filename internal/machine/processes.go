package machine

import "fencepost/internal/memory"

// Processes: threads, and buffers as the auxiliary threads of [AAAJLS15 App. B, C].

// Process is a thread or a buffer.
type Process struct {
	Thread int32
	Buffer bool
	Addr   uint64 // PSO: the bytes of the buffer
	Size   uint32
}

// Processes numbers the processes that an exploration has met. Threads come first, with their
// own numbers. Under PSO buffers are added when they are first used.
type Processes struct {
	List    []Process
	Buffers [][]int32 // per thread: its buffers
	Last    []int32   // per process: its newest event in the execution, or None
	Count   []int32   // per process: how many events it has in the execution
	// Number numbers a process that the machine meets, by calls of Grow. Workers that share an
	// exploration use the same numbers.
	Number func(Process) int32
}

// NewProcesses returns the threads of a program. Under TSO each thread has one buffer.
func NewProcesses(y *memory.System) *Processes {
	ps := &Processes{Buffers: make([][]int32, y.Threads())}
	ps.Number = ps.Grow
	for t := range y.Threads() {
		ps.Grow(Process{Thread: int32(t)})
	}
	if y.Model == memory.TSO {
		for t := range y.Threads() {
			ps.Grow(Process{Thread: int32(t), Buffer: true})
		}
	}
	return ps
}

// Grow adds a process and returns its number.
func (ps *Processes) Grow(p Process) int32 {
	id := int32(len(ps.List))
	ps.List = append(ps.List, p)
	ps.Last = append(ps.Last, None)
	ps.Count = append(ps.Count, 0)
	if p.Buffer {
		ps.Buffers[p.Thread] = append(ps.Buffers[p.Thread], id)
	}
	return id
}
