package fuzz

import (
	"math/rand/v2"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Priorities of threads and buffers [BKMN10 §3].
//
// Differs from the paper: every fourth execution is a random walk, in which priorities are drawn again and again, for
// bugs of small programs that need many changes; the number of changes of an execution is random, up to the depth; buffers are
// scheduled like threads; and a thread that has gone round an idle loop for a while gets the lowest priority,
// because it waits for others. The guarantee of the paper about bugs of depth d holds for a program without
// such loops, with the factor that choosing the number of changes costs.

// priority orders threads and buffers. Initial priorities are in the upper half of the positive numbers, the
// ones that a change assigns in the lower half, and the ones of threads that wait are negative.
type priority int64

const (
	firstInitial = 1 << 62
	firstChanged = 1 << 61
)

// schedule is the priorities of one execution. It is one worker's own.
type schedule struct {
	rng     *rand.Rand
	source  *rand.PCG
	order   []int      // threads, highest priority first
	threads []priority // by thread
	buffers []priority // by thread
	salt    uint64     // PSO: gives the stores of a buffer to one address a priority
	changed []lowered  // PSO: stores to one address with a priority of their own
	moments []int      // when priorities change, in events, the last first
	lowest  priority
	walks   bool // the execution is a random walk
}

// walking is how often an execution is a random walk, and turning how often such an execution draws a priority again: one
// execution and one event in so many.
const (
	walking = 4
	turning = 3
)

// lowered is a buffer for one address whose priority has been changed.
type lowered struct {
	thread int
	addr   uint64
	to     priority
}

func newSchedule(threads int) *schedule {
	source := rand.NewPCG(0, 0)
	c := &schedule{rng: rand.New(source), source: source, threads: make([]priority, threads), buffers: make([]priority, threads)}
	for t := range threads {
		c.order = append(c.order, t)
	}
	return c
}

// begin draws the priorities of an execution, and up to depth changes of them among the first length events.
func (c *schedule) begin(seed uint64, depth, length int) {
	c.source.Seed(seed, 0x66656e6365706f73)
	for t := range c.threads {
		c.threads[t] = firstInitial + priority(c.rng.Int64N(firstInitial-1))
		c.buffers[t] = firstInitial + priority(c.rng.Int64N(firstInitial-1))
	}
	c.salt, c.changed, c.moments, c.lowest = c.rng.Uint64(), c.changed[:0], c.moments[:0], 0
	if c.walks = seed%walking == 0; depth > 0 && !c.walks {
		for range c.rng.IntN(depth + 1) {
			c.moments = append(c.moments, c.rng.IntN(length))
		}
		slices.SortFunc(c.moments, func(a, b int) int { return b - a })
	}
	c.sort()
}

// walk draws a priority again now and then, if the execution is a random walk.
func (c *schedule) walk() {
	if !c.walks || c.rng.IntN(turning) != 0 {
		return
	}
	t, to := c.rng.IntN(len(c.threads)), firstInitial+priority(c.rng.Int64N(firstInitial-1))
	if c.rng.IntN(2) == 0 {
		c.threads[t] = to
		c.sort()
		return
	}
	c.buffers[t], c.salt = to, uint64(to)
}

func (c *schedule) sort() {
	slices.SortFunc(c.order, func(a, b int) int {
		if c.threads[a] > c.threads[b] {
			return -1
		}
		return 1
	})
}

// changesAt reports whether priorities change before an event, once for each change.
func (c *schedule) changesAt(event int) bool {
	n := len(c.moments)
	if n == 0 || event < c.moments[n-1] {
		return false
	}
	c.moments = c.moments[:n-1]
	return true
}

// change gives the thread or buffer that would take a step a low priority.
func (c *schedule) change(s *memory.State, m memory.Model, st memory.Step) {
	t, to := int(st.Thread), firstChanged+priority(c.rng.Int64N(firstChanged-1))
	switch {
	case st.Kind != memory.Flush:
		c.threads[t] = to
		c.sort()
	case m == memory.PSO:
		c.changed = append(c.changed, lowered{t, s.Buffer(ir.ThreadID(t))[st.Index].Addr, to})
	default:
		c.buffers[t] = to
	}
}

// yield gives a thread the lowest priority of all.
func (c *schedule) yield(t int) {
	c.lowest--
	c.threads[t] = c.lowest
	c.sort()
}

// ofEntry returns the priority of the buffer of a thread for one address, under PSO.
func (c *schedule) ofEntry(t int, addr uint64) priority {
	for i := len(c.changed) - 1; i >= 0; i-- {
		if l := &c.changed[i]; l.thread == t && l.addr == addr {
			return l.to
		}
	}
	x := c.salt ^ addr*0x9e3779b97f4a7c15 ^ uint64(t)<<56
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return firstInitial + priority((x^x>>31)>>2)
}
