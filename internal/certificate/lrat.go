package certificate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Proofs in the format LRAT, as the solver of package sat and others write them. A line has the number of a clause, its
// literals, 0, the numbers of clauses, and 0. If all its literals are false, each of these clauses has one literal left,
// which is then true, and the last one has none: so the clause follows. Lines with "d" drop clauses.
//
// What such a proof is about are clauses. That these say what a program does is not part of it.

// CheckLRAT returns nil if a proof shows that the clauses, with numbers from 1 on, have no model in which all literals
// of the goal are false. A literal is a variable from 1 on, negative if it is negated.
func CheckLRAT(clauses [][]int, proof io.Reader, goal []int) error {
	known := map[int][]int{}
	for i, c := range clauses {
		known[i+1] = c
	}
	in := bufio.NewScanner(proof)
	in.Buffer(nil, 1<<26)
	shown := false
	for n := 1; in.Scan(); n++ {
		id, clause, hints, drop, err := lratLine(in.Text())
		switch {
		case err != nil:
		case drop:
			for _, h := range hints {
				delete(known, h)
			}
			continue
		case known[id] != nil || id <= len(clauses):
			err = fmt.Errorf("clause %d is there already", id)
		default:
			err = implied(known, clause, hints)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		known[id] = clause
		shown = shown || !slices.ContainsFunc(clause, func(l int) bool { return !slices.Contains(goal, l) })
	}
	if err := in.Err(); err != nil {
		return err
	}
	if !shown {
		return errors.New("the proof ends without the goal")
	}
	return nil
}

// implied returns an error unless the hints show that a clause follows.
func implied(known map[int][]int, clause, hints []int) error {
	isTrue := map[int]bool{}
	for _, l := range clause {
		isTrue[-l] = true
	}
	for k, h := range hints {
		c, ok := known[h]
		if !ok {
			return fmt.Errorf("there is no clause %d", h)
		}
		left := 0
		for _, l := range c {
			switch {
			case isTrue[-l] || l == left:
			case left != 0:
				return fmt.Errorf("clause %d has more than one literal left", h)
			default:
				left = l
			}
		}
		if left == 0 {
			if k+1 < len(hints) {
				return errors.New("clauses follow one that is false")
			}
			return nil
		}
		isTrue[left] = true
	}
	return errors.New("the clause does not follow")
}

// lratLine reads a line.
func lratLine(text string) (id int, clause, hints []int, drop bool, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, nil, nil, false, errors.New("an empty line")
	}
	if drop = len(fields) > 1 && fields[1] == "d"; drop {
		fields = slices.Delete(fields, 1, 2)
	}
	var lists [2][]int
	at := 0
	for k, f := range fields {
		v, err := strconv.Atoi(f)
		switch {
		case err != nil || k == 0 && v <= 0 || at > 1 || at == 1 && v < 0 && !drop || v == -v && v != 0:
			return 0, nil, nil, false, fmt.Errorf("%q is no number that can stand there", f)
		case k == 0:
			id = v
		case v == 0:
			at++
		default:
			lists[at] = append(lists[at], v)
		}
	}
	if drop && at == 1 {
		return id, nil, lists[0], true, nil
	}
	if drop || at != 2 {
		return 0, nil, nil, false, errors.New("the line does not end with 0")
	}
	return id, lists[0], lists[1], false, nil
}
