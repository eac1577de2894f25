package lin

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/memory"
	"fencepost/query"
)

// TestMonitor compares the judgement of histories with the table of all sequences, on random objects: results of real
// sequences, some changed, with random reads at other threads.
func TestMonitor(t *testing.T) {
	right, wrong := 0, 0
	for seed := range uint64(*objects) {
		r := rand.New(rand.NewPCG(seed, 7))
		ops := randomObject(r)
		in := query.Input{Name: "object.h", Text: []byte(text(ops, "relaxed"))}
		may := int64(r.IntN(3))
		object := &Object{Ops: []*Operation{{Name: "op0", Result: "int"}, {Name: "op1", Result: "int", MayFail: &may}}}
		q := &question{in: in, object: object}
		s, err := q.search(context.Background(), memory.SC)
		if err != nil {
			t.Fatal(err)
		}
		c := newLargeClient(r, object, 4, 4, false)
		m, err := s.spec.newMonitor(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		table, err := s.spec.table(context.Background(), &c.client, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			values := slices.Clone(table.finals[r.IntN(len(table.finals))].results)
			if r.IntN(2) == 0 {
				values[r.IntN(len(values))] += int64(r.IntN(3) - 1)
			}
			o, results := c.programOrder(), len(values)
			for n, reads := range c.reads {
				for _, u := range reads {
					// What is seen grows in every thread, and no thread has seen more.
					k := r.IntN(len(c.threads[u]) + 1)
					if k > 0 && (o.has(n, m.first[u]+k-1) || n == m.first[u]+k-1) {
						k = 0
					}
					if k > 0 {
						o = o.with(m.first[u]+k-1, n)
					}
					values = append(values, int64(k))
				}
			}
			legal, err := s.spec.explanations(context.Background(), &c.client, values[:results])
			if err != nil {
				t.Fatal(err)
			}
			want := slices.ContainsFunc(legal, func(q sequence) bool { return !o.contradicts(q) })
			if got := m.right(values); got != want {
				t.Fatalf("seed %d: %v, want %v: %v\n%s\n%s", seed, got, want, values, in.Text, &c.client)
			}
			if want {
				right++
			} else {
				wrong++
			}
		}
	}
	t.Logf("%d histories right, %d wrong", right, wrong)
	if right < *objects || wrong < *objects {
		t.Errorf("%d histories right, %d wrong: the test compares little", right, wrong)
	}
}
