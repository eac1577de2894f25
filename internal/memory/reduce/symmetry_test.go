package reduce_test

import (
	"bytes"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
)

const twins = "var x;\nthread a { reg r; r = x; x = r + 1; }\nthread b { reg r; r = x; x = r + 1; }\nthread c { reg r; r = x; x = r + 1; }\n"

// apply takes the only step of each thread of a list, in order.
func apply(t *testing.T, y *memory.System, s *memory.State, threads ...int) {
	t.Helper()
	for _, th := range threads {
		steps := y.EnabledEdges(s, th, nil)
		if len(steps) != 1 {
			t.Fatalf("thread %d has %d steps", th, len(steps))
		}
		y.Apply(s, steps[0])
	}
}

// TestSymmetricStates: states that differ in which thread of a group is which encode the same,
// others do not, and threads outside of groups are not exchanged.
func TestSymmetricStates(t *testing.T) {
	y := memory.New(read(t, "test.fp", twins), memory.TSO, memory.Options{Keep: keepAll})
	all := reduce.NewSymmetry(y, [][]ir.ThreadID{{0, 1, 2}})
	two := reduce.NewSymmetry(y, [][]ir.ThreadID{{0, 1}})
	none := reduce.NewSymmetry(y, nil)
	for _, c := range []struct {
		one, other         []int // whose steps lead to the states
		all, two, unsorted bool  // whether the states encode the same
	}{
		{[]int{0}, []int{0}, true, true, true},
		{[]int{0}, []int{1}, true, true, false},
		{[]int{0}, []int{2}, true, false, false},
		{[]int{0, 0, 1}, []int{1, 1, 0}, true, true, false},
		{[]int{0, 0, 1}, []int{2, 2, 1}, true, false, false},
		{[]int{0, 1}, []int{0, 0}, false, false, false},
		{[]int{0}, []int{0, 1}, false, false, false},
	} {
		code := func(m *reduce.Symmetry, threads []int) []byte {
			s := y.NewState()
			apply(t, y, s, threads...)
			return m.Encode(s, nil)
		}
		for i, m := range []struct {
			by   *reduce.Symmetry
			want bool
		}{{all, c.all}, {two, c.two}, {none, c.unsorted}} {
			if got := bytes.Equal(code(m.by, c.one), code(m.by, c.other)); got != m.want {
				t.Errorf("steps of %v and %v encode the same with groups %d: %v, want %v", c.one, c.other, i, got, m.want)
			}
		}
	}
	if len(all.Groups()) != 1 || len(none.Groups()) != 0 {
		t.Errorf("groups %v and %v", all.Groups(), none.Groups())
	}
	s := y.NewState()
	apply(t, y, s, 1)
	if !bytes.Equal(none.Encode(s, nil), y.Codec().Encode(s, nil)) {
		t.Error("without groups the encoding differs from that of memory")
	}
}

// TestSymmetricDecoding: a state that is decoded, whole or in parts, encodes as before, with as
// many steps enabled, and the section is held by the thread that it belongs to.
func TestSymmetricDecoding(t *testing.T) {
	text := "var x;\nthread a { reg r; atomic { r = x; x = r + 1; } }\nthread b { reg r; atomic { r = x; x = r + 1; } }\nthread c { reg r; r = x; }\n"
	y := memory.New(read(t, "test.fp", text), memory.TSO, memory.Options{Keep: keepAll})
	m := reduce.NewSymmetry(y, [][]ir.ThreadID{{0, 1}})
	held := 0
	for _, threads := range [][]int{{}, {0}, {1}, {1, 1}, {0, 0, 0}, {1, 1, 1, 1}, {0, 0, 0, 0, 1, 1}, {2, 1}} {
		s := y.NewState()
		for _, th := range threads {
			steps := y.EnabledThread(s, th, nil)
			if len(steps) == 0 {
				t.Fatalf("%v: thread %d is stuck", threads, th)
			}
			y.Apply(s, steps[0])
		}
		code := m.Encode(s, nil)

		whole := y.NewState()
		m.Decode(whole, code)
		parts := y.NewState()
		m.Reset(parts)
		for i := range m.Parts() {
			m.DecodePart(parts, i, m.EncodePart(s, i, nil))
		}
		for name, got := range map[string]*memory.State{"whole": whole, "in parts": parts} {
			if !bytes.Equal(m.Encode(got, nil), code) {
				t.Errorf("%v: decoded %s it encodes differently", threads, name)
			}
			if a, b := len(y.Enabled(s, nil)), len(y.Enabled(got, nil)); a != b {
				t.Errorf("%v: %d steps before, %d after it is decoded %s", threads, a, b, name)
			}
			if (got.Holder() >= 0) != (s.Holder() >= 0) {
				t.Errorf("%v: thread %d holds the section, decoded %s thread %d", threads, s.Holder(), name, got.Holder())
			}
			if h := got.Holder(); h >= 0 {
				held++
				if n := len(y.EnabledEdges(got, h, nil)); n == 0 {
					t.Errorf("%v: decoded %s the section is held by thread %d, which cannot go on", threads, name, h)
				}
			}
		}
		if parts.Holder() != s.Holder() {
			t.Errorf("%v: parts are not sorted, but thread %d holds the section instead of %d", threads, parts.Holder(), s.Holder())
		}
	}
	if held == 0 {
		t.Error("the section is never held")
	}
}
