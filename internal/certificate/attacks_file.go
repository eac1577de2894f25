package certificate

import (
	"context"
	"encoding/binary"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/replay"
)

// The kind "attacks" as a file: states as bytes, the search that makes a set of them, and the check of one.

// encode returns the bytes of a state.
func (c *attacks) encode(a *attack) string {
	b := []byte{byte(a.phase)}
	switch a.phase {
	case delaying:
		b = append(b, byte(a.attacker), 0)
		if a.noticed {
			b[2] = 1
		}
	case closing:
		b = append(b, byte(a.attacker))
		for _, after := range a.after {
			b = append(b, 0)
			if after {
				b[len(b)-1] = 1
			}
		}
		for _, set := range []bytesSet{a.read, a.written, a.sectionRead, a.sectionWritten} {
			b = binary.AppendUvarint(b, uint64(len(set)))
			last := uint64(0)
			for _, at := range set {
				b = binary.AppendUvarint(b, at-last)
				last = at
			}
		}
	}
	return string(b) + c.x.Encode(a.s)
}

// decode returns the state with these bytes.
func (c *attacks) decode(key string) (attack, error) {
	a, b, bad := attack{attacker: -1}, []byte(key), false
	take := func() int {
		if len(b) == 0 {
			bad = true
			return 0
		}
		v := b[0]
		b = b[1:]
		return int(v)
	}
	if a.phase = take(); a.phase != before {
		a.attacker = take()
		bad = bad || a.phase > closing || a.attacker >= len(c.p.Threads)
	}
	switch a.phase {
	case delaying:
		a.noticed = take() == 1
	case closing:
		for range c.p.Threads {
			a.after = append(a.after, take() == 1)
		}
		for _, set := range []*bytesSet{&a.read, &a.written, &a.sectionRead, &a.sectionWritten} {
			n, size := binary.Uvarint(b)
			if bad || size <= 0 || n > uint64(len(b)) {
				return a, errNoAttack
			}
			b = b[size:]
			last := uint64(0)
			for range n {
				d, size := binary.Uvarint(b)
				if size <= 0 {
					return a, errNoAttack
				}
				b, last = b[size:], last+d
				*set = append(*set, last)
			}
		}
	}
	if bad {
		return a, errNoAttack
	}
	var err error
	if a.s, err = c.x.Decode(string(b)); err != nil {
		return a, err
	}
	if c.encode(&a) != key {
		return a, errNoAttack
	}
	if a.phase != before {
		if _, ok := c.x.Delayed(a.s, a.attacker); !ok {
			return a, errNoAttack
		}
	}
	return a, nil
}

// questionOfRobustness is hashed for the question of a certificate of robustness.
const questionOfRobustness = "robustness"

// aboutRobustness fills in the sums and the model of a statement.
func (c *Statement) aboutRobustness(p *ir.Program, model replay.Model) {
	c.Model, c.Program, c.Question = model.String(), HashProgram(p), sum([]byte(questionOfRobustness))
}

// CheckRobust reads a proof that a program is robust and returns what it covers. It returns the errors of Check.
func CheckRobust(ctx context.Context, r *Reader, p *ir.Program, model replay.Model) (covered *Covered, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			covered, err = nil, fmt.Errorf("the proof is outside of the rules: %v", broken)
		}
	}()
	var now Statement
	now.aboutRobustness(p, model)
	if err := r.is(&now); err != nil {
		return nil, err
	}
	if r.Kind != KindAttacks {
		return nil, fmt.Errorf("the kind of proof %q is not one of robustness", r.Kind)
	}
	c, err := newAttacks(p, model)
	if err != nil {
		return nil, err
	}
	set, err := readStates(r, r.Size)
	if err != nil {
		return nil, err
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	c.Size = set.n
	c.reach = func(key string) error {
		if !set.has(key) {
			return errNotClosed
		}
		return nil
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	err = set.each(ctx, func(key string) error {
		a, err := c.decode(key)
		if err == nil {
			err = c.expand(a)
		}
		return err
	})
	return &c.Covered, err
}
