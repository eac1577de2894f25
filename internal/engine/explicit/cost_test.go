package explicit

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/search"
)

// withOthers is a thread that stores to a variable and loads it, beside others that have a variable each and do not
// move.
func withOthers(tb testing.TB, others int) *system {
	var b strings.Builder
	b.WriteString("program others flat\nobject x\n")
	for i := range others {
		fmt.Fprintf(&b, "object y%d\n", i)
	}
	b.WriteString("func mover() {\n  reg r\n  0 -> 1: store [&x] = 1 in x\n  1 -> 2: r = load [&x] in x\n}\n")
	for i := range others {
		fmt.Fprintf(&b, "func other%d() {\n  0 -> 1: store [&y%d] = %d in y%d\n}\n", i, i, i, i)
	}
	b.WriteString("thread mover = mover()\n")
	for i := range others {
		fmt.Fprintf(&b, "thread other%d = other%d()\n", i, i)
	}
	p, diags := irtext.Parse("test", []byte(b.String()))
	if diags.HasErrors() {
		tb.Fatal(diags.All)
	}
	return compile(&engine.Task{Program: p, Props: &property.Set{Checks: true}, Model: memory.TSO}, false, nil)
}

// internerFor returns an interner if the search would use one.
func internerFor(y *system) *search.Interner {
	if !worthInterning(y) {
		return nil
	}
	return search.NewInterner(new(atomic.Int64))
}

// firstStep returns the step of the thread that moves.
func firstStep(tb testing.TB, y *system, s *memory.State) memory.Step {
	for _, st := range y.mem.Enabled(s, nil) {
		if st.Thread == 0 {
			return st
		}
	}
	tb.Fatal("the thread cannot move")
	panic("unreachable")
}

// TestChangedParts: as many parts of a state are encoded after a step as the step changes, however many others there
// are.
func TestChangedParts(t *testing.T) {
	counts := map[int]int{}
	for _, others := range []int{0, 10, 100} {
		y := withOthers(t, others)
		s, c := y.mem.NewState(), newCodec(y, nil)
		c.unpack(s, c.packWhole(s, nil))
		y.mem.Apply(s, firstStep(t, y, s))
		c.pack(s, nil)
		for i := c.changed.Next(0); i >= 0; i = c.changed.Next(i + 1) {
			counts[others]++
		}
	}
	if counts[0] == 0 || counts[10] != counts[0] || counts[100] != counts[0] {
		t.Errorf("parts that are encoded, by the number of other threads: %v", counts)
	}
}

// BenchmarkOthers takes a step, makes the key of the state and takes the step back. What varies is the number of other
// threads and variables. A search that does not know what a step has changed makes keys whole.
func BenchmarkOthers(b *testing.B) {
	for _, others := range []int{0, 10, 100} {
		for _, how := range []string{"changed", "whole"} {
			b.Run(fmt.Sprintf("%s/%d", how, others), func(b *testing.B) {
				y := withOthers(b, others)
				s, c := y.mem.NewState(), newCodec(y, internerFor(y))
				c.unpack(s, c.packWhole(s, nil))
				st := firstStep(b, y, s)
				var key []byte
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					mark := s.Mark()
					y.mem.Apply(s, st)
					if how == "changed" {
						key = c.pack(s, key[:0])
					} else {
						key = c.packWhole(s, key[:0])
					}
					s.Undo(mark)
				}
			})
		}
	}
}

// BenchmarkNext decodes one of two states that differ by a step, after the other. What varies is the number of other
// threads and variables. A search that does not know what it has decoded before decodes anew.
func BenchmarkNext(b *testing.B) {
	for _, others := range []int{0, 10, 100} {
		for _, how := range []string{"changed", "anew"} {
			b.Run(fmt.Sprintf("%s/%d", how, others), func(b *testing.B) {
				y := withOthers(b, others)
				s, c := y.mem.NewState(), newCodec(y, internerFor(y))
				keys := [][]byte{c.packWhole(s, nil)}
				y.mem.Apply(s, firstStep(b, y, s))
				keys = append(keys, c.packWhole(s, nil))
				s = y.mem.NewState()
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					if how == "anew" {
						c.based = false
					}
					c.unpack(s, keys[i%2])
				}
			})
		}
	}
}

// TestLargeBlocks: a large block of which steps change a word costs a state what that word does: with 64 times as many
// bytes, a search stores little more.
func TestLargeBlocks(t *testing.T) {
	stored := func(size int) (states, bytes int64) {
		var b strings.Builder
		fmt.Fprintf(&b, "program large flat\nobject p\nobject ready\nfunc f() {\n  reg q\n  reg r\n  0 -> 1: q = alloc %d\n  1 -> 2: store [&p] = q in p\n  2 -> 3: fence\n", size)
		b.WriteString("  3 -> 4: store [&ready] = 1 in ready\n")
		change := func(from int) {
			for k := range 6 {
				fmt.Fprintf(&b, "  %d -> %d: store [q + %d] = %d\n", from+k, from+k+1, 8*(k%2)+size/2, k+1)
			}
			b.WriteString("}\n")
		}
		change(4)
		b.WriteString("func g() {\n  reg q\n  reg r\n  0 -> 1: r = load [&ready] in ready\n  1 -> 2: assume r == 1\n  2 -> 4: q = load [&p] in p\n")
		change(4)
		b.WriteString("thread f = f()\nthread g = g()\n")
		p, diags := irtext.Parse("test", []byte(b.String()))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		x, err := newSearch(&engine.Task{Program: p, Props: &property.Set{Checks: true}, Model: memory.TSO, Limits: engine.Limits{Workers: 1}}, false)
		if err != nil {
			t.Fatal(err)
		}
		x.Explore(context.Background())
		return x.res.States, x.res.Bytes
	}
	states, small := stored(1 << 10)
	more, large := stored(1 << 16)
	if states < 200 || more != states {
		t.Errorf("%d states, with a large block %d", states, more)
	}
	if large-small > 4<<16+states*64 {
		t.Errorf("%d states take %d bytes with a block of 1 KB, %d with one of 64 KB", states, small, large)
	}
	t.Logf("%d states: %d bytes with a block of 1 KB, %d with one of 64 KB", states, small, large)
}
