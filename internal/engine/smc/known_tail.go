package smc

// Tails that are known. If the final state is not asked for, they are not even performed.
//
// A tail is the same in every execution in which its thread has not moved since its last event, if the thread reads only
// what it alone writes. If it also reads, after all events of the others, what these have written, it is the same in every
// execution in which these reads have the same values: the thread depends on nothing else, and stores nothing.

// knownTails has some tails that were performed.
type knownTails struct {
	list []knownTail // the memory of those beyond its length is used again
	next int         // the one that is replaced if there are too many
	base int32       // the newest base of those in the list
}

// maxKnownTails bounds the tails that are known at a time.
const maxKnownTails = 16

// knownTail is the tail of a thread.
type knownTail struct {
	thread int32
	base   int32 // the last event of the thread before the tail
	shared int   // how many words several threads had accessed
	length int
	after  bool // it happens after all events of other threads, from its first read of what they write on

	accesses []privateAccess
	reads    []tailRead
	joined   []int32 // per thread: number if the tail joins it
	number   int32
}

// tailRead is a value that a tail reads, written by other threads.
type tailRead struct {
	addr  uint64
	size  uint8
	value uint64
}

// knownNow returns the tail of thread t, if it is known; else nil. buffers is how many buffers are not empty.
func (x *explorer) knownNow(t int32, buffers int) *knownTail {
	list := x.tail.known.list
next:
	for i := range list {
		k := &list[i]
		if k.thread != t || k.base != x.exec.base[t] || k.shared != x.exec.chains.shared || k.after && buffers > 0 {
			continue
		}
		for _, r := range k.reads {
			if x.run.Sys.ReadRaw(x.run.State, r.addr, int(r.size)) != r.value {
				continue next
			}
		}
		if !k.after || x.afterAll(t, k.joined, k.number) {
			return k
		}
	}
	return nil
}

// rememberTail notes the tail of thread t that was performed.
func (x *explorer) rememberTail(t int32, length int, after bool, accesses []privateAccess) {
	tl := &x.tail
	ks := &tl.known
	k := ks.slot()
	k.thread, k.base, k.shared, k.length, k.after, k.number = t, x.exec.base[t], x.exec.chains.shared, length, after, tl.number
	k.accesses = append(k.accesses[:0], accesses...)
	k.reads = append(k.reads[:0], tl.reads...)
	k.joined = append(k.joined[:0], tl.joined...)
	ks.base = max(ks.base, k.base)
}

// slot returns an entry of the list for a new tail.
func (ks *knownTails) slot() *knownTail {
	switch {
	case len(ks.list) == maxKnownTails:
		ks.next = (ks.next + 1) % maxKnownTails
		return &ks.list[ks.next]
	case len(ks.list) < cap(ks.list):
		ks.list = ks.list[:len(ks.list)+1]
	default:
		ks.list = append(ks.list, knownTail{})
	}
	return &ks.list[len(ks.list)-1]
}

// forget forgets the tails after events from number i on, which are taken back.
func (ks *knownTails) forget(i int32) {
	if len(ks.list) > 0 && ks.base >= i {
		ks.list, ks.next, ks.base = ks.list[:0], 0, none
	}
}
