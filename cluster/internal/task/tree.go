package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Tree is the records of one check that have been read so far, in any order, each any number of times.
type Tree struct {
	root    ID
	records map[ID]*node
	// named counts the tasks that some record leaves, and the root; open those of them without a record. Both
	// also count tasks that the root does not lead to, so open == 0 is only a hint that Sum will succeed.
	named map[ID]bool
	open  int

	executions int64
}

type node struct {
	record   *Record // its Pending is dropped
	children []ID
}

// NewTree returns the tree of a check that begins with a task.
func NewTree(root ID) *Tree {
	return &Tree{root: root, records: map[ID]*node{}, named: map[ID]bool{root: true}, open: 1}
}

// Add takes a record. It keeps the record's part but not the tasks that the record leaves. A second record
// of the same name is ignored: the store has one record per name, so it is the same one. Add reports whether the record
// is new.
func (t *Tree) Add(id ID, r *Record) bool {
	if t.records[id] != nil {
		return false
	}
	n := &node{record: &Record{Part: r.Part, Executions: r.Executions, Fingerprint: r.Fingerprint, Share: r.Share, Over: r.Over, Sum: r.Sum}}
	for _, p := range r.Pending {
		child := NameOf(p)
		n.children = append(n.children, child)
		if t.named[child] {
			continue
		}
		t.named[child] = true
		if t.records[child] == nil {
			t.open++
		}
	}
	t.records[id] = n
	t.executions += r.Executions
	if t.named[id] {
		t.open--
	}
	return true
}

// Tasks returns how many tasks are known and how many of them have no record yet.
func (t *Tree) Tasks() (known, open int) { return len(t.named), t.open }

// Executions returns the executions of all records.
func (t *Tree) Executions() int64 { return t.executions }

// Total has the records of a check that count, and the tasks that are still open.
type Total struct {
	// Records are the records that the root leads to, parents first.
	Records []*Record
	// Missing are tasks that the root leads to and that have no record: the check goes on. The record of
	// Parents[i] has the bytes of Missing[i]; Parents[i] is empty for the root.
	Missing []ID
	Parents []ID
	// Over: a record says that the rest need not be explored.
	Over bool
	// Digest is a checksum of the names and the checksums of the records.
	Digest string
	// Executions is the sum of those of the records.
	Executions int64
}

// Sum walks the tree. It fails if two records leave the same task, which would be counted once and explored
// once while an exploration without repetition never does that.
func (t *Tree) Sum() (*Total, error) {
	var s Total
	sums := map[ID]Sum{}
	seen := map[ID]bool{t.root: true}
	type step struct{ id, parent ID }
	stack := []step{{t.root, ""}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := t.records[at.id]
		if n == nil {
			s.Missing, s.Parents = append(s.Missing, at.id), append(s.Parents, at.parent)
			continue
		}
		s.Records = append(s.Records, n.record)
		s.Over = s.Over || n.record.Over
		s.Executions += n.record.Executions
		sums[at.id] = n.record.Sum
		for _, c := range n.children {
			if seen[c] {
				return nil, fmt.Errorf("BUG: the task %s is left twice", c)
			}
			seen[c] = true
			stack = append(stack, step{c, at.id})
		}
	}
	h := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(h, "%s %x\n", id, sums[id])
	}
	s.Digest = hex.EncodeToString(h.Sum(nil))
	return &s, nil
}

// AtLeast returns how many executions the check has at least: those counted, and one for each task that is left. How many
// there are in all is not known before the end: a task that is left may have none beside one, or most of them, and the part
// of the tree that was explored says little of the rest, since the small subtrees come to their end first.
func (t *Tree) AtLeast() int64 { return t.executions + int64(t.open) }
