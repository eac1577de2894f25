package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBatches: a sink that adds states in batches stores what a sink that adds each state at once stores, byte for byte,
// and notes the same arrivals and ranks.
func TestBatches(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		sleeps, ranks := []int{0, 4, 64}[seed%3], seed%4 >= 2
		var sinks [2]*Sink
		for i := range sinks {
			sinks[i] = &Sink{v: newVisited(sleeps), parent: noParent}
			sinks[i].v.ranked = ranks
		}
		most := []int{3, 40, 1000, 30000}[r.IntN(4)]
		for level := range 4 {
			for range r.IntN(6000) {
				state := binary.AppendUvarint(nil, uint64(r.IntN(most)))
				state = append(state, make([]byte, 100*r.IntN(2)*(int(state[0])%3))...)
				sleep, rank, parent := r.Uint64N(16), r.IntN(5), makeID(r.IntN(shards), r.Uint64N(1000))
				if sleeps == 0 {
					sleep = 0
				}
				for i, k := range sinks {
					k.Rank, k.parent = rank, parent
					k.AddAsleep(state, sleep)
					if i == 0 {
						k.flush()
					}
				}
			}
			sinks[1].flush()
			compareSinks(t, seed, level, sinks[0], sinks[1])
			for _, k := range sinks {
				for i := range k.v.shards {
					k.v.level[i] = k.v.shards[i].end()
				}
				k.arrivals = k.arrivals[:0]
			}
		}
	}
}

func compareSinks(t *testing.T, seed uint64, level int, one, many *Sink) {
	t.Helper()
	for i := range one.v.shards {
		a, b := &one.v.shards[i], &many.v.shards[i]
		if a.count != b.count || !slices.EqualFunc(a.chunks, b.chunks, bytes.Equal) || !slices.Equal(a.table, b.table) {
			t.Fatalf("seed %d, level %d: shard %d has %d states instead of %d, or others", seed, level, i, b.count, a.count)
		}
	}
	// Batches are sorted by shard, and the notes about one state stay in order.
	if !slices.Equal(byShard(one.arrivals, arrival.in), byShard(many.arrivals, arrival.in)) ||
		!slices.Equal(byShard(one.fresh, ranked.in), byShard(many.fresh, ranked.in)) ||
		!slices.Equal(byShard(one.known, ranked.in), byShard(many.known, ranked.in)) {
		t.Fatalf("seed %d, level %d: other arrivals or ranks", seed, level)
	}
}

func (a arrival) in() int { return a.id.shard() }
func (r ranked) in() int  { return r.id.shard() }

func byShard[T any](list []T, in func(T) int) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return in(a) - in(b) })
	return list
}

// TestGrowth: tables grow by their slots, and every state is still found.
func TestGrowth(t *testing.T) {
	k := &Sink{v: newVisited(0), parent: noParent}
	state := make([]byte, 8)
	for round := range 2 {
		for i := range uint64(300000) {
			binary.LittleEndian.PutUint64(state, i*0x9e3779b97f4a7c15)
			k.Add(state)
		}
		k.flush()
		if k.v.states() != 300000 {
			t.Fatalf("round %d: %d states", round, k.v.states())
		}
	}
	for i := range k.v.shards {
		sh := &k.v.shards[i]
		if len(sh.table) != 1<<sh.bits || sh.count*4 > len(sh.table)*tableShare {
			t.Errorf("shard %d: %d states in a table of %d and %d bits", i, sh.count, len(sh.table), sh.bits)
		}
	}
}

// reads counts the slots and the records that are read to find out whether a state is there.
func (v *visited) reads(state []byte) (slots, records int) {
	h := hash(state)
	sh := &v.shards[shardOf(h)]
	for i := sh.home(h); ; i = (i + 1) & uint64(len(sh.table)-1) {
		slots++
		slot := sh.table[i]
		if slot == 0 {
			return
		}
		if slot&tagMask == tagOf(h) {
			if records++; v.holds(sh, slot&^tagMask-1, state) {
				return
			}
		}
	}
}

// TestReadOnce: to look up a state that is there, its own record is read and no other, and to look up a new
// one none is; beside that a few slots next to each other. It does not depend on how many states there are.
func TestReadOnce(t *testing.T) {
	state := make([]byte, 8)
	numbered := func(i int) []byte {
		binary.LittleEndian.PutUint64(state, uint64(i)*0x9e3779b97f4a7c15)
		return state
	}
	k := &Sink{v: newVisited(0), parent: noParent}
	n := 0
	for _, size := range []int{1 << 10, 1 << 14, 1 << 18} {
		for ; n < size; n++ {
			k.Add(numbered(n))
		}
		k.flush()
		const lookups = 1 << 10
		var slots, records [2]int
		for i := range lookups {
			for j, number := range []int{i, size + i} {
				s, r := k.v.reads(numbered(number))
				slots[j], records[j] = slots[j]+s, records[j]+r
			}
		}
		t.Logf("%d states: %d look-ups of known ones read %d slots and %d records, of new ones %d and %d", size, lookups, slots[0], records[0], slots[1], records[1])
		// Tags have 28 bits less those of the home, so a few records of others may be read.
		if records[0] < lookups || records[0] > lookups+lookups/100 || records[1] > lookups/100 || slots[0] > 4*lookups || slots[1] > 10*lookups {
			t.Errorf("%d states: %d look-ups of known ones read %d slots and %d records, of new ones %d and %d", size, lookups, slots[0], records[0], slots[1], records[1])
		}
	}
}

// BenchmarkKnown looks up known states in batches. What varies is how many there are.
func BenchmarkKnown(b *testing.B) {
	state := make([]byte, 32)
	for _, many := range []uint64{1 << 10, 1 << 15, 1 << 20} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			k := &Sink{v: newVisited(0), parent: noParent}
			add := func(i uint64) {
				binary.LittleEndian.PutUint64(state, i*0x9e3779b97f4a7c15)
				k.Add(state)
			}
			for i := range many {
				add(i)
			}
			k.flush()
			r := rand.New(rand.NewPCG(1, 1))
			b.ResetTimer()
			for range b.N {
				add(r.Uint64N(many))
			}
		})
	}
}

// BenchmarkAdd adds states: new ones, and known ones all over a large set, in batches and one by one.
func BenchmarkAdd(b *testing.B) {
	const many = 1 << 20
	state := make([]byte, 32)
	add := func(k *Sink, i uint64) {
		binary.LittleEndian.PutUint64(state, i*0x9e3779b97f4a7c15)
		k.Add(state)
	}
	b.Run("new", func(b *testing.B) {
		k := &Sink{v: newVisited(0), parent: noParent}
		b.ReportAllocs()
		for i := range b.N {
			add(k, uint64(i))
		}
	})
	for _, one := range []bool{false, true} {
		name := "known/batches"
		if one {
			name = "known/one by one"
		}
		b.Run(name, func(b *testing.B) {
			k := &Sink{v: newVisited(0), parent: noParent}
			for i := range uint64(many) {
				add(k, i)
			}
			k.flush()
			r := rand.New(rand.NewPCG(1, 1))
			b.ResetTimer()
			for range b.N {
				add(k, r.Uint64N(many))
				if one {
					k.flush()
				}
			}
		})
	}
}
