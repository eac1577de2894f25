package lin

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/elf"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// Objects with machine code: the debug information has the functions and what they take, and a client in C is translated
// together with the code. There are no comments, so --ops says more: push:producer for the thread that makes all
// calls, steal=-1 for a result with which a call may fail.

// machineCode lists the functions of an object.
func (q *question) machineCode(reading *pipeline.Run) ([]c.Signature, error) {
	if q.opt.Mutate {
		return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: "--mutate is for C: machine code has no text that could change"})
	}
	for _, name := range q.opt.Models.OrTSO() {
		if model, err := pipeline.ParseAnyModel(name); err == nil && model == memory.C11 {
			return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: "machine code has no memory orders: the models are sc, tso and pso"})
		}
	}
	library, err := pipeline.ObjectLibrary(reading)
	if err != nil {
		return nil, refusedBy(&explored{diags: reading.Diagnostics}, err)
	}
	q.library = library
	var out []c.Signature
	for i := range library.Functions {
		out = append(out, library.Functions[i].Signature)
	}
	return out, nil
}

// prelude returns what clients need of an object: its types, and the functions by which they call its code.
func prelude(lib *elf.Library, o *Object) string {
	var used []string
	for _, op := range append(slices.Clone(o.Ops), o.Init, o.Destroy) {
		if op != nil {
			used = append(used, op.Name)
		}
	}
	types, wrappers := "", ""
	names := make([]string, 0, len(lib.Structs))
	for name := range lib.Structs {
		names = append(names, name)
	}
	slices.Sort(names)
	for i := range lib.Functions {
		f := &lib.Functions[i]
		if !slices.Contains(used, f.Name) {
			continue
		}
		wrappers += f.Wrapper
	}
	for _, name := range names {
		if strings.Contains(wrappers, name+" ") {
			types += lib.Structs[name]
		}
	}
	return types + wrappers
}

// named reads the operations that the user has named.
func (f *finder) named(text string) error {
	f.said = map[string]note{}
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, fails, may := strings.Cut(part, "=")
		name, role, by := strings.Cut(name, ":")
		n := note{op: true, role: role}
		if name == "" || by && role == "" {
			return fmt.Errorf("%q names no operation", part)
		}
		if may {
			v, err := constant(fails)
			if err != nil {
				return err
			}
			n.fails = &v
		}
		f.ops = append(f.ops, name)
		f.said[name] = n
	}
	return nil
}
