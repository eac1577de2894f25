package analysis

import (
	"fmt"
	"strings"
	"testing"
)

func TestFootprint(t *testing.T) {
	const dataBase = 0x10000 // the address of the first object
	const x, y, null = dataBase, dataBase + 32, 0
	tests := []struct{ op, want string }{
		{"store.u32 [&x+4] = 1", fmt.Sprint(Bytes{x + 4, x + 8})},
		{"r = load [&y]", fmt.Sprint(Bytes{y, y + 8})},
		{"r = load [&y + 8]", fmt.Sprint(Bytes{y + 8, y + 16})},
		{"r = load [&y + 8 * (r & 1)]", fmt.Sprint(Bytes{y, y + 16})},
		{"r = load [&y + (r % u64 2 << 3)]", fmt.Sprint(Bytes{y, y + 16})},
		{"r = load [&y + (u8)r]", fmt.Sprint(Bytes{y, y + 255 + 8})},
		{"r = load [r == 1 ? &x : &y]", fmt.Sprint(Bytes{x, y + 8})},
		{"r = load [&y + (u8)r] in y", fmt.Sprint(Bytes{y, y + 24})},
		{"r = load [&y + 8 * r] in y", fmt.Sprint(Bytes{y, y + 24})},
		{"r = load [&y + 8 * r]", "anything"},
		{"r = load [r]", "anything"},
		{"r = load [16]", fmt.Sprint(Bytes{null + 16, null + 24})},
		{"r = load [-8]", fmt.Sprint(Bytes{-8, 0})},
		{"r = load [&y + 9223372036854775807 * 2]", "anything"},
		{"lock [&y+8]", fmt.Sprint(Bytes{y, y + 24})},
		{"lock [r]", "anything"},
		{"condwait [&x] mutex [&y]", fmt.Sprint(Bytes{x, x + 8}, Bytes{y, y + 24})},
		{"r = alloc 8", "anything"},
		{"free [r]", "anything"},
		{"fence", "nothing"},
		{"r = 1", "nothing"},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, "object x\nobject y size 24\nfunc f {\n reg r\n a -> b: "+tt.op+"\n}\nthread f\n", nil)
		fp := fs.Footprint(&p.Funcs[0].Edges[0])
		got := strings.Trim(fmt.Sprint(fp.Ranges), "[]")
		switch {
		case fp.Anything:
			got = "anything"
		case len(fp.Ranges) == 0:
			got = "nothing"
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.op, got, tt.want)
		}
	}
}

func TestMayOverlap(t *testing.T) {
	p, fs := factsOf(t, `
object x
object y size 16
func f {
  reg r
  a -> b: store [&x] = 1
  a -> b: store.u32 [&x+4] = 1
  a -> b: store.u32 [&x] = 1
  a -> b: r = load [&y]
  a -> b: r = load [&y + r] in y
  a -> b: r = load [r]
  a -> b: fence
}
thread f
`, nil)
	want := []string{"1110010", "1100010", "1010010", "0001110", "0001110", "1111110", "0000000"}
	for i := range want {
		row := ""
		for j := range want {
			bit := "0"
			if fs.MayOverlap(&p.Funcs[0].Edges[i], &p.Funcs[0].Edges[j]) {
				bit = "1"
			}
			row += bit
		}
		if row != want[i] {
			t.Errorf("edge %d: got %s, want %s", i, row, want[i])
		}
	}
}
