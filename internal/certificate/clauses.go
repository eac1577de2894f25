package certificate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"fencepost/internal/certificate/clauses"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The kind "clauses": what the program can do is said in clauses (package clauses), which the checker makes again, and
// the file has a proof that they have no model. If it is said nowhere that a bound is met, the clauses have all
// executions up to this bound.

// Marks of a proof.
const (
	proofWhole byte = 1 << iota // no bound is met
	proofApart                  // blocks that one thread alone can reach are kept apart
	proofEvery                  // every round of a loop counts
)

// coveredBy says what a proof covers. A bound that may be met counts as one that is.
func coveredBy(f *clauses.Formula, opt clauses.Options, steps int) *Covered {
	out := &Covered{Kind: KindClauses, Size: steps, Cut: map[ir.EdgeID]bool{}}
	for _, c := range f.Cuts {
		if c.Edge == ir.NoEdge {
			out.Unroll = opt.Rounds
		} else {
			out.Cut[c.Edge] = true
		}
	}
	return out
}

// maxStep bounds the numbers in one step of a proof, and maxRounds how often loops are run.
const (
	maxStep   = 1 << 22
	maxRounds = 1 << 10
)

// checkClauses makes the clauses and follows the proof.
func checkClauses(ctx context.Context, r *Reader, p *ir.Program, props *property.Set, model replay.Model) (*Covered, error) {
	marks, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	rounds, err := binary.ReadUvarint(r)
	if err != nil || marks > proofWhole|proofApart|proofEvery || rounds > maxRounds {
		return nil, ErrDamaged
	}
	opt := clauses.Options{Rounds: int(rounds), Apart: marks&proofApart != 0, Every: marks&proofEvery != 0}
	f, err := clauses.Encode(ctx, p, props, model, opt, marks&proofWhole != 0)
	if err != nil {
		return nil, err
	}
	d := deriver{clauses: f.Clauses}
	for k := range r.Size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clause, hints, err := readStep(r, len(d.clauses)+1)
		if err == nil {
			err = d.derive(clause, hints)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", k+1, err)
		}
	}
	if len(d.clauses[len(d.clauses)-1]) > 0 {
		return nil, errors.New("the proof ends before the clauses are shown to have no model")
	}
	return coveredBy(f, opt, r.Size), r.end()
}

func readStep(r *Reader, number int) (clause []int32, hints []int, err error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > maxStep {
		return nil, nil, ErrDamaged
	}
	for range n {
		l, err := binary.ReadVarint(r)
		if err != nil || l != int64(int32(l)) || l == 0 || l == -1<<31 {
			return nil, nil, ErrDamaged
		}
		clause = append(clause, int32(l))
	}
	if n, err = binary.ReadUvarint(r); err != nil || n > maxStep {
		return nil, nil, ErrDamaged
	}
	for range n {
		h, err := binary.ReadUvarint(r)
		if err != nil || h == 0 || h >= uint64(number) {
			return nil, nil, ErrDamaged
		}
		hints = append(hints, number-int(h))
	}
	return clause, hints, nil
}
