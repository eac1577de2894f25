package smc

import "fencepost/internal/machine"

// The accesses of an execution, by words of memory.
//
// [AAAJLS15 App. B] keeps the last update and the last loads of each location. Here accesses have
// sizes and overlap, so every access is a record in the chain of its word, and the last accesses to
// some bytes are found by walking the chain from its newest record until all bytes have been met.

// chains has a list of records for every word of 8 bytes that was accessed.
type chains struct {
	words   words
	heads   []int32 // per slot: the newest record of the word, or none
	owner   []int32 // per slot: the only thread that has accessed the word, in any execution; noThread, or several
	records []record
	shared  int // words that several threads have accessed
}

// record is an access in the chain of its word.
type record struct {
	slot int32
	prev int32 // the record before it in the chain, or none
	ev   int32
	mask uint8 // bytes of the word
	mode machine.Mode
}

// head returns the newest record of a word, or none.
func (c *chains) head(word uint64) int32 { return c.heads[c.slotOf(word)] }

func (c *chains) slotOf(word uint64) int32 {
	i := c.words.slot(word)
	for int(i) >= len(c.heads) {
		c.heads = append(c.heads, none)
		c.owner = append(c.owner, noThread)
	}
	return i
}

// add puts the accesses of event e, number i, into the chains.
func (c *chains) add(i int32, e *event) {
	for k := range e.Size() {
		a := e.At(k)
		live := e.Live(a)
		if live == 0 {
			continue
		}
		last := (a.Addr + uint64(a.Size) - 1) / 8
		for w := a.Addr / 8; ; w++ {
			if m := machine.Shift(live, int64(a.Addr-8*w)); m != 0 {
				slot := c.slotOf(w)
				c.privateTo(slot, e.Thread)
				c.records = append(c.records, record{slot: slot, prev: c.heads[slot], ev: i, mask: m, mode: a.Mode})
				c.heads[slot] = int32(len(c.records) - 1)
			}
			if w == last {
				break
			}
		}
	}
}

// Values of owner other than threads.
const (
	noThread = -1
	several  = -2
)

// privateTo notes that thread t accesses a word. It reports whether no other thread has.
func (c *chains) privateTo(slot, t int32) bool {
	switch c.owner[slot] {
	case t:
		return true
	case noThread:
		c.owner[slot] = t
		return true
	case several:
		return false
	default:
		c.owner[slot] = several
		c.shared++
		return false
	}
}

// private notes that the thread of an event, which need not be in the execution, accesses words. It reports whether no
// other thread has accessed them.
func (c *chains) private(e *event) bool {
	alone := true
	for k := range e.Size() {
		a := e.At(k)
		last := (a.Addr + uint64(a.Size) - 1) / 8
		for w := a.Addr / 8; ; w++ {
			alone = c.privateTo(c.slotOf(w), e.Thread) && alone
			if w == last {
				break
			}
		}
	}
	return alone
}

// drop takes back all records but the first n.
func (c *chains) drop(n int) {
	for i := len(c.records) - 1; i >= n; i-- {
		c.heads[c.records[i].slot] = c.records[i].prev
	}
	c.records = c.records[:n]
}

// words numbers words of memory: a hash table with open addressing. Words are never removed.
type words struct {
	keys  []uint64 // 1 + word
	slots []int32
	used  int
}

func (w *words) slot(word uint64) int32 {
	if 2*w.used >= len(w.keys) {
		w.grow()
	}
	mask := uint64(len(w.keys) - 1)
	i := (word * 0x9e3779b97f4a7c15) >> 20 & mask
	for w.keys[i] != 0 {
		if w.keys[i] == word+1 {
			return w.slots[i]
		}
		i = (i + 1) & mask
	}
	w.keys[i], w.slots[i] = word+1, int32(w.used)
	w.used++
	return int32(w.used - 1)
}

func (w *words) grow() {
	old := *w
	n := max(64, 2*len(old.keys))
	w.keys, w.slots = make([]uint64, n), make([]int32, n)
	mask := uint64(n - 1)
	for i, k := range old.keys {
		if k == 0 {
			continue
		}
		j := ((k - 1) * 0x9e3779b97f4a7c15) >> 20 & mask
		for w.keys[j] != 0 {
			j = (j + 1) & mask
		}
		w.keys[j], w.slots[j] = k, old.slots[i]
	}
}
