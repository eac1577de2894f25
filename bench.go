package fencepost

import (
	"context"
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fencepost/internal/inputfile"
	"fencepost/internal/papers"
	"fencepost/internal/suite"
	"fencepost/query"
	"fencepost/verdict"
)

// benchPrograms are our versions of the papers' programs.
//
//go:embed testdata/corpus/cilk-the.txtar testdata/corpus/dekker*.txtar testdata/corpus/double-checked-locking*.txtar testdata/corpus/lamport-fast*.txtar
//go:embed testdata/corpus/lock-clh.txtar testdata/corpus/lock-mcs.txtar testdata/corpus/nbw-*.txtar testdata/corpus/parker*.txtar testdata/corpus/peterson*.txtar
//go:embed testdata/corpus/szymanski*.txtar testdata/corpus/treiber-stack.txtar testdata/bmc/fib.c testdata/bmc/parker.fp testdata/bmc/stack.c
//go:embed testdata/papers/*.c internal/engine/mover/testdata/*.fp
var benchPrograms embed.FS

// BenchTable is a table of a paper that Bench can run.
type BenchTable struct{ Name, Doc string }

// BenchTables returns the tables that Bench knows.
func BenchTables() []BenchTable {
	var out []BenchTable
	for _, t := range papers.All() {
		out = append(out, BenchTable{t.Name, t.Doc})
	}
	return out
}

// Bench runs the programs of a paper's table and returns our figures beside those of the paper. One program is
// asked at a time, with one worker. An error is about the name or the directory, before anything ran, or says that
// a program of ours cannot be read.
func Bench(ctx context.Context, name string, opt query.BenchOptions) (verdict.Bench, error) {
	table, ok := papers.Find(name)
	if !ok {
		return verdict.Bench{}, fmt.Errorf("there is no table %q", name)
	}
	if opt.Dir != "" {
		if table.Ask != papers.Fences {
			return verdict.Bench{}, fmt.Errorf("%s takes no directory", name)
		}
		rows, err := trencherRows(opt.Dir)
		if err != nil {
			return verdict.Bench{}, err
		}
		table.Rows, table.Theirs = rows, "the figures of expected.tsv"
	}
	out := verdict.Bench{Name: table.Name, Paper: table.Paper, Doc: table.Doc, Count: table.Count, Theirs: table.Theirs}
	for i := range table.Rows {
		if ctx.Err() != nil {
			break
		}
		row, err := benchRow(ctx, table, &table.Rows[i], opt)
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, row)
		if opt.Done != nil {
			opt.Done(&row)
		}
		if opt.Tested != nil {
			opt.Tested(i+1, len(table.Rows))
		}
	}
	return out, nil
}

// benchRow asks about one program.
func benchRow(ctx context.Context, table *papers.Table, r *papers.Row, opt query.BenchOptions) (verdict.BenchRow, error) {
	out := verdict.BenchRow{
		Program: r.Program, Source: r.Source, N: r.N, Model: r.Model, Options: strings.Join(r.Options, " "), PaperAnswer: r.Answer, PaperCount: r.Count, PaperSeconds: r.Seconds,
	}
	with := query.CheckOptions{Options: query.Defaults(), Models: []query.Model{query.Model(r.Model)}}
	with.Timeout, with.Memory, with.Workers = opt.Timeout, opt.Memory, 1
	if err := setOptions(&with, r.Options); err != nil {
		return out, fmt.Errorf("%s: %w", r.Source, err)
	}
	in, err := benchInput(r, &with)
	if err != nil {
		return out, fmt.Errorf("%s: %w", r.Source, err)
	}
	start := time.Now()
	err = askBench(ctx, table, in, with, &out)
	out.Seconds = time.Since(start).Seconds()
	if err != nil { // the program is not read, or the engine does not take it
		out.Answer, out.Note = "refused", err.Error()
	}
	return out, nil
}

// askBench asks the question of a table and fills in the answer and the count.
func askBench(ctx context.Context, table *papers.Table, in query.Input, with query.CheckOptions, out *verdict.BenchRow) error {
	var answer query.Answer
	var err error
	switch table.Ask {
	case papers.Traces:
		traces, err := Traces(ctx, in, query.TraceOptions{Options: with.Options, Model: with.Models[0]})
		if err != nil || traces.HasErrors() {
			return refused(query.Answer{Diagnostics: traces.Diagnostics}, err)
		}
		out.Answer, out.Count, out.Note = "all traces", traces.Set.Count, traces.Set.Reason
		if !traces.Set.Coverage.Exhaustive || traces.Set.Reason != "" {
			out.Answer = verdict.Unknown.String()
			if out.Note == "" {
				out.Note = traces.Set.Coverage.BoundText()
			}
		}
		return nil
	case papers.Fences:
		answer, err = Fences(ctx, in, query.FenceOptions{Options: with.Options, Deadlock: with.Deadlock})
	case papers.Prove:
		answer, err = Prove(ctx, in, query.ProveOptions{Options: with.Options})
	default:
		with.Engines = []query.Engine{query.Engine(table.Engine)}
		answer, err = Check(ctx, in, with)
	}
	if err != nil || answer.HasErrors() || len(answer.Results) == 0 {
		return refused(answer, err)
	}
	r := &answer.Results[0]
	out.Answer, out.Count = r.Verdict.String(), r.Stats.States
	switch {
	case table.Ask == papers.Fences && r.Verdict == verdict.Safe:
		out.Answer, out.Count = "robust", int64(len(r.Fences))
		if len(r.Fences) > 0 {
			out.Answer = "not robust"
		}
	case r.Proof != nil:
		out.Count = int64(r.Proof.Obligations)
	case table.Count == "executions":
		out.Count = r.Stats.Executions
	case table.Count == "clauses":
		out.Count = r.Stats.Clauses
	}
	if r.Verdict == verdict.Unknown {
		out.Note = r.Reason
	}
	return nil
}

// refused returns the error, or the first message about the program.
func refused(answer query.Answer, err error) error {
	if err != nil {
		return err
	}
	for _, d := range answer.Diagnostics {
		if d.Severity == verdict.SeverityError {
			return fmt.Errorf("%s: %s", d.Pos, d.Message)
		}
	}
	return fmt.Errorf("no answer")
}

// setOptions reads options in the form of the command line.
func setOptions(with *query.CheckOptions, words []string) error {
	into := map[string]*int{
		"--unroll": &with.Unroll, "--buffer": &with.Buffer, "--threads": &with.Threads, "--rounds": &with.BMC.Rounds, "--clock": &with.BMC.Clock, "--queue": &with.BMC.Queue,
	}
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == "-D" {
			with.C.Defines = append(with.C.Defines, words[i+1])
			continue
		}
		n, err := strconv.Atoi(words[i+1])
		if into[words[i]] == nil || err != nil {
			return fmt.Errorf("unknown option %s %s", words[i], words[i+1])
		}
		*into[words[i]] = n
	}
	return nil
}

// benchInput returns the program of a row, and sets the options that it brings.
func benchInput(r *papers.Row, with *query.CheckOptions) (query.Input, error) {
	kind, name, _ := strings.Cut(r.Source, "/")
	switch kind {
	case "family":
		text, err := Generate(name, r.N)
		return query.Input{Name: name + ".fp", Text: []byte(text)}, err
	case "corpus":
		text, err := benchPrograms.ReadFile("testdata/corpus/" + name + suite.ArchiveExtension)
		if err != nil {
			return query.Input{}, err
		}
		return ReadArchive(text, with)
	case "bmc", "mover", "papers":
		dir := map[string]string{"bmc": "testdata/bmc", "papers": "testdata/papers", "mover": "internal/engine/mover/testdata"}[kind]
		text, err := benchPrograms.ReadFile(path.Join(dir, name))
		return query.Input{Name: name, Text: text}, err
	default:
		text, err := inputfile.Read(r.Source)
		return query.Input{Name: r.Source, Text: text}, err
	}
}

// trencherRows returns a row for each program of a directory, with the figures of its file expected.tsv.
func trencherRows(dir string) ([]papers.Row, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no file in %s ends in .txt", dir)
	}
	figures := map[string]map[string]string{}
	if text, err := inputfile.Read(filepath.Join(dir, "expected.tsv")); err == nil {
		var head []string
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
			if head == nil {
				head = fields
				continue
			}
			one := map[string]string{}
			for i := range min(len(head), len(fields)) {
				one[head[i]] = fields[i]
			}
			figures[fields[0]] = one
		}
	}
	var rows []papers.Row
	for _, name := range names {
		f := figures[filepath.Base(name)]
		answer := map[string]string{"yes": "robust", "no": "not robust"}[f["robust"]]
		if !filepath.IsAbs(name) {
			name = "./" + filepath.ToSlash(name) // a path, not a program of ours
		}
		rows = append(rows, papers.Row{Program: strings.TrimSuffix(filepath.Base(name), ".txt"), Source: name, Model: "tso", Answer: answer, Count: f["fences"], Seconds: f["trencher_cpu_s_f"]})
	}
	return rows, nil
}
