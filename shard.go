package fencepost

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// tasksPerShard is how many tasks a shard gets at least, so that shards are about equally large.
const tasksPerShard = 16

// ShardAnswer explores shard i of n, from 0, with some workers, and returns an answer about it. Every shard divides the
// exploration in the same way, and explores the tasks that are its own; executions that end before the exploration
// divides belong to shard 0. Merge makes one answer of all shards.
//
// The verdict is unsafe if there is a violation, else unknown: a shard alone says nothing about the other executions.
func (x *Exploration) ShardAnswer(ctx context.Context, i, n, workers int) (query.Answer, error) {
	if n < 1 || i < 0 || i >= n {
		return query.Answer{}, &query.OptionError{Option: "shard", Value: fmt.Sprintf("%d/%d", i, n), Want: "i/n with i from 0 to n-1"}
	}
	begun := time.Now()
	s := &shardRun{x: x, i: i, n: n, workers: workers}
	for root := x.Root(); ; {
		division := sha256.New()
		search, left, err := s.run(ctx, root, division)
		if err != nil {
			return query.Answer{}, err
		}
		if search.Again() {
			root = x.Restart(search)
			continue
		}
		found := search
		if proof, ok := x.Proof(found); ok && len(left) == 0 {
			made, _, err := s.run(ctx, proof, io.Discard)
			if err != nil && ctx.Err() == nil {
				return query.Answer{}, err
			}
			found.Add(made) // what is not finished is seen when the parts are put together
		}
		why := fmt.Sprintf("end of shard %d/%d", i, n)
		if len(left) > 0 && ctx.Err() != nil {
			why = fmt.Sprintf("shard %d/%d is not complete: %s", i, n, endOf(ctx))
		}
		answer, err := x.Answer(context.WithoutCancel(ctx), search, why, time.Since(begun))
		if err != nil || len(answer.Results) != 1 {
			return answer, err
		}
		text, err := json.Marshal(found)
		if err != nil {
			return query.Answer{}, err
		}
		id := x.Identity()
		shard := &verdict.Shard{
			Index: i, Count: n, Complete: len(left) == 0 && !search.Over(), Version: id.Version, Program: id.Program, Options: id.Options,
			Division: fmt.Sprintf("%x", division.Sum(nil)), Found: string(text),
		}
		shard.Inputs, shard.Files = x.e.Files()
		shard.Sum = sumOf(shard)
		answer.Results[0].Shard = shard
		return answer, nil
	}
}

// shardRun is the exploration of one shard.
type shardRun struct {
	x             *Exploration
	i, n, workers int
}

// run divides a search, or a proof, and runs the tasks of this shard. It returns what it has found, and the tasks that
// are left. What was found while dividing counts for shard 0. division gets all tasks.
func (s *shardRun) run(ctx context.Context, root Task, division io.Writer) (Partial, []Task, error) {
	found, tasks, err := s.x.Split(ctx, root, tasksPerShard*s.n)
	if err != nil {
		return Partial{}, nil, err
	}
	var mine []Task
	for k, t := range tasks {
		if _, err := division.Write(t.data); err != nil {
			return Partial{}, nil, err
		}
		if k%s.n == s.i {
			mine = append(mine, t)
		}
	}
	if s.i > 0 {
		found.uncount()
	}
	if found.Again() || found.Over() {
		return found, nil, nil
	}
	more, left, err := s.x.Run(ctx, Limit{Workers: s.workers, Before: &found}, mine...)
	if err != nil {
		return Partial{}, nil, err
	}
	found.Add(more)
	return found, left, nil
}

// sumOf returns the hash of a shard by which damage is noticed.
func sumOf(s *verdict.Shard) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d %d %t %q %q %q %q %q %q", s.Index, s.Count, s.Complete, s.Version, s.Program, s.Options, s.Division, s.Inputs, s.Found)
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// endOf says how a context ended.
func endOf(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "time limit reached"
	}
	return "interrupted"
}

// MergeError says why results cannot be merged.
type MergeError struct{ Why string }

func (e *MergeError) Error() string { return e.Why }

// Merge returns the answer of an exploration, given the answers about all its shards: the same as that of one run. If
// they have parts of a proof, or proofs asks for one, it is put together and checked. The error is a *MergeError if a
// shard is missing, is there twice, or belongs to another exploration.
func Merge(ctx context.Context, shards []verdict.Result, proofs query.Proofs) (query.Answer, error) {
	if err := mergeable(shards); err != nil {
		return query.Answer{}, err
	}
	for i := range shards { // in any order
		asked := shards[i].Asked
		proofs.Certified = proofs.Certified || asked != nil && asked.Options["certified"] == true
	}
	first := &shards[0]
	x, err := reopen(ctx, first, proofs)
	if err != nil {
		return query.Answer{}, err
	}
	var sum Partial
	seconds, unfinished := 0.0, ""
	for i := range shards {
		r := &shards[i]
		var one Partial
		if err := json.Unmarshal([]byte(r.Shard.Found), &one); err != nil || r.Shard.Sum != sumOf(r.Shard) {
			return query.Answer{}, &MergeError{fmt.Sprintf("shard %d is damaged", r.Shard.Index)}
		}
		sum.Add(one)
		seconds += r.Stats.Seconds
		if !r.Shard.Complete && !one.Over() {
			unfinished = fmt.Sprintf("shard %d is not complete: ended", r.Shard.Index)
		}
	}
	if sum.Again() {
		return query.Answer{}, &MergeError{"the shards access memory in parts of different sizes, and cannot be merged; check the program in one run"}
	}
	return x.Answer(ctx, sum, unfinished, time.Duration(seconds*float64(time.Second)))
}

// mergeable returns an error unless results are all shards of one exploration.
func mergeable(shards []verdict.Result) error {
	seen := map[int]bool{}
	for i := range shards {
		s, f := shards[i].Shard, shards[0].Shard
		switch {
		case s == nil:
			return &MergeError{fmt.Sprintf("result %d is not about a shard", i+1)}
		case s.Index < 0 || s.Index >= s.Count:
			return &MergeError{fmt.Sprintf("shard %d/%d does not exist", s.Index, s.Count)}
		case s.Count != f.Count:
			return &MergeError{fmt.Sprintf("shards of %d and of %d", f.Count, s.Count)}
		case s.Version != f.Version:
			return &MergeError{"the shards were explored by different versions"}
		case s.Program != f.Program:
			return &MergeError{"the shards are about different programs"}
		case shards[i].Model != shards[0].Model:
			return &MergeError{"the shards are about different memory models"}
		case s.Options != f.Options:
			return &MergeError{"the shards were explored with different options"}
		case s.Division != f.Division:
			return &MergeError{"the shards were divided in different ways"}
		case seen[s.Index]:
			return &MergeError{fmt.Sprintf("shard %d is there twice", s.Index)}
		}
		seen[s.Index] = true
	}
	if len(shards) == 0 {
		return &MergeError{"there is no shard"}
	}
	for i := range shards[0].Shard.Count {
		if !seen[i] {
			return &MergeError{fmt.Sprintf("shard %d of %d is missing", i, shards[0].Shard.Count)}
		}
	}
	return nil
}

// reopen opens the exploration that a shard belongs to, from what its result has.
func reopen(ctx context.Context, r *verdict.Result, proofs query.Proofs) (*Exploration, error) {
	if r.Asked == nil || len(r.Shard.Inputs) == 0 {
		return nil, &MergeError{"the result does not say what was asked"}
	}
	var opt query.CheckOptions
	if err := pipeline.Recall(r.Asked.Options, &opt); err != nil {
		return nil, &MergeError{err.Error()}
	}
	if r.Asked.Options["c"] != nil { // included files could be read
		opt.C.Include = func(name string) ([]byte, bool) {
			text, ok := r.Shard.Files[name]
			return []byte(text), ok
		}
	}
	opt.Models = query.Models{query.Model(r.Model)}
	opt.Certified = opt.Certified || proofs.Certified
	opt.Certificate, opt.Tool = proofs.Certificate, Version()
	in := query.Input{Name: r.Shard.Inputs[0], Text: []byte(r.Shard.Files[r.Shard.Inputs[0]])}
	for _, name := range r.Shard.Inputs[1:] {
		in.More = append(in.More, query.File{Name: name, Text: []byte(r.Shard.Files[name])})
	}
	e, diags, err := check.Open(ctx, in, opt, buildVersion())
	if err != nil {
		return nil, err
	}
	if e == nil {
		why := "the program is refused"
		if len(diags) > 0 {
			why += ": " + diags[len(diags)-1].Message
		}
		return nil, &MergeError{why}
	}
	x := &Exploration{e}
	stored := Identity{Version: r.Shard.Version, Program: r.Shard.Program, Model: query.Model(r.Model), Options: r.Shard.Options}
	if different := x.Identity().Differs(stored); different != nil {
		return nil, &MergeError{"the shards belong to " + different.Whose()}
	}
	return x, nil
}
