package rc11

import "testing"

// litmus builds a graph with one event per call, and cells by name.
type litmus struct {
	g     Graph
	cells map[string]int32
}

func newLitmus() *litmus { return &litmus{cells: map[string]int32{}} }

func (l *litmus) add(thread int, kind Kind, mode Mode, cell string, from ...int32) int32 {
	e := Event{Thread: int32(thread), Kind: kind, Mode: mode, From: from}
	if cell != "" {
		if _, ok := l.cells[cell]; !ok {
			l.cells[cell] = int32(len(l.cells))
		}
		e.Cells = []int32{l.cells[cell]}
	}
	l.g.Events = append(l.g.Events, e)
	l.g.Threads = max(l.g.Threads, thread+1)
	l.g.Cells = len(l.cells)
	return int32(len(l.g.Events) - 1)
}

// storeBuffering is SB: both loads read the initial value.
func storeBuffering(store, load, fence Mode) *litmus {
	l := newLitmus()
	for t, names := range [][2]string{{"x", "y"}, {"y", "x"}} {
		l.add(t, Write, store, names[0])
		if fence != ModeUnset {
			l.add(t, Fence, fence, "")
		}
		l.add(t, Read, load, names[1], None)
	}
	return l
}

// messagePassing is MP: the flag is read, and then the old data.
func messagePassing(store, load, before, after Mode) *litmus {
	l := newLitmus()
	l.add(0, Write, Relaxed, "data")
	if before != ModeUnset {
		l.add(0, Fence, before, "")
	}
	flag := l.add(0, Write, store, "flag")
	l.add(1, Read, load, "flag", flag)
	if after != ModeUnset {
		l.add(1, Fence, after, "")
	}
	l.add(1, Read, Relaxed, "data", None)
	return l
}

// independentReads is IRIW: two readers see two writes in different orders.
func independentReads(store, load, fence Mode) *litmus {
	l := newLitmus()
	x := l.add(0, Write, store, "x")
	y := l.add(1, Write, store, "y")
	for t, reads := range [][2]struct {
		cell string
		from int32
	}{{{"x", x}, {"y", None}}, {{"y", y}, {"x", None}}} {
		l.add(2+t, Read, load, reads[0].cell, reads[0].from)
		if fence != ModeUnset {
			l.add(2+t, Fence, fence, "")
		}
		l.add(2+t, Read, load, reads[1].cell, reads[1].from)
	}
	return l
}

// TestClassics: the programs of [LVKHD17] and their variants, with the published answers.
func TestClassics(t *testing.T) {
	loads := newLitmus() // load buffering: forbidden, reads-from and program order have a cycle
	loads.add(0, Read, Relaxed, "x", 3)
	loads.add(0, Write, Relaxed, "y")
	loads.add(1, Read, Relaxed, "y", 1)
	loads.add(1, Write, Relaxed, "x")

	coherence := newLitmus() // CoRR: two reads of one location go backwards
	w := coherence.add(0, Write, Relaxed, "x")
	coherence.add(1, Read, Relaxed, "x", w)
	coherence.add(1, Read, Relaxed, "x", None)

	updates := newLitmus() // two read-modify-writes of one value
	for th := range 2 {
		updates.add(th, Read, Relaxed, "x", None)
		updates.g.Events[updates.add(th, Write, Relaxed, "x")].Update = true
	}

	sequence := newLitmus() // a release sequence goes on through a relaxed read-modify-write of another thread
	sequence.add(0, Write, Plain, "data")
	head := sequence.add(0, Write, Release, "flag")
	sequence.add(1, Read, Relaxed, "flag", head)
	tail := sequence.add(1, Write, Relaxed, "flag")
	sequence.g.Events[tail].Update = true
	sequence.add(2, Read, Acquire, "flag", tail)
	sequence.add(2, Read, Plain, "data", None)

	same := newLitmus() // but not through a later store of the same thread, as C++20 has it
	same.add(0, Write, Relaxed, "data")
	same.add(0, Write, Release, "flag")
	later := same.add(0, Write, Relaxed, "flag")
	same.add(1, Read, Acquire, "flag", later)
	same.add(1, Read, Relaxed, "data", None)

	for _, test := range []struct {
		name string
		l    *litmus
		want bool
	}{
		{"SB relaxed", storeBuffering(Relaxed, Relaxed, ModeUnset), true},
		{"SB release acquire", storeBuffering(Release, Acquire, ModeUnset), true},
		{"SB seq_cst", storeBuffering(SeqCst, SeqCst, ModeUnset), false},
		{"SB fences", storeBuffering(Relaxed, Relaxed, SeqCst), false},
		{"SB weak fences", storeBuffering(Relaxed, Relaxed, AcqRel), true},
		{"MP relaxed", messagePassing(Relaxed, Relaxed, ModeUnset, ModeUnset), true},
		{"MP release only", messagePassing(Release, Relaxed, ModeUnset, ModeUnset), true},
		{"MP release acquire", messagePassing(Release, Acquire, ModeUnset, ModeUnset), false},
		{"MP fences", messagePassing(Relaxed, Relaxed, Release, Acquire), false},
		{"MP release fence, acquire", messagePassing(Relaxed, Acquire, Release, ModeUnset), false},
		{"MP plain flag", messagePassing(Plain, Acquire, Release, ModeUnset), true},
		{"IRIW release acquire", independentReads(Release, Acquire, ModeUnset), true},
		{"IRIW seq_cst", independentReads(SeqCst, SeqCst, ModeUnset), false},
		{"IRIW fences", independentReads(Relaxed, Relaxed, SeqCst), false},
		{"IRIW seq_cst fences would not do on POWER with weak ones", independentReads(Relaxed, Relaxed, AcqRel), true},
		{"LB", loads, false},
		{"CoRR", coherence, false},
		{"two updates", updates, false},
		{"release sequence", sequence, false},
		{"later store", same, true},
	} {
		var s Solver
		if got := s.Consistent(&test.l.g, nil); got != test.want {
			t.Errorf("%s: consistent %v, want %v", test.name, got, test.want)
		}
	}
}

// TestLast: with seq_cst writers x=1; y=2 || y=1; x=2, either variable may end with 1, but not both.
func TestLast(t *testing.T) {
	for _, test := range []struct {
		mode Mode
		both bool
	}{{SeqCst, false}, {Relaxed, true}} {
		l := newLitmus()
		x1 := l.add(0, Write, test.mode, "x")
		l.add(0, Write, test.mode, "y")
		y1 := l.add(1, Write, test.mode, "y")
		l.add(1, Write, test.mode, "x")
		var s Solver
		ends := func(last ...Last) bool { return s.Consistent(&l.g, last) }
		x, y := Last{l.cells["x"], x1}, Last{l.cells["y"], y1}
		if !ends(x) || !ends(y) || ends(x, y) != test.both {
			t.Errorf("mode %d: x %v, y %v, both %v", test.mode, ends(x), ends(y), ends(x, y))
		}
		count := 0
		s.All(&l.g, nil, func() bool { count++; return true })
		if want := map[bool]int{true: 4, false: 3}[test.both]; count != want {
			t.Errorf("mode %d: %d orders, want %d", test.mode, count, want)
		}
	}
}
