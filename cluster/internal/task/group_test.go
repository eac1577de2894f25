package task

import (
	"math/rand"
	"slices"
	"testing"
)

func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		var parts [][]byte
		var want []string
		for range rng.Intn(30) {
			p := make([]byte, 1+rng.Intn(500))
			rng.Read(p)
			parts = append(parts, p)
			want = append(want, string(p))
		}
		n := 1 + rng.Intn(8)
		groups, err := Group(parts, n, 2000)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range groups {
			if len(g) > 2000 {
				t.Errorf("a group has %d bytes", len(g))
			}
			list, err := Split(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range list {
				got = append(got, string(p))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%d parts came back as %d", len(want), len(got))
		}
	}
	if _, err := Group([][]byte{make([]byte, 10)}, 1, 5); err == nil {
		t.Error("a part that is too large is accepted")
	}
	for _, bad := range [][]byte{nil, {1, 2, 3}} {
		if _, err := Split(bad); err == nil {
			t.Errorf("%v is taken for a group", bad)
		}
	}
	empty, err := Join()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Split(empty); err == nil {
		t.Error("an empty group is accepted")
	}
}
