package memory

import (
	"slices"
	"testing"

	"fencepost/internal/ir/irtext"
)

// TestChanged: every kind of change names the parts that it may change, by itself. In executions of programs some kinds
// come only with others of the same thread, so that comparing encodings does not show them.
func TestChanged(t *testing.T) {
	p, diags := irtext.Parse("changed.ir", []byte(`program changed flat
object x size 8
object y size 8
func f() {
  reg r
  L0 -> L1: r = load [&x]
  L1 -> L2: store [&y] = r
}
thread a = f()
thread b = f()
`))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	y := New(p, TSO, Options{})
	c := y.Codec().ByElement()
	const a, b, x, second, rest = 0, 1, 2, 3, 4
	if c.Parts() != rest+1 {
		t.Fatalf("%d parts", c.Parts())
	}
	at := slices.Index(y.static.unitAt, 1) // where the second element of memory begins
	for _, k := range []struct {
		name   string
		change func(*State)
		want   []int
	}{
		{"nothing", func(*State) {}, nil},
		{"location", func(s *State) { s.setPC(b, 1) }, []int{b}},
		{"register", func(s *State) { s.setReg(y.threads[b].regBase, 7) }, []int{b}},
		{"status", func(s *State) { s.setStatus(a, condWaiting) }, []int{a}},
		{"edge of a wait", func(s *State) { s.setWait(b, 1) }, []int{b}},
		{"result", func(s *State) { s.setResult(b, 1) }, []int{b}},
		{"memory", func(s *State) { s.setMem(at, 8, 1) }, []int{second}},
		{"memory of both", func(s *State) { s.setMem(at-4, 8, 1) }, []int{x, second}},
		{"holder", func(s *State) { s.setHolder(b) }, []int{b, rest}},
		{"no holder any more", func(s *State) { s.setHolder(-1) }, []int{a, rest}},
		{"another holder", func(s *State) { s.setHolder(b); s.setHolder(a) }, []int{a, b, rest}},
		{"next block", func(s *State) { s.setFresh(a, 16) }, []int{rest}},
		{"entry of a buffer", func(s *State) { s.push(b, 0, Entry{Addr: 8, Size: 8}) }, []int{b}},
		{"no entry any more", func(s *State) { s.remove(a, 0) }, []int{a}},
	} {
		s := y.NewState()
		s.push(a, 0, Entry{Addr: 8, Size: 8})
		if k.name == "no holder any more" {
			s.setHolder(a)
		}
		mark, out := s.Mark(), NewPartSet(c.Parts())
		k.change(s)
		c.Changed(s, mark, out)
		var got []int
		for i := out.Next(0); i >= 0; i = out.Next(i + 1) {
			got = append(got, i)
		}
		if !slices.Equal(got, k.want) {
			t.Errorf("%s: parts %v, want %v", k.name, got, k.want)
		}
		s.Undo(mark)
		c.Changed(s, mark, out)
		if out.Next(0) >= 0 {
			t.Errorf("%s: part %d has changed after Undo", k.name, out.Next(0))
		}
	}
}
