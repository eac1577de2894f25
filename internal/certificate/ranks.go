package certificate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The kind "ranks": a closed set of states, and for each state a number, from which it can be seen around the state that no
// endless execution counts. docs/certificates.md has the arguments.
//
// Distances, where it is asked whether some execution ends (or, of loops that only wait, whether memory can change): a
// state has the number 1 if an execution ends there, and otherwise a larger number than some state that comes next. States
// without a number are all that can come after them; the definition is tested on these alone.
//
// Where no state needs that test, local steps may be taken at once: for each state that can be reached, some local steps
// lead to one of the set. From there an end is reached, and so it is from the state itself.
//
// Levels, under weak fairness: no step leads to a state of a higher level; and while the level stays the same, one
// condition, the same for all states of the level, is not met. An endless execution stays at one level in the end, and
// does not meet its condition again, so that it is not fair.

// ranks are the numbers of states.
type ranks struct {
	weak  bool
	local bool // local steps are taken at once
	// levels has the conditions of levels from 1: in [1], of executions in which a thread stays inside an atomic section.
	levels [2][]replay.Condition
	of     [2][]int // by state: the distance plus 1, or the level; 0: none
}

// maxLevels bounds the number of levels.
const maxLevels = 1 << 20

// maxRanked is how many states a proof about endless executions may have: the search for it needs the whole graph.
const maxRanked = 2_000_000

var errRank = errors.New("the numbers of the states do not show which executions end")

// ranked reports whether a question needs ranks.
func ranked(props *property.Set) bool { return props.Endless || props.Fairness != 0 }

func isWeak(props *property.Set) bool { return props.Fairness == property.Weak || props.Starving != "" }

// readRanks reads the numbers of n states.
func readRanks(r *Reader, n int, props *property.Set, threads int) (*ranks, error) {
	k := &ranks{weak: isWeak(props)}
	if !k.weak {
		local, err := r.ReadByte()
		if err != nil || local > 1 {
			return nil, ErrDamaged
		}
		k.local = local == 1
	}
	for v := range k.of {
		if v == 1 && !k.weak {
			break
		}
		if k.weak {
			levels, err := binary.ReadUvarint(r)
			if err != nil || levels > maxLevels {
				return nil, ErrDamaged
			}
			for range levels {
				t, err := binary.ReadUvarint(r)
				if err != nil || t >= uint64(threads) {
					return nil, ErrDamaged
				}
				buffer, err := r.ReadByte()
				if err != nil || buffer > 1 || v == 1 && buffer == 1 { // inside a section, stores may wait for ever
					return nil, ErrDamaged
				}
				addr, err := binary.ReadUvarint(r)
				if err != nil {
					return nil, ErrDamaged
				}
				k.levels[v] = append(k.levels[v], replay.Condition{Thread: int(t), Buffer: buffer == 1, Addr: addr})
			}
		}
		for range n {
			d, err := binary.ReadUvarint(r)
			if err != nil || d > uint64(n)+1 || k.weak && d > uint64(len(k.levels[v])) {
				return nil, ErrDamaged
			}
			k.of[v] = append(k.of[v], int(d))
		}
	}
	return k, nil
}

// rankChecker looks at the numbers around states.
type rankChecker struct {
	*ranks
	c     *closure
	x     *replay.Stepper
	props *property.Set
	set   *stateSet
	bound int
}

// check looks at state i, for which Next returns next.
func (c *rankChecker) check(i int, s replay.State, next []replay.Move) error {
	a := c.x.Around(s, next, c.bound)
	to := make([]int, len(a.Ways))
	for k := range a.Ways {
		after, err := c.c.runLocal(a.Ways[k].To)
		if err != nil {
			return err
		}
		if to[k] = c.set.index(c.x.Encode(after)); to[k] < 0 {
			return errNotClosed
		}
	}
	if !c.weak {
		return c.distance(i, s, next, a, to)
	}
	for v := range c.of {
		if err := c.level(v, i, a, to); err != nil {
			return err
		}
	}
	return nil
}

// distance looks at the distance of a state.
func (c *rankChecker) distance(i int, s replay.State, next []replay.Move, a *replay.Around, to []int) error {
	spin := c.props.Fairness == 0
	switch d := c.of[0][i]; {
	case d == 1 && (a.Ends() || spin && a.Changes()):
		return nil
	case d > 1:
		for _, k := range to {
			if c.of[0][k] > 0 && c.of[0][k] < d {
				return nil
			}
		}
	case d == 0 && !spin && !a.Empty():
		return nil
	case d == 0 && spin && !c.local:
		for _, k := range to {
			if c.of[0][k] > 0 {
				return errRank
			}
		}
		c.x.Note(s, next)
		return nil
	}
	return errRank
}

// level looks at the level of a state.
func (c *rankChecker) level(v, i int, a *replay.Around, to []int) error {
	l := c.of[v][i]
	switch {
	case !a.Counts(v == 1):
		return nil
	case l == 0:
		return errRank
	}
	for k, j := range to {
		switch m := c.of[v][j]; {
		case m > l, m == l && a.Meets(c.levels[v][l-1], &a.Ways[k]):
			return errRank
		}
	}
	return nil
}

// checkRanks checks a set of states with numbers.
func checkRanks(ctx context.Context, r *Reader, p *ir.Program, props *property.Set, model replay.Model) (*Covered, error) {
	set, err := readStates(r, r.Size)
	if err != nil {
		return nil, err
	}
	k, err := readRanks(r, set.n, props, len(p.Threads))
	if err != nil {
		return nil, err
	}
	c, err := closedSet(r, set, p, props, model, k.local)
	if err != nil {
		return nil, err
	}
	c.x.Apart()
	at := &rankChecker{ranks: k, c: c, x: c.x, props: props, set: set, bound: r.Buffer}
	covered, err := c.all(ctx, set, at.check)
	if err == nil && !k.weak && props.Fairness == 0 {
		if bad := c.x.Endless(); bad != "" {
			return nil, fmt.Errorf("%w: %s", errRank, bad)
		}
	}
	return covered, err
}
