package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fencepost"
	"fencepost/internal/inputfile"
	"fencepost/query"

	"github.com/spf13/cobra"
)

// oneProgram demands one file, or several of C or of machine code.
func oneProgram(cmd *cobra.Command, args []string) error {
	lang := ""
	if f := cmd.Flag("lang"); f != nil {
		lang = f.Value.String()
	}
	all := func(l string, exts ...string) bool {
		return lang == l || !slices.ContainsFunc(args, func(a string) bool { return !slices.Contains(exts, filepath.Ext(a)) })
	}
	if f := cmd.Flag("for"); f != nil && f.Value.String() == string(query.ForLinearizability) {
		return oneLibrary(cmd, args)
	}
	if f := cmd.Flag("compile"); f != nil && f.Changed && len(args) > 0 {
		return nil
	}
	if n := len(args) - 1; lang == "" && n > 0 && filepath.Ext(args[n]) == ".c" && isObject(args[0]) { // a client of machine code
		args = args[:n]
	}
	if !all("c", ".c", ".i") && !all("x86", ".o", ".a", ".rlib") {
		return oneFile(cmd, args)
	}
	if len(args) == 0 {
		return oneFile(cmd, args)
	}
	return nil
}

// isObject reports whether a file is machine code by its name.
func isObject(name string) bool {
	return slices.Contains([]string{".o", ".a", ".rlib"}, filepath.Ext(name))
}

// readProgram loads the files of one program.
func (a *app) readProgram(names []string) (query.Input, error) {
	if a.compiler != "" {
		return a.compiled(names)
	}
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
		in.More = append(in.More, query.File{Name: more.Name, Text: more.Text})
	}
	return in, nil
}

// oneFile demands exactly one argument.
func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return &usageError{"no file given", fmt.Sprintf("try `%s FILE`, or - to read standard input", cmd.CommandPath())}
	case len(args) > 1:
		return &usageError{fmt.Sprintf("%d files given, but %s takes one program at a time, and only programs in C and machine code have several files [FP0909]", len(args), cmd.Name()),
			fmt.Sprintf("run `%s %s`, then the other files one by one", cmd.CommandPath(), args[0])}
	}
	return nil
}

// read loads a file, or standard input for "-".
func (a *app) read(name string) (query.Input, error) {
	if name == "-" {
		return readAll(a.stdin, "<stdin>")
	}
	text, err := inputfile.Read(name)
	if err != nil {
		return query.Input{}, openError(name, err)
	}
	return query.Input{Name: name, Text: text}, nil
}

// binaryError refuses a file that is no text.
func binaryError(name string) error {
	return &usageError{fmt.Sprintf("%s is a binary file", name), "fencepost reads source code and x86-64 machine code for Linux (ELF): give the .c, .fp, .litmus or .o file"}
}

func openError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint := "check the path, or use - to read standard input"
		if near := nearestFile(name); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return &usageError{fmt.Sprintf("no such file: %s", name), hint}
	case errors.Is(err, fs.ErrPermission):
		return &usageError{fmt.Sprintf("cannot read %s: permission denied", name), "check the file's permissions with `ls -l`"}
	case errors.Is(err, inputfile.ErrDirectory):
		return &usageError{fmt.Sprintf("%s is a directory", name), "name one file in it; `fencepost test DIR` and `fencepost litmus DIR` take directories"}
	case errors.Is(err, inputfile.ErrNotRegular):
		return &usageError{fmt.Sprintf("cannot read %s: not a regular file", name), "to read a pipe, use - and redirect standard input"}
	case errors.Is(err, inputfile.ErrBinary):
		return binaryError(name)
	case errors.Is(err, inputfile.ErrTooLarge):
		return &usageError{fmt.Sprintf("%s is larger than %d MiB", name, inputfile.MaxSize>>20), "check that this file is a program"}
	default:
		return &usageError{fmt.Sprintf("cannot read %s: %v", name, err), "check the path"}
	}
}

// nearestFile returns the file with the name that is nearest to one that is not there, or "".
func nearestFile(name string) string {
	dir, base := filepath.Split(name)
	list, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return ""
	}
	var names []string
	for _, f := range list {
		if f.Type().IsRegular() && slices.Contains(fencepost.Extensions(), filepath.Ext(f.Name())) {
			names = append(names, f.Name())
		}
	}
	if near := nearest(base, names); near != "" {
		return dir + near
	}
	for _, n := range names {
		if strings.TrimSuffix(n, filepath.Ext(n)) == strings.TrimSuffix(base, filepath.Ext(base)) { // another extension
			return dir + n
		}
	}
	return ""
}

// readAll reads standard input.
func readAll(r io.Reader, name string) (query.Input, error) {
	text, err := io.ReadAll(io.LimitReader(r, inputfile.MaxSize+1))
	if err != nil {
		return query.Input{}, &usageError{fmt.Sprintf("cannot read %s: %v", name, err), "check that it is a text file"}
	}
	if len(text) > inputfile.MaxSize {
		return query.Input{}, &usageError{fmt.Sprintf("%s is larger than %d MiB", name, inputfile.MaxSize>>20), "check that this file is a program"}
	}
	if inputfile.IsBinary(text) {
		return query.Input{}, binaryError(name)
	}
	return query.Input{Name: name, Text: text}, nil
}
