package library_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// Another implementation of pthreads as a second opinion about the models: a program with its sources has no final state
// that it does not have with the models. Where it has one, the model allows too little.

var (
	muslFolder    = flag.String("fp.musl", "", "folder with the sources of musl; empty: they are not checked")
	clientCount   = flag.Int("fp.clients", 14, "clients of pthreads that are checked with each implementation")
	firstClient   = flag.Uint64("fp.client", 1, "seed of the first client")
	clientLimitMB = flag.Int64("fp.clientmb", 8, "megabytes of memory for the states of a client")
)

// finals returns the final states of a client, as what its observed variables hold, and whether these are all.
func finals(t *testing.T, text string, model query.Model, dirs ...string) (states []string, complete bool) {
	t.Helper()
	opt := query.CheckOptions{KeepGoing: true, Finals: true, Models: []query.Model{model}, Engines: query.Engines{"explicit"}}
	opt.Liveness, opt.Workers, opt.Memory = query.LivenessOff, 1, *clientLimitMB<<20
	if len(dirs) > 0 {
		opt.C.Defines = []string{"IMPLEMENTATION", "MUSL_SPINS=1"}
		opt.C.IncludeDirs = dirs
		opt.C.Include = func(name string) ([]byte, bool) {
			text, err := os.ReadFile(name)
			return text, err == nil
		}
	}
	answer, err := check.Run(context.Background(), query.Input{Name: "client.c", Text: []byte(text)}, opt)
	if err != nil || answer.HasErrors() || len(answer.Results) != 1 {
		t.Fatalf("%v %v\n%s", err, answer.Diagnostics, text)
	}
	result := answer.Results[0]
	for _, s := range result.FinalStates {
		var kept []string
		for _, field := range strings.Fields(s) {
			switch name, _, _ := strings.Cut(field, "="); name {
			case "x", "y", "flag", "out0", "out1", "out2":
				kept = append(kept, field)
			}
		}
		states = append(states, strings.Join(kept, " "))
	}
	slices.Sort(states)
	for _, v := range append([]verdict.Result{{Verdict: result.Verdict, Reason: result.Reason}}, others(result)...) {
		if v.Verdict == verdict.Unsafe && !strings.HasPrefix(v.Reason, "deadlock") {
			t.Fatalf("%s under %s, %v: %s\n%s", v.Verdict, model, dirs, v.Reason, text)
		}
	}
	return slices.Compact(states), result.Verdict != verdict.Unknown
}

// others returns the further violations of a result.
func others(r verdict.Result) []verdict.Result {
	var out []verdict.Result
	for _, v := range r.Others {
		out = append(out, verdict.Result{Verdict: verdict.Unsafe, Reason: v.Reason})
	}
	return out
}

// implemented compares clients with an implementation, whose headers are in the folders.
func implemented(t *testing.T, n int, dirs ...string) {
	counts := map[string]int{}
	for i := range n {
		seed := *firstClient + uint64(i)
		name, text := clientOf(seed)
		t.Run(fmt.Sprintf("%d %s", seed, name), func(t *testing.T) {
			for _, model := range []query.Model{query.SC, query.TSO} {
				allowed, complete := finals(t, text, model)
				if !complete {
					counts["too big with the model"]++
					continue
				}
				seen, complete := finals(t, text, model, dirs...)
				if !complete {
					counts["too big, compared in part"]++
				}
				counts["comparisons"]++
				counts["final states with the model"] += len(allowed)
				counts["final states with the implementation"] += len(seen)
				counts[name]++
				for _, s := range seen {
					if _, found := slices.BinarySearch(allowed, s); !found {
						t.Fatalf("under %s the model has no final state %s\n%s", model, s, strings.TrimPrefix(text, clientHead))
					}
				}
			}
		})
	}
	t.Logf("%d clients: %v", n, counts)
	for _, f := range families {
		if n >= len(families) && counts[f.name] == 0 {
			t.Errorf("no client with %s was compared", f.name)
		}
	}
}

// TestSmallLocks: the models allow what small locks allow.
func TestSmallLocks(t *testing.T) {
	implemented(t, *clientCount, filepath.Join("testdata", "locks"))
}

// TestMusl: the models allow what the sources of musl allow.
func TestMusl(t *testing.T) {
	if *muslFolder == "" {
		t.Skip("no sources of musl: make musl DIR=folder")
	}
	sources := filepath.Join(*muslFolder, "src", "thread")
	if _, err := os.Stat(filepath.Join(sources, "pthread_mutex_lock.c")); err != nil {
		t.Fatal(fmt.Errorf("%s has no sources of musl: %w", *muslFolder, err))
	}
	implemented(t, *clientCount, filepath.Join("testdata", "musl"), sources)
}
