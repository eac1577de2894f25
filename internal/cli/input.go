package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fencepost"

	"github.com/spf13/cobra"
)

// maxInput is the size past which a file is taken for a mistake.
const maxInput = 64 << 20

// oneProgram demands one file, or several of C.
func oneProgram(cmd *cobra.Command, args []string) error {
	for _, a := range args {
		if lang := cmd.Flag("lang"); filepath.Ext(a) != ".c" && (lang == nil || lang.Value.String() != "c") {
			return oneFile(cmd, args)
		}
	}
	if len(args) == 0 {
		return oneFile(cmd, args)
	}
	return nil
}

// readProgram loads the files of one program.
func (a *app) readProgram(names []string) (fencepost.Input, error) {
	in, err := a.read(names[0])
	if err != nil {
		return in, err
	}
	for i, name := range names[1:] {
		more, err := a.read(name)
		if err != nil {
			return in, err
		}
		if slices.Contains(names[:i+1], name) {
			return in, &usageError{fmt.Sprintf("%s is given twice", name), "name every file of the program once"}
		}
		in.More = append(in.More, fencepost.File{Name: more.Name, Text: more.Text})
	}
	return in, nil
}

// oneFile demands exactly one argument.
func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return &usageError{"no file given", fmt.Sprintf("try `%s FILE`, or - to read standard input", cmd.CommandPath())}
	case len(args) > 1:
		return &usageError{fmt.Sprintf("%d files given, but %s takes one program at a time (several files only of C) [FP0909]", len(args), cmd.Name()),
			fmt.Sprintf("run `%s %s` and so on, one by one", cmd.CommandPath(), args[0])}
	}
	return nil
}

// read loads a file, or standard input for "-".
func (a *app) read(name string) (fencepost.Input, error) {
	if name == "-" {
		return readAll(a.stdin, "<stdin>")
	}
	f, err := os.Open(name)
	if err != nil {
		return fencepost.Input{}, openError(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fencepost.Input{}, &usageError{fmt.Sprintf("%s is a directory", name), "name one file in it"}
	}
	return readAll(f, name)
}

func openError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &usageError{fmt.Sprintf("no such file: %s", name), "check the path, or use - to read standard input"}
	case errors.Is(err, fs.ErrPermission):
		return &usageError{fmt.Sprintf("cannot read %s: permission denied", name), "check the file's permissions with `ls -l`"}
	default:
		return &usageError{fmt.Sprintf("cannot read %s: %v", name, err), "check the path"}
	}
}

func readAll(r io.Reader, name string) (fencepost.Input, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return fencepost.Input{}, &usageError{fmt.Sprintf("cannot read %s: %v", name, err), "check that it is a text file"}
	}
	if len(text) > maxInput {
		return fencepost.Input{}, &usageError{fmt.Sprintf("%s is larger than %d MiB", name, maxInput>>20), "check that it is a program"}
	}
	return fencepost.Input{Name: name, Text: text}, nil
}
