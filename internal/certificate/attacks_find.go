package certificate

import (
	"context"
	"io"

	"fencepost/internal/ir"
	"fencepost/internal/replay"
)

// The search for all states of attacks; nothing relies on it.

// Attacks searches all states of executions in which one thread delays its stores, and writes them as a certificate
// that the program is robust. The error is a *Refuted if it is not.
func Attacks(ctx context.Context, w io.Writer, statement Statement, p *ir.Program, model replay.Model, bytes int64) (*Covered, error) {
	c, err := newAttacks(p, model)
	if err != nil {
		return nil, err
	}
	keys, err := search(ctx, c.begin, func(key string) error {
		a, err := c.decode(key)
		if err == nil {
			err = c.expand(a)
		}
		return err
	}, &c.reach, bytes, 0)
	if err != nil {
		return nil, err
	}
	c.Size = len(keys)
	statement.aboutRobustness(p, model)
	statement.Kind, statement.Size = KindAttacks, c.Size
	return &c.Covered, writeStates(w, &statement, keys, nil)
}
