package cli

import (
	"fmt"
	"slices"
	"strings"
)

// filesValue collects files.
type filesValue struct{ names *[]string }

func (filesValue) Type() string { return "file" }

func (v filesValue) String() string {
	if v.names == nil {
		return ""
	}
	return strings.Join(*v.names, ",")
}

func (v filesValue) Set(s string) error {
	if s == "" {
		return fmt.Errorf("want a file name")
	}
	*v.names = append(*v.names, s)
	return nil
}

// binaryFlag reads the machine code of --binary.
func binaryFlag(a *app, names []string, f *checkFlags) error {
	if len(f.binary) == 0 {
		return nil
	}
	no := func(what, hint string) error {
		return &usageError{"--binary cannot be given with " + what, hint}
	}
	switch {
	case f.parts.on():
		return no("--checkpoint, --resume or --shard", "ask about the machine code by itself")
	case f.opt.AnyThreads:
		return no("--param", "machine code has no templates")
	case f.opt.Robustness || f.opt.Races || f.opt.Leaks:
		return no("--robustness, --races or --leaks", "ask about the source and the machine code one after the other")
	case len(f.opt.C.Entry) > 0 || f.opt.C.Finally != "":
		return no("--entry or --finally", "the source and the machine code begin at main")
	case slices.Contains(f.binary, "-"):
		return &usageError{"--binary takes files, not standard input", "write the machine code to a file"}
	}
	source, err := a.read(names[0])
	if err != nil {
		return err
	}
	if names[0] == "-" {
		return &usageError{"--binary and standard input cannot be combined", "write the program to a file"}
	}
	if isMachineCode(&source, f.opt.Lang) {
		return &usageError{fmt.Sprintf("%s is machine code, and --binary is, too", names[0]), "give the source first: `fencepost check prog.c --binary prog.o`"}
	}
	binary, err := a.readProgram(f.binary)
	if err != nil {
		return err
	}
	if !isMachineCode(&binary, "") {
		return &usageError{fmt.Sprintf("%s is no machine code", binary.Name), "compile the program, such as with `gcc -O2 -g -c`, and give the object"}
	}
	f.opt.Binary = &binary
	return nil
}
