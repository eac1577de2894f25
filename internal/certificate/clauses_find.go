package certificate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"fencepost/internal/certificate/clauses"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The search for a proof by clauses; nothing relies on it.

// Refuter searches a model of clauses over variables from 1 on. If there is none, it calls step for each clause of a
// proof, with the numbers of the clauses that show it; the last one is empty.
type Refuter func(ctx context.Context, clauses [][]int32, step func(clause []int32, hints []int) error) (model func(int32) bool, err error)

// Clauses searches a proof by clauses and writes it as a certificate. rounds is how often loops are run. The error is a
// *Refuted if a model of the clauses leads the rules of replay to a violation.
func Clauses(ctx context.Context, w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, rounds int, refute Refuter) (*Covered, error) {
	if err := supported(props, model); err != nil {
		return nil, err
	}
	opt, whole := clauses.Options{Rounds: rounds, Apart: true}, true
	for {
		f, err := clauses.Encode(ctx, p, props, model, opt, whole)
		if errors.Is(err, clauses.ErrTooLarge) && !opt.Every {
			opt.Every = true
			continue
		}
		if err != nil {
			return nil, err
		}
		body, steps, number := []byte(nil), 0, len(f.Clauses)
		found, err := refute(ctx, f.Clauses, func(clause []int32, hints []int) error {
			steps, number = steps+1, number+1
			body = appendStep(body, clause, hints, number)
			return nil
		})
		switch {
		case err != nil:
			return nil, err
		case found == nil:
			return writeClauses(w, &statement, body, steps, opt, whole, f, p, props, model)
		}
		holds := func(beyond, bound bool) func(clauses.Bad) bool {
			return func(b clauses.Bad) bool { return b.Beyond == beyond && b.Bound == bound && found(b.On) }
		}
		beyond, bad := slices.IndexFunc(f.Bad, holds(true, false)), slices.IndexFunc(f.Bad, holds(false, false))
		switch {
		case opt.Apart && beyond >= 0:
			opt.Apart = false
			continue
		case whole && slices.ContainsFunc(f.Bad, holds(false, true)):
			whole = false
			continue
		case beyond >= 0:
			return nil, fmt.Errorf("there are no clauses for all that the program does: %s", f.Bad[beyond].What)
		}
		err = replayModel(p, props, model, f.Execution(found))
		if errors.Is(err, errElsewhere) {
			err = fmt.Errorf("the clauses have a model in which %s, and it is no execution", f.Bad[bad].What)
		}
		return nil, err
	}
}

func writeClauses(w io.Writer, statement *Statement, body []byte, steps int, opt clauses.Options, whole bool, f *clauses.Formula, p *ir.Program, props *property.Set, model replay.Model) (*Covered, error) {
	if err := statement.About(p, props, model); err != nil {
		return nil, err
	}
	statement.Kind, statement.Size = KindClauses, steps
	marks := byte(0)
	if whole {
		marks |= proofWhole
	}
	if opt.Apart {
		marks |= proofApart
	}
	if opt.Every {
		marks |= proofEvery
	}
	if !whole {
		statement.Unroll = opt.Rounds
	}
	out, err := newWriter(w, statement)
	if err != nil {
		return nil, err
	}
	if _, err := out.Write(append(binary.AppendUvarint([]byte{marks}, uint64(opt.Rounds)), body...)); err != nil {
		return nil, err
	}
	return coveredBy(f, opt, steps), out.close()
}

// appendStep adds a step of a proof: the clause with its literals, and its hints as distances from its number.
func appendStep(b []byte, clause []int32, hints []int, number int) []byte {
	b = binary.AppendUvarint(b, uint64(len(clause)))
	for _, l := range clause {
		b = binary.AppendVarint(b, int64(l))
	}
	b = binary.AppendUvarint(b, uint64(len(hints)))
	for _, h := range hints {
		b = binary.AppendUvarint(b, uint64(number-h))
	}
	return b
}
