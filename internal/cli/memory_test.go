package cli

import "testing"

func TestHalfOfMemory(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"MemTotal:       16384 kB\nMemFree: 1 kB\n", 8 << 20},
		{"MemFree: 1 kB\n", fallbackMemory},
		{"MemTotal: much kB\n", fallbackMemory},
		{"", fallbackMemory},
	} {
		if got := halfOf(c.text); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
}
