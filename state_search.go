package fencepost

import (
	"context"
	"io"
	"time"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// StateSearch is a check by the engine explicit that can be stored and continued. Unlike an Exploration it cannot be
// divided: its states are one set, which is stored as a whole.
type StateSearch struct{ s *check.StoredSearch }

// NewStateSearch opens a search. If the program or the question is refused, it returns nil and says why in the
// diagnostics. The options name one model; of the engines only explicit can be named. Data races, robustness, fair
// endless executions and executions of final states cannot be asked for.
func NewStateSearch(ctx context.Context, in query.Input, opt query.CheckOptions) (*StateSearch, []verdict.Diagnostic, error) {
	s, diags, err := check.OpenStored(ctx, in, opt, buildVersion())
	if err != nil || s == nil {
		return nil, diags, err
	}
	return &StateSearch{s}, diags, nil
}

// Resume reads a search that was stored. The error is a *DifferentError if it belongs to another search, and wraps
// ErrCheckpoint if it is no stored search or a damaged one.
func (s *StateSearch) Resume(r io.ReadSeeker) error { return s.s.Load(r) }

// IsStateSearch reports whether a file begins as a stored search does.
func IsStateSearch(r io.ReaderAt) bool {
	head := make([]byte, len(check.StoredHead))
	_, err := r.ReadAt(head, 0)
	return err == nil && string(head) == check.StoredHead
}

// storeShare bounds the time that storing takes: at most one part in so many.
const storeShare = 20

// Continue searches until the search is over, or the context or the memory ends. It calls save each time that some time
// has passed, and at the end, with a function that writes the search; save may be nil. A large search takes long to
// store, and is stored less often: storing takes at most a twentieth of the time.
func (s *StateSearch) Continue(ctx context.Context, every time.Duration, save func(write func(io.Writer) error)) error {
	for wait := every; ; {
		part, cancel := context.WithTimeout(ctx, wait)
		over, err := s.s.Explore(part)
		paused := part.Err() != nil && ctx.Err() == nil
		cancel()
		if err != nil {
			return err
		}
		begun := time.Now()
		if save != nil && s.s.Storable() {
			save(s.s.Save)
		}
		if over || !paused { // else the context or the memory has ended
			return nil
		}
		wait = max(every, (storeShare-1)*time.Since(begun))
	}
}

// Over reports whether nothing is left to search.
func (s *StateSearch) Over() bool { return s.s.Over() }

// Answer returns the answer of a search that has run, as Check gives it. Violations are replayed first. The context is the
// one that Continue had.
func (s *StateSearch) Answer(ctx context.Context) (query.Answer, error) { return s.s.Answer(ctx) }
