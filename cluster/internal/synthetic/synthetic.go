// Package synthetic is an exploration without a program, for tests of the protocol: a tree that a number
// stands for, whose leaves are counted.
package synthetic

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand"

	"fencepost/cluster/internal/task"
	"fencepost/cluster/internal/worker"
)

// Tree is a random tree: a node's children depend on its path and the seed alone.
type Tree struct {
	Seed  int64
	Depth int // of leaves, at most
	// Bad, if not 0, makes one in Bad leaves a violation.
	Bad int
}

// Part has the counts of one record.
type Part struct {
	Leaves int64  `json:"leaves"`
	Sum    uint64 `json:"sum"` // of hashes of all leaves, modulo 2^64
}

// Root is the first task: the empty path.
func (t *Tree) Root() []byte { return []byte("/") }

// children returns how many children a node has.
func (t *Tree) children(path []byte) int {
	if len(path) > t.Depth {
		return 0
	}
	n := rand.New(rand.NewSource(t.Seed ^ int64(hash(path)))).Intn(5)
	if len(path) < t.Depth/2 {
		return max(n, 2)
	}
	return n
}

func hash(path []byte) uint64 {
	id := task.NameOf(path)
	return binary.BigEndian.Uint64([]byte(id)[:8])
}

// Explore explores depth first until it has counted limit.Executions leaves.
func (t *Tree) Explore(ctx context.Context, root []byte, limit worker.Limit) (*task.Record, error) {
	if len(root) == 0 || root[0] != '/' {
		return nil, fmt.Errorf("%q is no path", root)
	}
	var p Part
	stack := [][]byte{root}
	r := &task.Record{}
	for len(stack) > 0 && (limit.Executions == 0 || p.Leaves < limit.Executions) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := t.children(path)
		if n == 0 {
			p.Leaves++
			p.Sum += hash(path)
			if t.Bad != 0 && hash(path)%uint64(t.Bad) == 0 {
				r.Over = true
				break
			}
		}
		for i := range n {
			stack = append(stack, append(append([]byte(nil), path...), byte('a'+i)))
		}
	}
	r.Pending, r.Executions = stack, p.Leaves
	part, err := json.Marshal(p)
	r.Part = part
	return r, err
}

// Add adds up the parts of records.
func Add(records []*task.Record) (Part, error) {
	var sum Part
	for _, r := range records {
		var p Part
		if err := json.Unmarshal(r.Part, &p); err != nil {
			return sum, err
		}
		sum.Leaves += p.Leaves
		sum.Sum += p.Sum
	}
	return sum, nil
}
