package source

import "testing"

func TestPositions(t *testing.T) {
	f := NewFile("f", []byte("ab\ncd\r\n\nlast"))
	for _, c := range []struct {
		offset, line, col int
	}{{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {7, 3, 1}, {8, 4, 1}, {12, 4, 5}, {99, 4, 5}, {-1, 1, 1}} {
		if p := f.Pos(c.offset); p.Line != c.line || p.Col != c.col {
			t.Errorf("offset %d is %s, want %d:%d", c.offset, p, c.line, c.col)
		}
	}
	for n, want := range map[int]string{0: "", 1: "ab", 2: "cd", 3: "", 4: "last", 5: ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
	if got := f.Slice(f.Span(1, 5)); got != "b\ncd" {
		t.Errorf("slice %q", got)
	}
	if got := f.Slice(Span{}); got != "" {
		t.Errorf("slice of nothing %q", got)
	}
	if p := (Pos{File: "f"}); p.String() != "f" || p.IsValid() {
		t.Errorf("no place: %s", p)
	}
}

// Appending to a file's text must not write into what follows it in memory.
func TestTextIsClipped(t *testing.T) {
	all := []byte("programexpect")
	f := NewFile("f", all[:7])
	_ = append(f.Text, "XXXXXX"...)
	if string(all) != "programexpect" {
		t.Errorf("the neighbour became %q", all)
	}
}
