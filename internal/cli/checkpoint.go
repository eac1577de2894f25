package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost"
	"fencepost/internal/scratch"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

// Checks that are stored and continued.

// partsFlags are the options of a check that is done in parts.
type partsFlags struct {
	checkpoint string
	resume     string
	every      time.Duration
	shard      shardValue
}

// defaultEvery is the time between two checkpoints.
const defaultEvery = 30 * time.Second

func (p *partsFlags) flags(cmd *cobra.Command) {
	p.every = defaultEvery
	bind(cmd, "checkpoint", &p.checkpoint)
	bind(cmd, "resume", &p.resume)
	bind(cmd, "checkpoint-every", &p.every)
	bind(cmd, "shard", &p.shard)
}

// on reports whether the check is done in parts.
func (p *partsFlags) on() bool { return p.checkpoint != "" || p.resume != "" || p.shard.n > 0 }

// refuse returns an error for options that do not go together.
func (p *partsFlags) refuse(f *checkFlags) error {
	flag := "--checkpoint"
	if p.checkpoint == "" {
		flag = "--resume"
	}
	if p.shard.n > 0 {
		if p.checkpoint != "" || p.resume != "" {
			return &usageError{flag + " cannot be given with --shard", "a shard is explored at once; give more shards instead"}
		}
		flag = "--shard"
	}
	no := func(what, hint string) error {
		return &usageError{fmt.Sprintf("%s cannot be given with %s", flag, what), hint}
	}
	engines := f.opt.Engines.String()
	states := engines == "explicit"
	switch {
	case states && p.shard.n > 0:
		return no("--engine explicit", "its states are one set, which every shard would need; leave --engine out, or give --engine rf")
	case engines != "" && engines != "rf" && !states:
		return no("--engine "+engines, "only the engines rf and explicit can continue; leave --engine out")
	case len(f.opt.Models) != 1:
		return no("several memory models", "ask about one model at a time, with a file for each")
	case states && f.opt.Models[0] == query.C11:
		return no("--engine explicit under c11", "engine rf explores c11; leave --engine out")
	case f.opt.AnyThreads:
		return no("--param", "give --threads")
	case f.opt.Leaks:
		return no("--leaks", "check for memory leaks in another run")
	case f.opt.Races:
		return no("--races", "check for data races in another run")
	case f.opt.Robustness:
		return no("--robustness", "use `fencepost robust`")
	case f.opt.CrossCheck:
		return no("--cross-check", "one engine answers alone")
	case f.opt.NoReduction && !states:
		return no("--no-reduction", "engine rf explores one execution per class")
	case f.opt.Liveness == query.LivenessFair && states:
		return no("--liveness fair", "fair endless executions are another search, which is not stored; use --liveness spin")
	case p.every <= 0:
		return &usageError{"--checkpoint-every needs a time", "give a time such as 30s"}
	}
	if p.checkpoint == "-" || p.resume == "-" {
		return &usageError{"a checkpoint cannot go to standard output", "give a file name"}
	}
	if p.checkpoint != "" && p.checkpoint != p.resume {
		if _, err := os.Stat(p.checkpoint); err == nil {
			return &usageError{fmt.Sprintf("%s exists", p.checkpoint), fmt.Sprintf("continue with --resume %s, or remove the file to start again", p.checkpoint)}
		}
		if err := writable(p.checkpoint); err != nil {
			return cannotWrite(p.checkpoint, err, "check the path given with --checkpoint")
		}
	}
	return nil
}

// exploreInParts asks about a program in parts.
func exploreInParts(ctx context.Context, a *app, in query.Input, f *checkFlags) (query.Answer, error) {
	ctx, cancel := limitTime(ctx, f.opt.Timeout)
	defer cancel()
	if f.opt.Engines.String() == "explicit" {
		return exploreStates(ctx, a, in, f)
	}
	x, diags, err := fencepost.NewExploration(ctx, in, f.opt)
	if err != nil || x == nil {
		return notRead(ctx, in, f, diags, err)
	}
	if f.parts.shard.n > 0 {
		return x.ShardAnswer(ctx, f.parts.shard.i, f.parts.shard.n, workersOf(f.opt.Workers))
	}
	from := x.Begin()
	if f.parts.resume != "" {
		if from, err = resumed(x, f.parts.resume); err != nil {
			return query.Answer{}, err
		}
	}
	name := f.parts.file()
	var failed error
	end, err := x.Continue(ctx, from, workersOf(f.opt.Workers), f.parts.every, func(c fencepost.Checkpoint) {
		failed = storeCheckpoint(a, name, func(w io.Writer) error {
			data, err := c.Bytes()
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		})
	})
	if err != nil {
		return query.Answer{}, err
	}
	why := unfinished(ctx, len(end.Tasks))
	if why != "" && failed == nil {
		sayHowToGoOn(a, name)
	}
	if !end.Searching() {
		why = ""
	}
	return x.Answer(context.WithoutCancel(ctx), end.Found, why, end.Took)
}

// notRead returns the answer about a program that could not be read. If the reason is a limit or an interruption, the
// answer is unknown, as it is without parts.
func notRead(ctx context.Context, in query.Input, f *checkFlags, diags []verdict.Diagnostic, err error) (query.Answer, error) {
	errorOf := func(d verdict.Diagnostic) bool { return d.Severity == verdict.SeverityError }
	limited := func(d verdict.Diagnostic) bool { return errorOf(d) && d.Code == overLimit }
	others := func(d verdict.Diagnostic) bool { return errorOf(d) && d.Code != overLimit }
	if err == nil && slices.ContainsFunc(diags, limited) && !slices.ContainsFunc(diags, others) {
		return fencepost.Check(ctx, in, f.opt)
	}
	return query.Answer{Diagnostics: diags}, err
}

// overLimit is the code of the diagnostic about a program that could not be read within the limits.
const overLimit = "FP0916"

// exploreStates asks about a program by a search that is stored.
func exploreStates(ctx context.Context, a *app, in query.Input, f *checkFlags) (query.Answer, error) {
	s, diags, err := fencepost.NewStateSearch(ctx, in, f.opt)
	if err != nil || s == nil {
		return notRead(ctx, in, f, diags, err)
	}
	if f.parts.resume != "" {
		if err := resumeStates(s, f.parts.resume); err != nil {
			return query.Answer{}, err
		}
	}
	name := f.parts.file()
	failed := errors.New("nothing is stored")
	err = s.Continue(ctx, f.parts.every, func(write func(io.Writer) error) { failed = storeCheckpoint(a, name, write) })
	if err != nil {
		return query.Answer{}, err
	}
	answer, err := s.Answer(ctx)
	if err == nil && failed == nil && len(answer.Results) == 1 && answer.Results[0].Verdict == verdict.Unknown && !s.Over() {
		sayHowToGoOn(a, name)
	}
	return answer, err
}

// file returns the file that checkpoints go to.
func (p *partsFlags) file() string {
	if p.checkpoint != "" {
		return p.checkpoint
	}
	return p.resume
}

// storeCheckpoint stores a checkpoint, and says so if that fails: the search goes on.
func storeCheckpoint(a *app, name string, write func(io.Writer) error) error {
	err := replaceFile(name, write)
	if err != nil {
		fmt.Fprintf(a.stderr, "fencepost: cannot write the checkpoint %s: %v\n", name, err)
	}
	return err
}

// sayHowToGoOn says how to continue.
func sayHowToGoOn(a *app, name string) {
	fmt.Fprintf(a.stderr, "fencepost: continue with --resume %s\n", name)
}

// unfinished says why tasks are left, "" if none is.
func unfinished(ctx context.Context, tasks int) string {
	switch {
	case tasks == 0:
		return ""
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "time limit reached"
	default:
		return "interrupted"
	}
}

func limitTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// workersOf returns the number of workers, one per core if none is given.
func workersOf(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// resumed reads the checkpoint of an exploration.
func resumed(x *fencepost.Exploration, name string) (fencepost.Checkpoint, error) {
	f, err := openCheckpoint(name)
	if err != nil {
		return fencepost.Checkpoint{}, err
	}
	defer f.Close()
	if fencepost.IsStateSearch(f) {
		return fencepost.Checkpoint{}, &usageError{name + " is a checkpoint of engine explicit", "also give --engine explicit"}
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return fencepost.Checkpoint{}, openError(name, err)
	}
	c, err := x.Checkpoint(data)
	return c, refusedCheckpoint(name, err)
}

// resumeStates reads the checkpoint of a search.
func resumeStates(s *fencepost.StateSearch, name string) error {
	f, err := openCheckpoint(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return refusedCheckpoint(name, s.Resume(f))
}

// openCheckpoint opens a file. Opening a pipe would block.
func openCheckpoint(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &usageError{fmt.Sprintf("%s is not a file", name), "give the file that --checkpoint wrote"}
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, openError(name, err)
	}
	return f, nil
}

// refusedCheckpoint says why a checkpoint cannot be used.
func refusedCheckpoint(name string, err error) error {
	if other := (*fencepost.DifferentError)(nil); errors.As(err, &other) {
		return &usageError{fmt.Sprintf("%s is a checkpoint of %s", name, other.Whose()), "continue with the same program, memory model, options and version of fencepost, or start again with --checkpoint"}
	}
	if errors.Is(err, fencepost.ErrCheckpoint) {
		return &usageError{fmt.Sprintf("%s: %v", name, err), "start again with --checkpoint"}
	}
	if err != nil {
		return openError(name, err)
	}
	return nil
}

// replaceFile writes a new file beside the old one, waits until it is on the disk, and renames it, so that the file is a
// whole one at every moment: the old one, or the new one.
func replaceFile(name string, write func(io.Writer) error) error {
	dir := filepath.Dir(name)
	f, err := scratch.File(dir, "."+strings.TrimPrefix(filepath.Base(name), ".")+"-")
	if err != nil {
		return err
	}
	err = write(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if d, err := os.Open(dir); err == nil { // the name, too, is on the disk then, where a directory can be synced
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// shardValue is a shard i of n.
type shardValue struct{ i, n int }

// maxShards bounds the number of shards; a larger one is a typing error.
const maxShards = 10_000

func (shardValue) Type() string { return "i/n" }

func (v *shardValue) String() string {
	if v.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", v.i, v.n)
}

func (v *shardValue) Set(s string) error {
	first, second, _ := strings.Cut(s, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || i < 0 || i >= n || n > maxShards {
		return fmt.Errorf("want i/n with i from 0 to n-1, such as 0/4, and n up to %d", maxShards)
	}
	v.i, v.n = i, n
	return nil
}
