package fencepost_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// member returns a member of a family that is quickly explored, with something to check.
func member(t testing.TB, name string) query.Input {
	t.Helper()
	size := map[string]int{"diamond": 2, "lamport": 2, "szymanski": 1, "fib": 3, "casrot": 5, "lastzero": 7, "readers": 8, "sbn": 8, "ainc": 5, "bufw": 12}[name]
	if size == 0 {
		size = 3
	}
	text, err := fencepost.Generate(name, size)
	if err != nil {
		t.Fatal(err)
	}
	return query.Input{Name: name + ".fp", Text: []byte(text)}
}

// shards explores all shards, and stores and reads each result.
func shards(t *testing.T, in query.Input, opt query.CheckOptions, n int) []verdict.Result {
	t.Helper()
	var all []verdict.Result
	for i := range n {
		x, diags, err := fencepost.NewExploration(context.Background(), in, opt)
		if err != nil || x == nil {
			t.Fatal(err, diags)
		}
		a, err := x.ShardAnswer(context.Background(), i, n, 1+i%2)
		if err != nil || len(a.Results) != 1 {
			t.Fatal(err)
		}
		text, err := json.Marshal(a.Results[0])
		var back verdict.Result
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, back)
	}
	return all
}

// TestShards: merging all shards of 2, 3 and 7 answers as one run does, with the same numbers, on all families.
func TestShards(t *testing.T) {
	divided := 0
	for k, f := range fencepost.Families() {
		in := member(t, f.Name)
		for j, n := range []int{2, 3, 7} {
			model := query.AllModels()[(k+j)%3]
			opt := query.CheckOptions{Options: query.Options{Unroll: 4}, Models: []query.Model{model}, Engines: []query.Engine{"rf"}, Finals: true, KeepGoing: true}
			one, err := fencepost.Check(context.Background(), in, opt)
			if err != nil || len(one.Results) != 1 {
				t.Fatalf("%s: %v %v", f.Name, err, one.Diagnostics)
			}
			parts := shards(t, in, opt, n)
			slices.Reverse(parts)
			merged, err := fencepost.Merge(context.Background(), parts, query.Proofs{})
			if err != nil || len(merged.Results) != 1 {
				t.Fatalf("%s: %v", f.Name, err)
			}
			want, got := summaryOf(t, &one.Results[0]), summaryOf(t, &merged.Results[0])
			if want != got {
				t.Errorf("%s under %s in %d shards:\n%s\n%s", f.Name, model, n, want, got)
			}
			for i := range parts {
				if parts[i].Stats.Executions > 0 && parts[i].Stats.Executions < one.Results[0].Stats.Executions {
					divided++
				}
			}
		}
	}
	if divided < 40 {
		t.Errorf("only %d shards have a part of the executions", divided)
	}
}

// summaryOf has all of a result that does not depend on the order of executions.
func summaryOf(t *testing.T, r *verdict.Result) string {
	t.Helper()
	stats := r.Stats
	stats.Seconds, stats.Bytes = 0, 0
	text, err := json.Marshal([]any{r.Verdict, r.Question, r.Model, r.Engine, len(r.Others), stats, r.Coverage, r.FinalStates, r.Warnings, r.Asked})
	if err != nil || stats.Fingerprint == "" {
		t.Fatal(err, string(text))
	}
	return string(text)
}

// TestMergeRefusals: shards that are missing, doubled, mixed or damaged are refused.
func TestMergeRefusals(t *testing.T) {
	in := member(t, "sbn")
	opt := query.CheckOptions{Options: query.Options{Unroll: 4}, Finals: true}
	good := shards(t, in, opt, 3)
	pso := opt
	pso.Models = []query.Model{query.PSO}
	going := opt
	going.KeepGoing = true
	with := func(i int, r verdict.Result) []verdict.Result {
		out := slices.Clone(good)
		out[i] = r
		return out
	}
	damaged, version, division := good[1], good[1], good[1]
	for _, c := range []struct {
		r      *verdict.Result
		change func(*verdict.Shard)
	}{
		{&damaged, func(s *verdict.Shard) { s.Found = s.Found[1:] }},
		{&version, func(s *verdict.Shard) { s.Version = "v0.0.0" }},
		{&division, func(s *verdict.Shard) { s.Division = "" }},
	} {
		shard := *c.r.Shard
		c.change(&shard)
		c.r.Shard = &shard
	}
	changed := slices.Clone(good)
	for i := range changed {
		shard := *changed[i].Shard
		shard.Files = map[string]string{in.Name: string(in.Text) + "\n"}
		changed[i].Shard = &shard
	}
	for _, c := range []struct {
		want   string
		shards []verdict.Result
	}{
		{"there is no shard", nil},
		{"shard 1 of 3 is missing", []verdict.Result{good[0], good[2]}},
		{"shard 1 is there twice", with(0, good[1])},
		{"shards of 3 and of 2", with(2, shards(t, in, opt, 2)[1])},
		{"different programs", with(1, shards(t, member(t, "bufw"), opt, 3)[1])},
		{"different memory models", with(1, shards(t, in, pso, 3)[1])},
		{"different options", with(1, shards(t, in, going, 3)[1])},
		{"different versions", with(1, version)},
		{"divided in different ways", with(1, division)},
		{"shard 1 is damaged", with(1, damaged)},
		{"is not about a shard", with(1, verdict.Result{})},
		{"another program", changed},
	} {
		_, err := fencepost.Merge(context.Background(), c.shards, query.Proofs{})
		if wrong := (*fencepost.MergeError)(nil); !errors.As(err, &wrong) || !strings.Contains(wrong.Why, c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
	if _, err := fencepost.Merge(context.Background(), good, query.Proofs{}); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][2]int{{0, 0}, {3, 3}, {-1, 2}} {
		x, _, err := fencepost.NewExploration(context.Background(), in, opt)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.ShardAnswer(context.Background(), wrong[0], wrong[1], 1); err == nil {
			t.Error(fmt.Sprint(wrong), "is accepted")
		}
	}
}

// TestMergeDamage: a byte that changes in the file of a shard is noticed, or changes nothing that is added up.
func TestMergeDamage(t *testing.T) {
	in := member(t, "sbn")
	good := shards(t, in, query.CheckOptions{Options: query.Options{Unroll: 4}, Finals: true}, 2)
	whole, err := fencepost.Merge(context.Background(), good, query.Proofs{})
	if err != nil {
		t.Fatal(err)
	}
	want := summaryOf(t, &whole.Results[0])
	text, err := json.Marshal(good[1])
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := 0; n < len(text); n += max(1, len(text)/150) {
		changed := slices.Clone(text)
		changed[n] ^= 1
		var r verdict.Result
		if json.Unmarshal(changed, &r) != nil {
			refused++
			continue
		}
		a, err := fencepost.Merge(context.Background(), []verdict.Result{good[0], r}, query.Proofs{})
		if err != nil {
			refused++
		} else if got := summaryOf(t, &a.Results[0]); got != want {
			t.Errorf("byte %d of %q:\n%s\n%s", n, text[max(0, n-30):min(n+30, len(text))], got, want)
		}
	}
	if refused < 50 {
		t.Errorf("only %d changed files are refused", refused)
	}
}

// sizes accesses u in two sizes, never both in one execution.
const sizes = `#include <assert.h>
#include <pthread.h>
union { long l; int i[2]; } u;
volatile int x;
void *set(void *p) { x = 1; return p; }
void *use(void *p) { if (p) u.i[0] = 1; else u.l = 1; return p; }
int main(void) {
  pthread_t s, a, b;
  pthread_create(&s, 0, set, 0);
  void *p = x ? &u : 0;
  pthread_create(&a, 0, use, p);
  pthread_create(&b, 0, use, p);
  pthread_join(a, 0), pthread_join(b, 0), pthread_join(s, 0);
  assert(x == 1);
  return 0;
}
`

// TestPartsOfOtherSizes: parts that are exact each for itself, but have accessed the same bytes in different sizes, are
// not exact together. The sum says so, and the exploration that starts again has the numbers of one run.
func TestPartsOfOtherSizes(t *testing.T) {
	ctx := context.Background()
	in := query.Input{Name: "sizes.c", Text: []byte(sizes)}
	opt := query.CheckOptions{Models: []query.Model{query.TSO}, Engines: []query.Engine{"rf"}}
	one, err := fencepost.Check(ctx, in, opt)
	if err != nil || len(one.Results) != 1 || one.Results[0].Verdict != verdict.Safe {
		t.Fatal(err, one)
	}
	x, diags, err := fencepost.NewExploration(ctx, in, opt)
	if err != nil || x == nil {
		t.Fatal(err, diags)
	}
	again := 0
	for root := x.Root(); ; again++ {
		sum, tasks, err := x.Split(ctx, root, 2)
		if err != nil || len(tasks) < 2 {
			t.Fatal(err, len(tasks))
		}
		for _, task := range tasks {
			found, left, err := x.Run(ctx, fencepost.Limit{}, task)
			if err != nil || len(left) > 0 {
				t.Fatal(err, left)
			}
			if found.Again() {
				t.Fatal("one part has accesses of both sizes: the program does not fit the test")
			}
			sum.Add(found)
		}
		if sum.Again() {
			root = x.Restart(sum)
			continue
		}
		if again == 0 {
			t.Error("parts with accesses of different sizes are added up")
		}
		if got, want := sum.Fingerprint(), one.Results[0].Stats.Fingerprint; got != want || sum.Executions() != one.Results[0].Stats.Executions {
			t.Errorf("%d executions with fingerprint %s, want %d with %s", sum.Executions(), got, one.Results[0].Stats.Executions, want)
		}
		return
	}
}
