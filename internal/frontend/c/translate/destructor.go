package translate

import (
	"slices"

	"fencepost/internal/ir"
)

// ThreadEnd is the function of library/keys.c that runs destructors.
const ThreadEnd = "__fp_thread_end"

// ThreadEnds collects what threads run when they end: the destructors of a program.
type ThreadEnds struct {
	Funcs   []ir.FuncID // in the order of the text
	Unknown bool        // there may be others
	runs    *symbol     // threadEnd, until it is translated: last of all
	// Wrapped are the functions that threads start in, by their start routines, nil for a pointer.
	Wrapped map[*symbol]*ir.FuncBuilder
}

// makesKey reports whether a function makes keys.
func makesKey(s *symbol) bool {
	return (s.Name == "pthread_key_create" || s.Name == "tss_create") && s.Unit.ofLibrary()
}

// noteDestructor looks at the arguments of a call that may make a key.
func (f *Calls) noteDestructor(callee *symbol, args []*ir.Expr) {
	if !makesKey(callee) || f.Unit.ofLibrary() || len(args) != 2 {
		return
	}
	null, known := args[1].IsConst()
	switch {
	case known && null == 0:
	case args[1].Op != ir.FuncAddr:
		f.Ends.Unknown = true
	case !slices.Contains(f.Ends.Funcs, args[1].Func):
		f.Ends.Funcs = append(f.Ends.Funcs, args[1].Func)
	}
}
