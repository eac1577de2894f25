package irtext

import (
	"testing"

	"fencepost/internal/ir"
)

// TestLayoutNames: parts are called as the program calls them.
func TestLayoutNames(t *testing.T) {
	p, diags := Parse("l.ir", []byte(`program l structured
object n size 24 layout record 24 { next 0 ptr, v 8 array 2 s32, m 16 opaque 8 }
object a size 12 layout array 2 array 3 u16
object u size 8 layout record 8 { word 0 u64, "" 0 record 8 { lo 0 u32, hi 4 u32 } }
func f {
  a -> b: spawn [&&f](self)
  b -> c: free [&n]
}
thread f
`))
	if diags.HasErrors() {
		t.Fatal(listing(diags))
	}
	roundTrip(t, p)
	for _, c := range []struct {
		obj       int
		off, size int64
		want, at  string
	}{
		{0, 0, 8, "n.next", ""}, {0, 12, 4, "n.v[1]", ".v[1]"}, {0, 8, 8, "n.v.bytes[0..7]", ".v"},
		{0, 16, 8, "n.m", ".m"}, {0, 20, 1, "n.m", ".m.bytes[4]"}, {0, 4, 8, "n.bytes[4..11]", ".next.bytes[4]"},
		{1, 0, 2, "a[0][0]", ""}, {1, 10, 2, "a[1][2]", "[1][2]"}, {1, 6, 1, "a[1][0].byte[0]", "[1]"},
		{2, 0, 8, "u.word", ""}, {2, 4, 4, "u.hi", ".word.bytes[4]"}, {2, 6, 1, "u.word.byte[6]", ".word.bytes[6]"},
	} {
		o := &p.Objects[c.obj]
		if got := p.LocationName(o.Addr+uint64(c.off), int(c.size)); got != c.want {
			t.Errorf("%s+%d, %d bytes: %s, want %s", o.Name, c.off, c.size, got, c.want)
		}
		if got := o.Layout.At(c.off); got != c.at {
			t.Errorf("%s+%d: %s, want %s", o.Name, c.off, got, c.at)
		}
	}
}

// TestVerifyLayouts: a layout that reaches beyond its object or itself is refused.
func TestVerifyLayouts(t *testing.T) {
	for _, text := range []string{
		"object n size 8 layout array 2 u64",
		"object n size 8 layout record 8 { a 4 u64 }",
		"object n size 8 layout array 4611686018427387904 u64",
		"object n size 8 layout opaque -1",
	} {
		p, diags := Parse("l.ir", []byte("program l structured\n"+text+"\nfunc f {\n a -> b: nop\n}\nthread f\n"))
		if diags.HasErrors() {
			t.Fatal(listing(diags))
		}
		if ir.Verify(p) == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}
