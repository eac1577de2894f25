package editdistance

import "testing"

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"model", "model", 0}, {"mdoel", "model", 1}, {"mode", "model", 1}, {"modell", "model", 1}, {"nodel", "model", 1}, {"", "abc", 3}, {"html", "json", 4}} {
		if got := Between(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Between(c.b, c.a); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
