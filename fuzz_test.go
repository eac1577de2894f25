package fencepost_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"fencepost"
	"fencepost/internal/render/json"
	"fencepost/query"
	"fencepost/verdict"
)

// FuzzCheckpoint: what is no checkpoint, or a damaged one, is refused by an error with a name. The sum over a checkpoint
// is made right here: it is against accidents, and says nothing about who wrote the file.
func FuzzCheckpoint(f *testing.F) {
	in := member(f, "sbn")
	x, diags, err := fencepost.NewExploration(context.Background(), in, query.CheckOptions{Deadlock: true})
	if err != nil || x == nil {
		f.Fatal(err, diags)
	}
	const head = "fencepost checkpoint 1\n"
	add := func(c fencepost.Checkpoint) {
		data, err := c.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		body, _, _ := bytes.Cut(bytes.TrimPrefix(data, []byte(head)), []byte("\n"))
		f.Add(body)
	}
	add(x.Begin())
	if _, err := x.Continue(context.Background(), x.Begin(), 1, time.Nanosecond, add); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.IndexByte(body, '\n') >= 0 {
			return
		}
		c, err := x.Checkpoint(fmt.Appendf(nil, "%s%s\n%x\n", head, body, sha256.Sum256(body)))
		different := (*fencepost.DifferentError)(nil)
		if err != nil && !errors.Is(err, fencepost.ErrCheckpoint) && !errors.As(err, &different) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		if _, err := c.Bytes(); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzStateSearch: what is no stored search, or a damaged one, is refused by an error with a name.
func FuzzStateSearch(f *testing.F) {
	in := member(f, "sbn")
	opt := query.CheckOptions{Deadlock: true, Engines: []query.Engine{"explicit"}}
	opt.Workers = 1
	open := func(tb testing.TB) *fencepost.StateSearch {
		s, diags, err := fencepost.NewStateSearch(context.Background(), in, opt)
		if err != nil || s == nil {
			tb.Fatal(err, diags)
		}
		return s
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	err := open(f).Continue(ended, time.Hour, func(write func(io.Writer) error) {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := open(t).Resume(bytes.NewReader(data))
		different := (*fencepost.DifferentError)(nil)
		if err != nil && !errors.Is(err, fencepost.ErrCheckpoint) && !errors.As(err, &different) {
			t.Fatal(err)
		}
	})
}

// FuzzMerge: stored results of shards are merged, or refused by an error with a reason.
func FuzzMerge(f *testing.F) {
	in := member(f, "sbn")
	opt := query.CheckOptions{Deadlock: true}
	x, diags, err := fencepost.NewExploration(context.Background(), in, opt)
	if err != nil || x == nil {
		f.Fatal(err, diags)
	}
	var all []verdict.Result
	for i := range 2 {
		answer, err := x.ShardAnswer(context.Background(), i, 2, 1)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, answer.Results...)
		var out bytes.Buffer
		if err := json.Report(&out, answer.Results, nil); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	var out bytes.Buffer
	if err := json.Report(&out, all, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		results, err := json.Read(text)
		if err != nil {
			return
		}
		for i := range results {
			if results[i].Shard == nil { // the command refuses it before
				return
			}
		}
		answer, err := fencepost.Merge(context.Background(), results, query.Proofs{})
		wrong := (*fencepost.MergeError)(nil)
		if err != nil && !errors.As(err, &wrong) {
			t.Fatal(err)
		}
		if err == nil && len(answer.Results) != 1 {
			t.Fatalf("%d results", len(answer.Results))
		}
	})
}
