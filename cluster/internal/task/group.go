package task

import (
	"errors"
	"fmt"
)

// What the queue carries as one task is a group of tasks of the explorer. An exploration that stops half-way
// leaves many parts, most of them tiny. Sending each by itself would cost more than exploring it, so as few
// groups are made as the workers need to stay busy.

// maxGroup bounds a group before it is compressed.
const maxGroup = 64 << 20

// Join makes a group.
func Join(parts ...[]byte) ([]byte, error) { return Pack(parts) }

// Split returns the parts of a group.
func Split(group []byte) ([][]byte, error) {
	var parts [][]byte
	if err := Unpack(group, maxGroup, &parts); err != nil {
		return nil, fmt.Errorf("a task: %w", err)
	}
	if len(parts) == 0 {
		return nil, errors.New("a task: it is empty")
	}
	return parts, nil
}

// Group divides parts into n groups, or into more if groups would be larger than limit. It deals them out in turn:
// neighbours are of about the same size, so the groups are too.
func Group(parts [][]byte, n, limit int) ([][]byte, error) {
	n = max(1, min(n, len(parts)))
	hands := make([][][]byte, n)
	for i, p := range parts {
		hands[i%n] = append(hands[i%n], p)
	}
	var groups [][]byte
	for len(hands) > 0 {
		hand := hands[len(hands)-1]
		hands = hands[:len(hands)-1]
		if len(hand) == 0 {
			continue
		}
		group, err := Join(hand...)
		if err != nil {
			return nil, err
		}
		if len(group) <= limit {
			groups = append(groups, group)
			continue
		}
		if len(hand) == 1 {
			return nil, fmt.Errorf("a task has %d bytes, more than %d", len(group), limit)
		}
		hands = append(hands, hand[:len(hand)/2], hand[len(hand)/2:])
	}
	return groups, nil
}
