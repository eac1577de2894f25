package check

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/query"
	"fencepost/verdict"
)

// Stored searches of engine explicit. Its search is one set of states that all workers share, so it cannot be divided,
// but it can be stored as it is and continued: the visited set, the frontier, and what was found.
//
// The layout: a line that names it, a line of JSON with the identity, the search, and the SHA-256 of all that. The sum is
// checked before anything of the search is read.

// StoredSearch is a check by engine explicit that can be stored and continued.
type StoredSearch struct {
	*opened
	search *explicit.Search
}

// OpenStored reads a program for a check by engine explicit. Without a search and an error, the program or the question
// was refused, and the diagnostics say why.
func OpenStored(ctx context.Context, in query.Input, opt query.CheckOptions, version string) (*StoredSearch, []verdict.Diagnostic, error) {
	if opt.Endless.Liveness == query.LivenessFair {
		return nil, nil, &query.OptionError{Option: "question for a stored search", Value: "fair endless executions", Want: "one without them"}
	}
	var s *StoredSearch
	diags, err := openRun(ctx, in, "explicit", opt, version, func(o *opened) error {
		x, err := explicit.NewSearch(o.task)
		if err != nil {
			return o.q.Refuse(o.q.Unsupported(err))
		}
		s = &StoredSearch{o, x}
		return nil
	})
	return s, diags, err
}

// Explore searches until the search is over, or the context or the memory ends. It reports whether it is over.
func (s *StoredSearch) Explore(ctx context.Context) (over bool, err error) {
	err = s.run.Do(ctx, func(ctx context.Context) error {
		s.search.Explore(ctx)
		return nil
	})
	return s.search.Over(), err
}

// Over reports whether nothing is left to search.
func (s *StoredSearch) Over() bool { return s.search.Over() }

// Storable reports whether the search can be stored: it has begun and did not fail.
func (s *StoredSearch) Storable() bool { return !s.search.Failed() }

// StoredHead is the first line of a stored search.
const StoredHead = "fencepost states 1\n"

// ErrDamaged says that bytes are no stored search, or a damaged one.
var ErrDamaged = errors.New("not a checkpoint, or a damaged one")

// DifferentError says that a stored search belongs to another question.
type DifferentError struct {
	What    string   // "version", "program", "memory model" or "options"
	Options []string // names of options that differ, as results have them; may be empty
}

func (e *DifferentError) Error() string { return "belongs to " + e.Whose() }

// Whose names the difference: "another program", for example.
func (e *DifferentError) Whose() string {
	switch {
	case e.What != "options":
		return "another " + e.What
	case len(e.Options) == 0:
		return "other options"
	default:
		return "other options (" + strings.ReplaceAll(strings.Join(e.Options, ", "), "_", "-") + ")"
	}
}

// Save writes the search.
func (s *StoredSearch) Save(w io.Writer) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	id, err := json.Marshal(s.Identity)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(both, "%s%s\n", StoredHead, id); err != nil {
		return err
	}
	if err := s.search.Save(both); err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// Load reads a search that was stored into one that has not begun. The error is a *DifferentError if the stored search
// belongs to another question, and wraps ErrDamaged if the bytes are not a stored search.
func (s *StoredSearch) Load(r io.ReadSeeker) error {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	size -= sha256.Size
	if size < int64(len(StoredHead)) {
		return ErrDamaged
	}
	if err := sumFits(r, size); err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.LimitReader(r, size), 1<<16)
	head, err := in.ReadString('\n')
	if err != nil || head != StoredHead {
		return ErrDamaged
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		return ErrDamaged
	}
	var id Identity
	if err := json.Unmarshal(line, &id); err != nil {
		return ErrDamaged
	}
	if different := s.Identity.Differs(id); different != nil {
		return different
	}
	if err := s.search.Load(in); errors.Is(err, explicit.ErrStored) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	} else if err != nil {
		return err
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return ErrDamaged
	}
	return nil
}

// sumFits returns ErrDamaged unless the sum after so many bytes is theirs.
func sumFits(r io.ReadSeeker, size int64) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, r, size); err != nil {
		return err
	}
	stored := make([]byte, sha256.Size)
	if _, err := io.ReadFull(r, stored); err != nil {
		return err
	}
	if string(stored) != string(sum.Sum(nil)) {
		return ErrDamaged
	}
	return nil
}

// Answer returns the answer of a search that has run. Where it is not over, the context is the one that ended it.
func (s *StoredSearch) Answer(ended context.Context) (query.Answer, error) {
	return s.answer(context.WithoutCancel(ended), &explicit.Engine, func() (*engine.Outcome, error) {
		return s.search.Outcome(ended)
	})
}
