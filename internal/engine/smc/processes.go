package smc

// Processes: threads, and buffers as the auxiliary threads of [AAAJLS15 App. B, C].

// process is a thread or a buffer.
type process struct {
	thread int32
	buffer bool
	addr   uint64 // PSO: the bytes of the buffer
	size   uint32
}

// processes numbers the processes that an exploration has met. Threads come first, with their
// own numbers. Under PSO buffers are added when they are first used.
type processes struct {
	world   *world // nil: one worker
	list    []process
	buffers [][]int32 // per thread: its buffers
	last    []int32   // per process: its newest event in the execution, or none
	count   []int32   // per process: how many events it has in the execution
}

func newProcesses(threads int, w *world) *processes {
	ps := &processes{world: w, buffers: make([][]int32, threads)}
	for t := range threads {
		ps.add(process{thread: int32(t)})
	}
	return ps
}

// add numbers a process. All workers use the same numbers.
func (ps *processes) add(p process) int32 {
	if ps.world == nil {
		return ps.grow(p)
	}
	id := ps.world.number(p)
	ps.learn()
	return int32(id)
}

func (ps *processes) grow(p process) int32 {
	id := int32(len(ps.list))
	ps.list = append(ps.list, p)
	ps.last = append(ps.last, none)
	ps.count = append(ps.count, 0)
	if p.buffer {
		ps.buffers[p.thread] = append(ps.buffers[p.thread], id)
	}
	return id
}

// learn adds the processes that other workers have met.
func (ps *processes) learn() {
	for _, p := range ps.world.known(len(ps.list)) {
		ps.grow(p)
	}
}
