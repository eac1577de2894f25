package library

import (
	"math"
	"strings"
	"sync"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// The functions we model. Which of them drain a store buffer is said in
// docs/models.md; the operations of ir that stand for them know.

// function is a row of the table: the number of arguments, -1 for any, and the
// translation of a call.
type function struct {
	args  int
	lower func(f *translate.Lowering, c *translate.Call) translate.Value
}

// New returns the library of C programs: what C11, POSIX, compilers and verifiers
// provide. All callers get the same one, which is not to be changed.
func New() *translate.Library { return library() }

var library = sync.OnceValue(func() *translate.Library {
	lib := &translate.Library{Functions: map[string]translate.Function{}, Sources: sources(), Calls: map[string][]string{"syscall": {"__fp_futex", "__fp_membarrier", "__fp_syscall"}}}
	for name := range formats {
		lib.Calls[name] = []string{"__fp_print"}
	}
	for name, f := range newLibrary() {
		lib.Functions[name] = translate.Function{Args: f.args, Lower: f.lower}
	}
	return lib
})

func nothing() translate.Value { return translate.Value{Void: true, Obj: ir.NoObject} }

func zero() translate.Value { return translate.Integer(ir.Int(0), ir.S32) }

// libNothing evaluates its arguments.
func libNothing(f *translate.Lowering, c *translate.Call) translate.Value {
	for _, a := range c.Args {
		used(f, a)
	}
	return nothing()
}

// libZero evaluates its arguments and returns 0.
func libZero(f *translate.Lowering, c *translate.Call) translate.Value {
	libNothing(f, c)
	return zero()
}

// formats says which argument of a function is its format, or the string that it prints.
var formats = map[string]int{
	"printf": 0, "fprintf": 1, "vprintf": 0, "vfprintf": 1, "dprintf": 1, "puts": 0, "fputs": 0, "perror": 0, "syslog": 1, "warn": 0, "warnx": 0,
}

// libPrint reads its arguments and the strings that it prints. What it returns is any number that such a function
// may return.
func libPrint(f *translate.Lowering, c *translate.Call) translate.Value {
	var last translate.Value
	switch first, is := formats[c.Name]; {
	case is && first < len(c.Args):
		for _, a := range c.Args[:first] {
			used(f, a)
		}
		printed(f, c, first)
	case c.Name == "fwrite":
		s, size, n := newPointerArg(f, c.Args[0]), length(f, c.Args[1]), length(f, c.Args[2])
		bytes := f.Code.Keep(translate.Integer(ir.Binary(ir.Mul, ir.U64, size, n), ir.U64)).Expr
		each(f, bytes, 1, func(off *ir.Expr, t ir.Type) { loadWord(f, s.at(off), t) })
		used(f, c.Args[3])
	case c.Name == "fflush":
		used(f, c.Args[0])
	default: // of one character
		v := f.Exprs.Operand(c.Args[0])
		f.Code.Use(v)
		last = f.Code.Keep(v)
		for _, a := range c.Args[1:] {
			used(f, a)
		}
	}
	if !c.Want {
		return nothing()
	}
	switch c.Name {
	case "fflush":
		return ended(f, ir.Int(0))
	case "putchar", "fputc", "putc":
		return ended(f, translate.Cast(last.Expr, last.Type, ir.U8))
	case "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "puts", "fputs":
		return input(f, c, ir.S32, translate.Range{Lo: -1, Hi: math.MaxInt32})
	case "fwrite":
		f.In.Refuse(translate.CodeResult, c.Node, "the result of %s is used, but it is not known", c.Name)
	}
	return nothing()
}

// ended is the result of a function that returns a number, or -1 if it fails, which it may.
func ended(f *translate.Lowering, good *ir.Expr) translate.Value {
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.Range = f.Code.Temp(), ir.Range{Bounded: true, Lo: 0, Hi: 1}
	f.Code.Emit(op)
	return translate.Integer(ir.Conditional(ir.R(op.Dst), ir.Int(-1), good), ir.S32)
}

// isStream reports whether an argument is one of the streams that the library of the
// system defines.
func isStream(f *translate.Lowering, e *parse.Expr) bool {
	d := translate.VariableOf(e)
	if d == nil || d.Text != "stdin" && d.Text != "stdout" && d.Text != "stderr" {
		return false
	}
	s := f.Syms.Find(f.Unit, d)
	return s != nil && !s.Defined
}

func libAssert(f *translate.Lowering, c *translate.Call) translate.Value {
	msg := "assertion"
	if s, ok := stringConstant(c.Args[1]); ok {
		msg = s
	}
	f.Code.Check(translate.TruthOf(f.Exprs.Operand(c.Args[0])), ir.Assertion, msg)
	return nothing()
}

// libAssertFail is the function that glibc's assert calls.
func libAssertFail(f *translate.Lowering, c *translate.Call) translate.Value {
	msg := "assertion"
	if s, ok := stringConstant(c.Args[0]); ok {
		msg = "assert(" + s + ")"
	}
	f.Code.Check(ir.Int(0), ir.ReachError, msg)
	return libExit(f, &translate.Call{Name: c.Name, Node: c.Node})
}

// stringConstant returns the text of a string literal up to a null character.
func stringConstant(e *parse.Expr) (string, bool) {
	e = e.Bare()
	if e.Op != parse.StringConst || e.Val.Width.Bytes() != 1 {
		return "", false
	}
	var out []byte
	for _, u := range e.Val.Units {
		if u == 0 {
			break
		}
		out = append(out, byte(u))
	}
	return string(out), true
}

// libVerifierAssert is an assertion of one of the verifiers' conventions.
func libVerifierAssert(f *translate.Lowering, c *translate.Call) translate.Value {
	msg := c.Name
	if len(c.Args) > 1 {
		if s, ok := stringConstant(c.Args[1]); ok {
			msg = s
		}
	}
	f.Code.Check(translate.TruthOf(f.Exprs.Operand(c.Args[0])), ir.Assertion, msg)
	return nothing()
}

func libError(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Code.Check(ir.Int(0), ir.ReachError, c.Name+" is reached")
	return libExit(f, &translate.Call{Name: c.Name, Node: c.Node})
}

func libAssume(f *translate.Lowering, c *translate.Call) translate.Value {
	op := ir.NewOp(ir.Assume)
	op.Val = translate.TruthOf(f.Exprs.Operand(c.Args[0]))
	narrowInput(f, op.Val)
	f.Code.Emit(op)
	f.Code.GoesOn()
	return nothing()
}

// libSection begins or ends an atomic section. Those of __fp_loads only load, and drain nothing.
func libSection(f *translate.Lowering, c *translate.Call) translate.Value {
	op := ir.NewOp(ir.AtomicBegin)
	if strings.HasSuffix(c.Name, "_end") {
		op.Kind = ir.AtomicEnd
	}
	op.Loads = strings.HasPrefix(c.Name, "__fp_loads_")
	f.Code.Emit(op)
	return nothing()
}

// libExit ends the program.
func libExit(f *translate.Lowering, c *translate.Call) translate.Value {
	for _, a := range c.Args {
		f.Code.Use(f.Exprs.Operand(a))
	}
	if c.Name == "exit" {
		if ends := f.Syms.Exit(f.In.Span(c.Node)); ends != nil {
			f.Code.Emit(callOf(ends))
		}
	}
	f.Code.Emit(ir.NewOp(ir.Exit))
	f.Code.At, f.Code.Fresh = translate.Nowhere, false
	return nothing()
}

// The operations of prctl that change nothing here: how a thread is called and scheduled, and what happens when
// a process ends.
var quietControls = map[int64]bool{1: true, 4: true, 15: true, 29: true, 36: true, 38: true} // PDEATHSIG, DUMPABLE, NAME, TIMERSLACK, CHILD_SUBREAPER, NO_NEW_PRIVS

// libProcessControl is prctl.
func libProcessControl(f *translate.Lowering, c *translate.Call) translate.Value {
	if len(c.Args) > 0 {
		if v, ok := f.Data.Constant(f.Exprs.IntegerOperand(c.Args[0]).Expr); ok && quietControls[v] {
			return libZero(f, c)
		}
	}
	f.In.Refuse(translate.CodeArgument, c.Node, "this operation of prctl is not supported")
	panic("BUG: unreachable")
}
