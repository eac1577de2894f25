package search

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBatches: a sink that adds states in batches stores what a sink that adds each state at once stores, byte for byte,
// and notes the same arrivals and ranks.
func TestBatches(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		sleeps, ranks := seed%2 == 0, seed%4 >= 2
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
				sleep, rank, parent := r.Uint32N(16), r.IntN(5), makeID(r.IntN(shards), r.Uint64N(1000))
				if !sleeps {
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
	k := &Sink{v: newVisited(false), parent: noParent}
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

// BenchmarkAdd adds states: new ones, and known ones all over a large set, in batches and one by one.
func BenchmarkAdd(b *testing.B) {
	const many = 1 << 20
	state := make([]byte, 32)
	add := func(k *Sink, i uint64) {
		binary.LittleEndian.PutUint64(state, i*0x9e3779b97f4a7c15)
		k.Add(state)
	}
	b.Run("new", func(b *testing.B) {
		k := &Sink{v: newVisited(false), parent: noParent}
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
			k := &Sink{v: newVisited(false), parent: noParent}
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
