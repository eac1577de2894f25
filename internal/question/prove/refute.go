package prove

import (
	"cmp"
	"context"
	"slices"

	"fencepost/internal/question/check"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Refutation. A failed proof says nothing about the program, and most programs without a proof are wrong. So small
// instances are searched under the memory model: a few states before the proof, since a short search finds most errors sooner
// than a solver, and more states after a proof that left something open. An execution that violates a check is the
// answer. The limits count memory and not time, so that the answer does not depend on the machine.

// The limits of searches, in bytes of stored states.
const (
	firstSearch = 8 << 20
	lastSearch  = 64 << 20
)

// The largest instances, in threads per template.
const (
	firstInstance = 2
	lastInstance  = 3
)

// instances searches instances of the program for an execution that violates one of its checks.
type instances struct {
	in    query.Input
	opt   query.ProveOptions
	least int // threads per template of the smallest instance; 0: the threads are fixed
	// searched is the largest instance up to which all instances were searched exhaustively; -1:
	// none. In a program with fixed threads 0 is the program itself.
	searched int
	checked  *verdict.Result // the answer about the program itself
}

func (q *question) instances(in query.Input) *instances {
	s := &instances{in: in, opt: q.opt, searched: -1}
	if s.opt.Replicate == "" {
		s.opt.Replicate = q.Replicated()
	}
	if !fixed(q.flat) {
		s.least = q.Props.LeastInstance()
	}
	return s
}

// refute searches instances up to a size, each within a limit of memory. It returns a result with an execution that
// violates a check, or nil.
func (s *instances) refute(ctx context.Context, largest int, limit int64) (*verdict.Result, error) {
	if s.least == 0 {
		largest = 0
	}
	for n := s.least; n <= max(largest, s.least); n++ {
		if n <= s.searched {
			continue
		}
		res, err := s.search(ctx, n, limit)
		if err != nil || res == nil || ctx.Err() != nil {
			return nil, err
		}
		switch {
		case s.violated(res):
			res.Instance = n
			return res, nil
		case complete(res) && (n == s.least || n == s.searched+1):
			s.searched, s.checked = n, res
		}
	}
	return nil, nil
}

// violated reports whether a result has an execution that violates a check. For any number of threads deadlock is no
// part of the answer: an instance may be too small.
func (s *instances) violated(r *verdict.Result) bool {
	return r.Verdict == verdict.Unsafe && r.Witness != nil && (s.least == 0 || r.Question != "deadlock")
}

// complete reports whether a search covered every execution of the instance without a violation.
func complete(r *verdict.Result) bool {
	others := slices.ContainsFunc(r.Coverage.Bounds, func(b verdict.Bound) bool { return b.Hit && b.Name != "threads" })
	return r.Verdict == verdict.Safe && !others && (r.Coverage.Exhaustive || len(r.Coverage.Met()) > 0)
}

// search asks the explicit engine about an instance. It returns nil if the engine does not take the program.
func (s *instances) search(ctx context.Context, n int, limit int64) (*verdict.Result, error) {
	// A proof says nothing about loops that never end.
	opt := query.CheckOptions{Options: s.opt.Options, Models: query.Models{cmp.Or(s.opt.Model, query.TSO)}, Engines: query.Engines{"explicit"}, Endless: query.Endless{Liveness: query.LivenessOff}}
	if n > 0 {
		opt.Threads, opt.Instances = n, n
	}
	if opt.Memory == 0 || opt.Memory > limit {
		opt.Memory = limit
	}
	opt.Progress = nil
	a, err := check.Run(supervise.Apart(ctx), s.in, opt)
	if err != nil || a.HasErrors() || len(a.Results) == 0 {
		return nil, err
	}
	return &a.Results[0], nil
}

// decides marks the checks of a program with fixed threads that the search has decided.
func (s *instances) decides(res *verdict.Result) {
	if s.least > 0 || s.searched != 0 {
		return
	}
	for i := range res.Proof.Checks {
		if c := &res.Proof.Checks[i]; !c.Proved || res.Verdict == verdict.Unknown {
			c.Proved, c.By, c.State, c.Vague = true, s.checked.Engine, nil, false
		}
	}
}
