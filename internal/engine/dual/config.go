package dual

// message is an entry of a load buffer: a value of a cell, from memory or of the thread's own.
type message uint32

// Cells and values have to fit into a message.
const (
	maxCell  = 1 << 15
	maxValue = 1<<16 - 2

	selfBit = 1 << 31
)

func fromMemory(cell, value int32) message { return message(cell<<16 | (value + 1)) }
func fromSelf(cell, value int32) message   { return fromMemory(cell, value) | selfBit }

func (o message) self() bool   { return o&selfBit != 0 }
func (o message) cell() int32  { return int32(o &^ selfBit >> 16) }
func (o message) value() int32 { return int32(o&0xffff) - 1 } // own messages: may be anything

// config is a set of states of the program in the semantics with load buffers: all that are at
// least as large. A thread that is in any state has no buffer here. Instances of templates follow the threads of the
// program; a template itself is always in any state (any.go).
type config struct {
	at   []int32     // by thread: its state, or anything
	bufs [][]message // by thread: oldest first
	mem  []int32     // by cell: its value, or anything
	of   []int32     // by instance: its template
}

// clone returns a copy in which at and mem can be changed, and elements of bufs replaced.
func (c *config) clone() *config {
	d := &config{at: make([]int32, len(c.at)), bufs: make([][]message, len(c.bufs)), mem: make([]int32, len(c.mem)), of: c.of}
	copy(d.at, c.at)
	copy(d.bufs, c.bufs)
	copy(d.mem, c.mem)
	return d
}

// covers reports whether every state of d is one of c ([AABN18] write c ⊑ d): threads are in the same
// states, memory is as c says, and each buffer of d is one of c with more messages from memory.
func (c *config) covers(d *config) bool {
	for i, v := range c.mem {
		if v != anything && v != d.mem[i] {
			return false
		}
	}
	fixed := c.fixed()
	for p, s := range c.at[:fixed] {
		if s == anything {
			continue
		}
		if s != d.at[p] || !embeds(c.bufs[p], d.bufs[p]) {
			return false
		}
	}
	return len(c.of) == 0 || c.matches(d, fixed, 0)
}

// embeds reports whether b is a with more messages from memory, and perhaps with known values of own
// messages that a leaves open.
func embeds(a, b []message) bool {
	if len(a) > len(b) {
		return false
	}
	i := 0
	for _, m := range b {
		switch {
		case i < len(a) && (a[i] == m || m.self() && a[i].self() && a[i].cell() == m.cell() && a[i].value() == anything):
			i++
		case m.self():
			return false
		}
	}
	return i == len(a)
}

// key is equal for two configurations if and only if their threads are in the same states with the
// same cells in their own messages: only then can one cover the other, or one has a thread in any
// state. Threads of the set are taken to be in any state, and instances of the set not to be there.
func (c *config) key(buf []byte, open uint64) []byte {
	buf = buf[:0]
	fixed := c.fixed()
	for p, s := range c.at {
		if open>>p&1 != 0 {
			if s = anything; p >= fixed {
				continue
			}
		}
		if p >= fixed {
			t := c.of[p-fixed]
			buf = append(buf, byte(t), byte(t>>8))
		}
		buf = append(buf, byte(s), byte(s>>8), byte(s>>16))
		if s == anything {
			continue
		}
		for _, m := range c.bufs[p] {
			if m.self() {
				buf = append(buf, byte(m.cell()), byte(m.cell()>>8))
			}
		}
		buf = append(buf, 0xff, 0xff)
	}
	return buf
}

// open returns the set of the threads that are in any state.
func (c *config) open() uint64 {
	set := uint64(0)
	for p, s := range c.at[:c.fixed()] {
		if s == anything {
			set |= 1 << p
		}
	}
	return set
}

// messages counts the messages of all buffers.
func (c *config) messages() int {
	n := 0
	for _, b := range c.bufs {
		n += len(b)
	}
	return n
}
