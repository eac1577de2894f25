package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const linHelp = `Check whether the functions of a C header or file form a linearizable object: a
queue, a stack, a lock and so on. No client and no specification has to be written.

The operations are the functions that share a pointer to one struct, or that work on the
globals of the file; functions such as queue_init and queue_destroy are called before and
after them. Which functions were taken is said before the search, and in the answer; --ops,
--init and --destroy correct it, and so do comments before a function:

  //@ op                    it is an operation, and functions without the comment are not
  //@ op thread producer    one thread makes all calls of it, as in a single-producer queue
  //@ arg v in 1..2         what parameter v can be (default: another number in every call)
  //@ may fail -1           it may return -1 although it need not

Clients with 2, 3 and more concurrent calls are made, up to --calls or until the time is
over, each also after one and two calls that fill the object, and followed by calls that
empty it. Every execution of every client is compared with the calls made one at a time:
by the code itself or, with --spec, by a named kind of object or by functions of the same
names in another C file. Real time counts, too: a call that had returned before another
one began comes first.

--fuzz 40 makes clients with 40 random calls instead, and runs them under random
schedules: for structures whose mistakes need many calls. What goes wrong is shortened.

FILE can also be an object that was compiled with -g, as of C++: its debug information has the
functions, and --ops says what comments would: push:producer, steal=-1.

A violation is the smallest one, and comes with a client as a C program, which -o writes
and ` + "`fencepost check`" + ` answers for.

Exit codes: 0 linearizable in all clients up to that size, 1 not, 2 unknown, 3 bad input
or usage, 4 internal error.`

const linExample = `  fencepost lin stack.h
  fencepost lin queue.h --calls 4 --model sc,tso,c11
  fencepost lin ring.h --spec queue -o ring_client.c
  fencepost lin deque.c --ops push,take,steal --init deque_init
  fencepost lin hash_table.c --fuzz 100 --timeout 10m
  fencepost lin stack.o --calls 3 --model sc,tso,pso`

func linCommand(a *app) *cobra.Command {
	opt := query.LinOptions{Options: query.Defaults(), Models: query.Models{query.TSO}}
	var asJSON bool
	var output, spec, certificate string
	cmd := &cobra.Command{
		Use:     "lin FILE...",
		Short:   "Check whether the functions of a C library form a linearizable object",
		Long:    linHelp,
		Example: linExample,
		Args:    oneLibrary,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := linSpec(a, spec, &opt); err != nil {
				return err
			}
			return a.lin(args, opt, output, certificate, asJSON)
		},
	}
	addOptions(cmd, &opt)
	readC(cmd, &opt.Options)
	bind(cmd, "spec", &spec)
	bind(cmd, "output", &output)
	bind(cmd, "certificate", &certificate)
	bind(cmd, "json", &asJSON)
	return cmd
}

func (a *app) lin(names []string, opt query.LinOptions, output, certificate string, asJSON bool) error {
	done, err := provesObject(a, certificate, names, &opt)
	if err != nil {
		return err
	}
	defer done()
	if !asJSON {
		opt.Found = a.saysObject(names[0])
	}
	ask := func(ctx context.Context, in query.Input) (query.Answer, error) { return a.services.lin(ctx, in, opt) }
	return a.answer(names, &opt.Options, ask, func(answer query.Answer) error {
		if err := writeClient(output, answer); err != nil {
			return err
		}
		return a.render(asJSON, answer)
	})
}

// provesObject prepares the file of a certificate, and refuses questions that have none.
func provesObject(a *app, certificate string, names []string, opt *query.LinOptions) (func(), error) {
	if (opt.Certified || certificate != "") && opt.Fuzz > 0 {
		return nil, &usageError{"there are no proofs with --fuzz", "leave out --certified and --certificate"}
	}
	return proofFile(a, certificate, names, len(opt.Models), &opt.Proofs)
}

// saysObject returns what tells, before the search, which functions are asked about: a search may take long, and the user
// may want to name others.
func (a *app) saysObject(file string) func(*verdict.Linearizability) {
	return func(found *verdict.Linearizability) {
		lines := text.ObjectLines(found)
		for i := range lines {
			lines[i] = file + ": " + lines[i]
		}
		a.say(lines)
	}
}

// oneLibrary demands a header or C file, which may be followed by C files that it needs.
func oneLibrary(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && isObject(args[0]) && cmd.Name() == "lin" {
		if i := slices.IndexFunc(args, func(name string) bool { return !isObject(name) }); i > 0 {
			return &usageError{fmt.Sprintf("%s takes objects or C, not %s together with %s", cmd.Name(), args[0], args[i]), "see `fencepost lin --help`"}
		}
		return nil
	}
	for i, name := range args {
		if ext := filepath.Ext(name); ext != ".c" && ext != ".i" && (i > 0 || ext != ".h") {
			return &usageError{fmt.Sprintf("%s takes a header or C file, and C files that it needs, not %s", cmd.Name(), name), "see `fencepost lin --help`"}
		}
	}
	if len(args) == 0 {
		return oneFile(cmd, args)
	}
	return nil
}

// linSpec reads the specification, if it is a file.
func linSpec(a *app, spec string, opt *query.LinOptions) error {
	switch {
	case spec == "":
	case slices.Contains(query.LinSpecs(), spec):
		opt.Spec = spec
	case strings.HasSuffix(spec, ".c") || strings.HasSuffix(spec, ".h"):
		in, err := a.read(spec)
		if err != nil {
			return err
		}
		opt.SpecFile = in
	default:
		return &usageError{fmt.Sprintf("unknown specification %q", spec), "want " + strings.Join(query.LinSpecs(), ", ") + ", or a C file"}
	}
	return nil
}

// writeClient writes the first client that goes wrong.
func writeClient(file string, answer query.Answer) error {
	if file == "" {
		return nil
	}
	for _, r := range answer.Results {
		if lin := r.Linearizability; lin != nil && lin.Client != "" {
			if err := os.WriteFile(file, []byte(lin.Client), 0o644); err != nil {
				return &usageError{fmt.Sprintf("cannot write the client: %v", err), "give a file that can be written with -o"}
			}
			return nil
		}
	}
	return nil
}
