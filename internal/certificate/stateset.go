package certificate

import (
	"context"
	"encoding/binary"
	"fmt"
	"sort"
)

// stateSet is a sorted set of states as bytes. Neighbours begin alike, so a state is stored as the number of bytes
// with which it begins like the one before, and the rest; the first of every group is stored as a whole.
type stateSet struct {
	data   []byte
	groups []int64 // where each group begins in data
	n      int
	last   string
}

const groupSize = 16

// add adds a state that comes after all others.
func (s *stateSet) add(key string) error {
	if s.n > 0 && key <= s.last {
		return fmt.Errorf("state %d: the states are not in order", s.n)
	}
	shared := 0
	if s.n%groupSize == 0 {
		s.groups = append(s.groups, int64(len(s.data)))
	} else {
		shared = sharedLen(s.last, key)
	}
	s.data = appendState(s.data, key, shared)
	s.n, s.last = s.n+1, key
	return nil
}

func sharedLen(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func appendState(b []byte, key string, shared int) []byte {
	b = binary.AppendUvarint(b, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(key)-shared))
	return append(b, key[shared:]...)
}

// next replaces key by the state at the offset and returns the offset after it.
func (s *stateSet) next(key []byte, at int64) ([]byte, int64) {
	shared, n := binary.Uvarint(s.data[at:])
	at += int64(n)
	size, n := binary.Uvarint(s.data[at:])
	at += int64(n)
	return append(key[:shared], s.data[at:at+int64(size)]...), at + int64(size)
}

// group visits the states of group g until visit returns false.
func (s *stateSet) group(g int, visit func(key []byte) bool) {
	at, key := s.groups[g], []byte(nil)
	for i := g * groupSize; i < min((g+1)*groupSize, s.n); i++ {
		if key, at = s.next(key, at); !visit(key) {
			return
		}
	}
}

// has reports whether the set has a state.
func (s *stateSet) has(key string) bool { return s.index(key) >= 0 }

// index returns the number of a state in the order of all, -1 if it is not in the set.
func (s *stateSet) index(key string) int {
	g := sort.Search(len(s.groups), func(g int) bool {
		first, _ := s.next(nil, s.groups[g])
		return string(first) > key
	}) - 1
	found, at := -1, g*groupSize
	if g >= 0 {
		s.group(g, func(k []byte) bool {
			if string(k) == key {
				found = at
			}
			at++
			return string(k) < key
		})
	}
	return found
}

// each visits all states.
func (s *stateSet) each(ctx context.Context, visit func(key string) error) (err error) {
	for g := range s.groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.group(g, func(key []byte) bool {
			err = visit(string(key))
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxState is the largest size of a state in bytes.
const maxState = 1 << 20

// readStates reads n states.
func readStates(r *Reader, n int) (*stateSet, error) {
	s := &stateSet{}
	var key []byte
	for range n {
		shared, err := binary.ReadUvarint(r)
		if err != nil || shared > uint64(len(key)) {
			return nil, ErrDamaged
		}
		size, err := binary.ReadUvarint(r)
		if err != nil || size > maxState || shared+size > maxState {
			return nil, ErrDamaged
		}
		rest := make([]byte, size)
		if err := r.take(rest); err != nil {
			return nil, err
		}
		key = append(key[:shared], rest...)
		if err := s.add(string(key)); err != nil {
			return nil, err
		}
	}
	return s, nil
}
