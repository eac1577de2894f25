package task

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

func TestRecordsComeBack(t *testing.T) {
	r := &Record{Part: json.RawMessage(`{"n":3}`), Executions: 3, Over: true, Pending: [][]byte{[]byte("a"), bytes.Repeat([]byte("b"), 5000)}}
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	if string(back.Part) != string(r.Part) || back.Executions != 3 || !back.Over || len(back.Pending) != 2 || !bytes.Equal(back.Pending[1], r.Pending[1]) {
		t.Errorf("got %+v", back)
	}
	for n := range data {
		if _, err := DecodeRecord(data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a record", n, len(data))
		}
	}
	if _, err := DecodeRecord(append(data, 0)); err == nil {
		t.Error("a byte after the end is accepted")
	}
}

func TestLimits(t *testing.T) {
	if _, err := (&Record{Pending: [][]byte{make([]byte, MaxTask+1)}}).Encode(); err == nil {
		t.Error("a task that is too large is encoded")
	}
	if _, err := (&Record{Pending: make([][]byte, MaxPending+1)}).Encode(); err == nil {
		t.Error("too many tasks are encoded")
	}
	for _, r := range []*Record{{Pending: [][]byte{make([]byte, MaxTask+1)}}, {Pending: make([][]byte, MaxPending+1)}} {
		data, err := Pack(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeRecord(data); err == nil {
			t.Error("a record over the limits is decoded")
		}
	}
	bomb, err := Pack(strings.Repeat("x", 10_000))
	if err != nil {
		t.Fatal(err)
	}
	var s string
	if err := Unpack(bomb, 1000, &s); err == nil || !strings.Contains(err.Error(), "larger than 1000 bytes") {
		t.Errorf("got %v", err)
	}
}

// TestTree adds the records of random trees in random order, some twice, together with records that the root
// does not lead to.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		records := map[ID]*Record{}
		next, total := 0, int64(0)
		var grow func(name string, depth int, counts bool)
		grow = func(name string, depth int, counts bool) {
			r := &Record{Executions: rng.Int63n(10)}
			if counts {
				total += r.Executions
			}
			for range rng.Intn(4 - min(depth, 3)) {
				next++
				child := fmt.Sprint(next)
				r.Pending = append(r.Pending, []byte(child))
				grow(child, depth+1, counts)
			}
			records[NameOf([]byte(name))] = r
		}
		grow("root", 0, true)
		reachable := len(records)
		grow("stray", 1, false)
		ids := make([]ID, 0, 2*len(records))
		for id := range records {
			ids = append(ids, id)
			if rng.Intn(3) == 0 {
				ids = append(ids, id)
			}
		}
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		tree := NewTree(NameOf([]byte("root")))
		added := map[ID]bool{}
		for _, id := range ids {
			sum, err := tree.Sum()
			if err != nil {
				t.Fatal(err)
			}
			if len(sum.Missing) == 0 && len(sum.Records) != reachable {
				t.Fatalf("complete with %d of %d records", len(sum.Records), reachable)
			}
			tree.Add(id, records[id])
			added[id] = true
		}
		if _, open := tree.Tasks(); open != 0 {
			t.Fatalf("%d open tasks", open)
		}
		sum, err := tree.Sum()
		if err != nil || len(sum.Missing) > 0 || len(sum.Records) != reachable {
			t.Fatalf("got %d records, %d missing, %v", len(sum.Records), len(sum.Missing), err)
		}
		var got int64
		for _, r := range sum.Records {
			got += r.Executions
		}
		if got != total {
			t.Fatalf("%d executions, want %d", got, total)
		}
	}
}

func TestTreeRefusesTwice(t *testing.T) {
	tree := NewTree(NameOf([]byte("root")))
	tree.Add(NameOf([]byte("root")), &Record{Pending: [][]byte{[]byte("a"), []byte("b")}})
	tree.Add(NameOf([]byte("a")), &Record{Pending: [][]byte{[]byte("b")}})
	tree.Add(NameOf([]byte("b")), &Record{})
	if _, err := tree.Sum(); err == nil {
		t.Error("a task that two records leave is accepted")
	}
}

// TestAtLeast: what is left counts once for each task, and never as if the whole were nearly known.
func TestAtLeast(t *testing.T) {
	tree := NewTree(NameOf([]byte("root")))
	if got := tree.AtLeast(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
	tree.Add(NameOf([]byte("root")), &Record{Executions: 10, Share: 0.9, Pending: [][]byte{[]byte("a"), []byte("b")}})
	if got := tree.AtLeast(); got != 12 {
		t.Errorf("got %d, want 12", got)
	}
	tree.Add(NameOf([]byte("a")), &Record{Executions: 14, Share: 0.05, Pending: [][]byte{[]byte("c")}})
	tree.Add(NameOf([]byte("b")), &Record{Executions: 12, Share: 0.04})
	if got := tree.AtLeast(); got != 37 {
		t.Errorf("got %d, want 37", got)
	}
	tree.Add(NameOf([]byte("c")), &Record{Executions: 500, Share: 0.01})
	if got := tree.AtLeast(); got != 536 {
		t.Errorf("got %d, want 536", got)
	}
}
