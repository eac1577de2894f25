package fencepost_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// TestStoredAtOnce: a check that is interrupted before it explores anything stores that, too, and continues.
func TestStoredAtOnce(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	in := member(t, "sbn")
	x, diags, err := fencepost.NewExploration(context.Background(), in, query.CheckOptions{Deadlock: true})
	if err != nil || x == nil {
		t.Fatal(err, diags)
	}
	var saved []fencepost.Checkpoint
	end, err := x.Continue(ended, x.Begin(), 1, time.Hour, func(c fencepost.Checkpoint) { saved = append(saved, c) })
	if err != nil || len(end.Tasks) == 0 || len(saved) != 1 || len(saved[0].Tasks) != len(end.Tasks) {
		t.Fatalf("%v, %d tasks left, %d checkpoints", err, len(end.Tasks), len(saved))
	}
	data, err := saved[0].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	from, err := x.Checkpoint(data)
	if err != nil {
		t.Fatal(err)
	}
	end, err = x.Continue(context.Background(), from, 1, time.Hour, nil)
	if err != nil || len(end.Tasks) > 0 {
		t.Fatal(err)
	}
	one, err := fencepost.Check(context.Background(), in, query.CheckOptions{Deadlock: true, Engines: []query.Engine{"rf"}})
	if err != nil || end.Found.Fingerprint() != one.Results[0].Stats.Fingerprint {
		t.Errorf("%v, fingerprint %s", err, end.Found.Fingerprint())
	}
}

// TestStateSearch: a search of states that is interrupted as often as possible answers as one run does, and its
// checkpoints are of use for it alone.
func TestStateSearch(t *testing.T) {
	in := member(t, "fib")
	opt := query.CheckOptions{Deadlock: true, Engines: []query.Engine{"explicit"}}
	opt.Workers = 1
	ctx := context.Background()
	one, err := fencepost.Check(ctx, in, opt)
	if err != nil {
		t.Fatal(err)
	}
	open := func(in query.Input, opt query.CheckOptions) *fencepost.StateSearch {
		t.Helper()
		s, diags, err := fencepost.NewStateSearch(ctx, in, opt)
		if err != nil || s == nil {
			t.Fatal(err, diags)
		}
		return s
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	var stored bytes.Buffer
	save := func(write func(io.Writer) error) {
		stored.Reset()
		if err := write(&stored); err != nil {
			t.Fatal(err)
		}
	}
	times := 0
	for {
		s := open(in, opt)
		if times > 0 {
			if err := s.Resume(bytes.NewReader(stored.Bytes())); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Continue(ended, time.Hour, save); err != nil {
			t.Fatal(err)
		}
		times++
		answer, err := s.Answer(ended)
		if err != nil || len(answer.Results) != 1 {
			t.Fatal(err)
		}
		got, want := answer.Results[0], one.Results[0]
		if !s.Over() {
			if got.Verdict != verdict.Unknown {
				t.Fatalf("%v before the end", got.Verdict)
			}
			continue
		}
		if got.Verdict != want.Verdict || got.Stats.States != want.Stats.States || got.Stats.Transitions != want.Stats.Transitions ||
			got.Stats.Depth != want.Stats.Depth || got.Stats.FinalStates != want.Stats.FinalStates {
			t.Errorf("%v %+v, want %v %+v", got.Verdict, got.Stats, want.Verdict, want.Stats)
		}
		break
	}
	if times < 5 {
		t.Errorf("interrupted %d times only", times)
	}
	other, pso := opt, opt
	other.Deadlock, other.KeepGoing = true, true
	pso.Models = []query.Model{query.PSO}
	for what, s := range map[string]*fencepost.StateSearch{"program": open(member(t, "sbn"), opt), "memory model": open(in, pso), "options": open(in, other)} {
		different := (*fencepost.DifferentError)(nil)
		if err := s.Resume(bytes.NewReader(stored.Bytes())); !errors.As(err, &different) || different.What != what {
			t.Errorf("another %s: %v", what, err)
		}
	}
	for _, data := range [][]byte{nil, stored.Bytes()[1:], append(bytes.Clone(stored.Bytes()), 0), stored.Bytes()[:40]} {
		if err := open(in, opt).Resume(bytes.NewReader(data)); !errors.Is(err, fencepost.ErrCheckpoint) {
			t.Errorf("%d bytes: %v", len(data), err)
		}
	}
	fair := opt
	fair.Liveness = query.LivenessFair
	if _, _, err := fencepost.NewStateSearch(ctx, in, fair); err == nil {
		t.Error("fair endless executions are accepted")
	}
}
