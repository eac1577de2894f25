package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/memory"
)

// TestQueue: entries that come and go anywhere, are undone and come again leave what a slice has that is copied before
// every change.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		q := memory.NewQueue()
		history := [][]memory.Entry{nil} // the buffer before each change and now
		marks := []int{q.S.Mark()}
		for k := range 200 {
			now := history[len(history)-1]
			switch n := r.IntN(10); {
			case n < 4 || len(now) == 0:
				i, e := len(now), memory.Entry{Kind: memory.StoreEntry, Addr: uint64(k), Size: 8}
				if n == 0 {
					i = r.IntN(len(now) + 1)
				}
				q.Push(i, e)
				history = append(history, slices.Insert(slices.Clone(now), i, e))
			case n < 8:
				i := 0
				if n == 4 {
					i = r.IntN(len(now))
				}
				q.Remove(i)
				history = append(history, slices.Delete(slices.Clone(now), i, i+1))
			case n == 8 && r.IntN(8) == 0:
				q.Empty()
				history, marks = [][]memory.Entry{nil}, []int{}
			default:
				keep := r.IntN(len(history))
				q.S.Undo(marks[keep])
				history = history[:keep+1]
			}
			marks = append(marks[:len(history)-1], q.S.Mark())
			if got, want := q.S.Buffer(0), history[len(history)-1]; !slices.Equal(got, want) {
				t.Fatalf("the buffer has %v, want %v", got, want)
			}
		}
	}
}

// TestNormalAfterRemoval: while entries have one size and do not overlap in part, a removal keeps the normal form.
func TestNormalAfterRemoval(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	uniform := 0
	for range 5000 {
		q := memory.NewQueue()
		kinds := 1 + r.IntN(10)
		for i := range 2 + r.IntN(8) {
			e := memory.Entry{Kind: memory.StoreEntry, Addr: uint64(4 * r.IntN(4)), Size: 4, Tag: int32(i)}
			if r.IntN(kinds) > 5 {
				e.Addr, e.Size = uint64(r.IntN(12)), 1<<r.IntN(3)
			}
			q.Push(memory.NormalPosition(q.S.Buffer(0), e), e)
		}
		for len(q.S.Buffer(0)) > 0 && !q.Mixed() {
			uniform++
			q.Remove(r.IntN(len(q.S.Buffer(0)))) // the first of its bytes, or not
			if !memory.IsNormal(q.S.Buffer(0)) {
				t.Fatalf("%v is not normal", q.S.Buffer(0))
			}
		}
	}
	if uniform == 0 {
		t.Error("no removals")
	}
}

// BenchmarkFlush flushes the oldest entry of a buffer and undoes that; only the number of entries after it differs.
func BenchmarkFlush(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			q := memory.NewQueue()
			for i := range n {
				q.Push(i, memory.Entry{Kind: memory.StoreEntry, Addr: 8, Size: 8})
			}
			b.ReportAllocs()
			for b.Loop() {
				mark := q.S.Mark()
				q.Remove(0)
				q.S.Undo(mark)
			}
		})
	}
}
