package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"fencepost/query"
	"fencepost/render"

	"github.com/spf13/cobra"
)

const proveHelp = `Prove that a program reaches the same shared states with and without store
buffers, for any number of threads and any data, and that its assertions hold.

The first lines say whether the program is proved, for which threads and for which
data. Then there are two tables. The first lists every assertion: proved by induction,
proved by a search under SC, or not proved, with a state that the proof does not exclude
and, if one is known, the condition that excludes it. The second lists every store and
every load that can overtake one, with its type of mover and why. A store is atomic if
it moves left across everything that other threads do, or if every load that can
overtake it moves right; an SMT solver checks this for two instructions at a time. Pairs
that do not commute are listed with a state that shows it, and with what would help. The
last line has PO, the number of proof obligations, and VT, the verification time, as in
the paper [BEMT18].

A template stands for any number of threads: "thread worker * n" in .fp; in C
--replicate, or //@ replicate before the function. Invariants ("invariant e;" in .fp;
in C //@ invariant e before a statement, or //@ global e) are checked and then used;
they may be about ghost variables, which //@ ghost x = e; sets and the program does not
access. fencepost finds simple invariants itself. If loads or read-modify-writes do not
commute, fencepost may abstract them, so that they can do more than in the program.
The proof is then about the abstracted program: what holds for it under SC holds for
the program under TSO.

With --model pso the proof must also show that no store can be overtaken by a younger
store of its thread: then PSO is TSO.

A failed proof does not mean that the program is wrong. Instances of up to three threads
per template are searched, and an execution that violates an assertion is
shown. This command needs z3 or cvc5. FILE is a program, or - for standard input.
Several C files form one program.

Exit codes: 0 proved, including all assertions; 1 an execution violates an assertion;
2 not proved; 3 bad input or usage, or no solver; 4 internal error.`

const proveExample = `  fencepost prove queue.fp
  fencepost prove queue.fp --check-with cvc5 --proof queue.json
  fencepost prove queue.c --replicate worker
  fencepost prove queue.fp --no-abstraction --json`

func (a *app) proveCommand() *cobra.Command {
	opt := query.ProveOptions{Options: query.Defaults(), Model: query.TSO}
	var asJSON bool
	var dir, stored string
	cmd := &cobra.Command{
		Use:     "prove FILE...",
		Short:   "Prove that any number of threads behave on x86 as under SC",
		Long:    proveHelp,
		Example: proveExample,
		Args:    oneProgram,
		RunE:    func(_ *cobra.Command, args []string) error { return a.prove(args, opt, dir, stored, asJSON) },
	}
	addOptions(cmd, &opt)
	readC(cmd, &opt.Options)
	bind(cmd, "smt", &dir)
	bind(cmd, "proof", &stored)
	bind(cmd, "json", &asJSON)
	return cmd
}

func (a *app) prove(names []string, opt query.ProveOptions, dir, stored string, asJSON bool) error {
	if opt.Memory == 0 {
		opt.Memory = defaultMemory()
	}
	questions := questionFiles{dir: dir}
	if dir != "" {
		if err := questions.open(); err != nil {
			return err
		}
		opt.Questions = questions.write
	}
	ask := func(ctx context.Context, in query.Input) (query.Answer, error) { return a.services.prove(ctx, in, opt) }
	return a.answer(names, &opt.Options, ask, func(answer query.Answer) error {
		if questions.err != nil {
			return questions.err
		}
		if stored != "" {
			if err := a.store(stored, answer); err != nil {
				return err
			}
		}
		return a.render(asJSON, answer)
	})
}

// questionFiles writes questions into a directory.
type questionFiles struct {
	dir string
	err error // the first that could not be written
}

// open makes the directory. One with files of questions is refused: they may be of another proof.
func (q *questionFiles) open() error {
	if err := os.MkdirAll(q.dir, 0o777); err != nil {
		return fmt.Errorf("--smt: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(q.dir, "*.smt2"))
	if err == nil && len(old) > 0 {
		return &usageError{fmt.Sprintf("--smt: %s has SMT-LIB files already", q.dir), "name a directory without any"}
	}
	return err
}

func (q *questionFiles) write(x query.SMTQuestion) {
	name := filepath.Join(q.dir, fmt.Sprintf("%05d-%s.smt2", x.Number, x.Status))
	if err := os.WriteFile(name, []byte(x.Text), 0o666); err != nil && q.err == nil {
		q.err = fmt.Errorf("--smt: %w", err)
	}
}

// store writes an answer as JSON.
func (a *app) store(name string, answer query.Answer) error {
	var b bytes.Buffer
	if err := render.JSON(&b, answer.Results, answer.Diagnostics); err != nil {
		return err
	}
	if name == "-" {
		return &usageError{"--proof: want a file", "--json prints the proof on standard output"}
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("--proof: %w", err)
	}
	return nil
}
