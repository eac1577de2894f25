package translate

import (
	"slices"

	"fencepost/internal/ir"
)

// ThreadEnd is the function of library/keys.c that runs destructors.
const ThreadEnd = "__fp_thread_end"

// keyEnds collects the destructors of a program.
type keyEnds struct {
	Funcs   []ir.FuncID // in the order of the text
	Unknown bool        // there may be others
	runs    *symbol     // threadEnd, until it is translated: last of all
}

// makesKey reports whether a function makes keys.
func makesKey(s *symbol) bool {
	return (s.Name == "pthread_key_create" || s.Name == "tss_create") && s.Unit.ofLibrary()
}

// noteDestructor looks at the arguments of a call that may make a key.
func noteDestructor(f *Lowering, callee *symbol, args []*ir.Expr) {
	if !makesKey(callee) || f.Unit.ofLibrary() || len(args) != 2 {
		return
	}
	null, known := args[1].IsConst()
	switch {
	case known && null == 0:
	case args[1].Op != ir.FuncAddr:
		f.KeyEnds.Unknown = true
	case !slices.Contains(f.KeyEnds.Funcs, args[1].Func):
		f.KeyEnds.Funcs = append(f.KeyEnds.Funcs, args[1].Func)
	}
}
