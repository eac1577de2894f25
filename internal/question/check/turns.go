package check

import (
	"cmp"
	"context"

	"fencepost/internal/budget"
)

// Whose turn is next.
//
// Which engine answers first is not known. Of an engine that has worked for a while without an answer we expect that it
// needs as long again, whatever it is, so the engines are kept even, each by its weight: how often it is the first to
// answer. An engine that can tell how much work it has left goes before the others as soon as that is little, compared with
// what they have done: the more often it was wrong, the less.
//
// An attempt is due at a work: the one that is due first gets the next turn. Turns are half of what the engine
// has done, so that the answer comes soon after the engine could have given it.

// turnShare says when an attempt gets its turns.
type turnShare struct {
	weight  int64 // of weightOne
	granted int64 // work so far
	first   int64 // of the first turn
	wait    int64 // when it is due for the first turn, 0: at once
	left    int64 // the work that it expects to need still, 0: it cannot tell
	total   int64 // the work that it expected to need in all when it was last told wrong, 0: never
	trust   int64 // in what it expects: it is due when the others have done one part in so many
}

const (
	weightOne     = 8
	weightPartial = 1 // of an engine whose safe is no answer by itself
	firstTurn     = 2 * budget.Millisecond
	// lastTurn is the work at which the turns end, of an engine whose weight is one.
	lastTurn = 30_000 * budget.Millisecond
	// leastKnown is the work after which an engine can tell what is left.
	leastKnown = 3 * firstTurn
	// mostTrust is the trust in the first estimate of an engine.
	mostTrust  = 8
	leastTrust = 2
	// mostAhead is how much more than its share an engine may do that was often wrong.
	mostAhead = 4
)

// weights has the weights of engines. make portfolio measures what they cost.
var weights = map[string]int64{"explicit": 8, "smc": 8, "robust": 8, "bmc": 8, "rf": 3, "lazy": 1, "dual": 1}

func shareOf(engine string) turnShare {
	return turnShare{weight: cmp.Or(weights[engine], weightOne), first: firstTurn, trust: mostTrust}
}

// due returns the work of an engine whose weight is one that the attempt does not go before.
func (h *turnShare) due() int64 {
	due := max(h.wait, (h.granted+firstTurn)*weightOne/h.weight)
	if h.left > 0 {
		due = min(due, max(h.left/h.trust, h.ahead()))
	}
	return due
}

// ahead returns how early the attempt may be due by what it expects: at any time as long as that was right.
func (h *turnShare) ahead() int64 {
	if h.trust > leastTrust {
		return 0
	}
	return h.granted / mostAhead
}

// turn returns the work of the next turn.
func (h *turnShare) turn() int64 { return max(h.first, h.granted/2) }

// took notes a turn, and what the engine expects after it.
func (h *turnShare) took(work, left int64) {
	h.granted += work
	h.first, h.wait, h.left = firstTurn, 0, 0
	if h.granted < leastKnown {
		return
	}
	h.left = left
	total := h.granted + left
	switch {
	case left == 0:
		h.total = 0
	case h.total == 0:
		h.total = total
	case total > 2*h.total:
		h.total, h.trust = total, max(leastTrust, h.trust/2)
	}
}

// Formulas of bmc: what an instruction of the estimate costs, how large a formula may be to get turns, and how far the
// estimate is trusted. Most formulas of this size are built and solved in a second or two.
const (
	instructionCost = 150 * budget.Microsecond
	smallFormula    = 4_000
	formulaTrust    = 4
)

// foresees takes an estimate of the size of the formula. The first turn is for all of it.
func (h *turnShare) foresees(instructions float64) {
	if instructions > smallFormula {
		h.wait = lastTurn + 1 // it waits until all engines run at the same time
		return
	}
	h.first = max(firstTurn, int64(instructions*instructionCost))
	h.wait = h.first / formulaTrust
}

// next returns the attempt that gets the next turn, nil if there are no more turns.
func (s *schedule) next(ctx context.Context) *attempt {
	var best *attempt
	for _, a := range s.attempts {
		if !a.over && (best == nil || a.share.due() < best.share.due()) && !s.tooLate(ctx, a) {
			best = a
		}
	}
	if best != nil && best.share.due() > lastTurn {
		return nil
	}
	return best
}
