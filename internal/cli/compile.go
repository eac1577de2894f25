package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/query"

	"github.com/spf13/cobra"
)

// compileFlag adds the flag that has the files compiled: the question is then about their machine code.
func (a *app) compileFlag(cmd *cobra.Command) {
	bind(cmd, "compile", &a.compiler)
}

// compiled reads the files of a program that a compiler makes machine code of; objects among them stay what they are.
func (a *app) compiled(names []string) (query.Input, error) {
	command := strings.Fields(a.compiler)
	if len(command) == 0 {
		return query.Input{}, &usageError{"--compile has no command", "give a compiler and its flags: --compile 'g++ -O2'"}
	}
	var in query.Input
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return in, &usageError{fmt.Sprintf("%s is given twice", name), "name every file of the program once"}
		}
		one, err := a.machineCode(command, name)
		if err != nil {
			return in, err
		}
		if i == 0 {
			in = one
		} else {
			in.More = append(in.More, query.File{Name: one.Name, Text: one.Text})
		}
	}
	return in, nil
}

// machineCode returns the machine code of a file.
func (a *app) machineCode(command []string, name string) (query.Input, error) {
	in, err := a.read(name)
	if err != nil {
		return in, err
	}
	switch {
	case name == "-":
		return in, &usageError{"--compile takes files, not standard input", "write the program to a file"}
	case isMachineCode(&in, ""):
		return in, nil
	}
	object, err := objectOf(context.Background(), command, name)
	if missing := (*query.UnavailableError)(nil); errors.As(err, &missing) {
		return in, &usageError{missing.Message, missing.Hint}
	}
	if refused := (*compileError)(nil); errors.As(err, &refused) {
		return in, &usageError{refused.Error(), "compile it by hand first, then give the command without -c, -g and -o"}
	}
	if err != nil {
		return in, &internalError{err}
	}
	return query.Input{Name: strings.TrimSuffix(name, filepath.Ext(name)) + ".o", Text: object}, nil
}
