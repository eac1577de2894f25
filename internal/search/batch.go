package search

// Batches. Looking a state up reads memory that is in no cache: a slot of the table and, if the slot has the tag of the
// state, a record. The processor would wait for each of them in turn. So a sink collects states, sorts them by shard,
// and reads the slots and records of a shard's states one after the other, so that it waits for many at a time; then it
// adds the states one by one. A shard is locked once for all its states.
//
// Invariants, which make a search with batches the same as one without:
//   - The states of a shard are added in the order in which the worker added them, so with one worker the ids, the
//     parents and the order of the search do not depend on the size of a batch.
//   - No worker learns whether a state was new, so it may happen later.
//   - Batches are empty while no worker runs: a worker adds what it has collected before it returns.

const (
	batchStates = 512     // states in a batch
	batchBytes  = 1 << 15 // bytes of states in a batch, about
)

// candidate is a state that waits in a batch.
type candidate struct {
	hash   uint64
	parent ID
	start  uint32 // of its bytes in the batch
	end    uint32
	sleep  uint64
	rank   int
}

// batch is the states that a sink has collected.
type batch struct {
	states []candidate
	bytes  []byte
	sorted []int32 // indices of states, by shard
	read   byte    // keeps the compiler from leaving reads out
}

// collect adds a state to the batch.
func (k *Sink) collect(state []byte, sleep uint64) {
	b := &k.batch
	start := len(b.bytes)
	b.bytes = append(b.bytes, state...)
	b.states = append(b.states, candidate{
		hash: hash(state), parent: k.parent, start: uint32(start), end: uint32(len(b.bytes)), sleep: sleep, rank: k.Rank,
	})
	if len(b.states) >= batchStates || len(b.bytes) >= batchBytes {
		k.flush()
	}
}

// flush adds the states of the batch to the set.
func (k *Sink) flush() {
	b := &k.batch
	var ends [shards]int32
	for i := range b.states {
		ends[shardOf(b.states[i].hash)]++
	}
	at := int32(0)
	for i, n := range ends {
		ends[i] = at
		at += n
	}
	if cap(b.sorted) < len(b.states) {
		b.sorted = make([]int32, len(b.states), max(batchStates, len(b.states)))
	}
	b.sorted = b.sorted[:len(b.states)]
	for i := range b.states {
		sh := shardOf(b.states[i].hash)
		b.sorted[ends[sh]] = int32(i)
		ends[sh]++
	}
	from := int32(0)
	for i, end := range ends {
		if from < end {
			k.flushShard(i, b.sorted[from:end])
		}
		from = end
	}
	b.states, b.bytes = b.states[:0], b.bytes[:0]
}

// flushShard adds the states with these indices, which all belong to one shard.
func (k *Sink) flushShard(index int, list []int32) {
	b, sh := &k.batch, &k.v.shards[index]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if len(list) > 1 && len(sh.table) > 0 {
		for _, i := range list {
			b.read += byte(sh.table[sh.home(b.states[i].hash)])
		}
		for _, i := range list {
			b.read += sh.readAhead(b.states[i].hash)
		}
	}
	for _, i := range list {
		c := &b.states[i]
		id, how := k.v.add(index, b.bytes[c.start:c.end], c.hash, c.parent, c.sleep)
		k.note(id, how, c)
	}
}

// note keeps what became of a state.
func (k *Sink) note(id ID, how addition, c *candidate) {
	switch how {
	case added:
		if k.v.ranked {
			k.fresh = append(k.fresh, ranked{id, c.rank})
		}
	case known:
		k.again(id, c.rank)
	case arrived:
		k.again(id, c.rank)
		k.arrivals = append(k.arrivals, arrival{id, c.sleep})
	}
}
