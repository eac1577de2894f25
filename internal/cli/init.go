package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"fencepost/query"

	"github.com/spf13/cobra"
)

const initHelp = `Write a first test of a C library: two threads that call the functions of a header
or C file, the objects that the functions take, and room for assertions.

Names of functions tell their parts. Functions such as queue_init run before the
threads and queue_destroy after them; the first thread calls functions such as push,
the second functions such as pop, and both call all others. Calls of functions such
as trylock, after which everything depends on the result, are comments.

The test is a start: remove what makes no sense together, and say what must hold. A
file that exists is never overwritten.

Exit codes: 0 the test was written; 3 bad input or usage; 4 internal error.`

const initExample = `  fencepost init queue.h -o queue_test.c
  fencepost init include/ck_ring.h -I include -o ring_test.c
  fencepost check queue_test.c`

func (a *app) initCommand() *cobra.Command {
	opt := query.HarnessOptions{Options: query.Defaults()}
	cmd := &cobra.Command{
		Use:     "init HEADER|FILE.c",
		Short:   "Write a first test of a C library",
		Long:    initHelp,
		Example: initExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{"init takes one header or C file", "see `fencepost init --help`"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.harness(args, opt) },
	}
	addOptions(cmd, &opt)
	readC(cmd, &opt.Options)
	return cmd
}

// harness writes a first test of a library.
func (a *app) harness(names []string, opt query.HarnessOptions) error {
	answer, ok, err := a.written(names, func(ctx context.Context, in query.Input) (query.TextAnswer, error) {
		return a.services.harness(ctx, in, opt)
	})
	if !ok {
		return err
	}
	if opt.Output == "" {
		io.WriteString(a.stdout, answer.Text)
		return nil
	}
	f, err := os.OpenFile(opt.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &usageError{fmt.Sprintf("%s exists, and is not overwritten", opt.Output), "give another file with -o"}
	}
	if err == nil {
		_, err = io.WriteString(f, answer.Text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return cannotWrite(opt.Output, err, "check the path given with -o")
	}
	wrote(a, opt.Output, "")
	return nil
}
