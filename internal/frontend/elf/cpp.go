package elf

import (
	_ "embed"
	"fmt"
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
)

// The library of C++: its functions stand in runtime_cpp.txt, and this file has the rest, which C cannot say.
//
// What exceptions do stands in exceptions.go.

//go:embed runtime_cpp.txt
var runtimeCpp string

//go:embed prototypes_cpp.txt
var prototypeCpp string

// What call_once leaves for pthread_once, for each thread.
const (
	onceCallable = "_ZSt15__once_callable"
	onceCall     = "_ZSt11__once_call"
)

// onceCall makes the body of the function that returns what std::call_once has left.
func (p *program) onceCall(l *translate.Linker, fb *ir.FuncBuilder) {
	p.begin(l)
	e := &emitter{p: p, l: l, fb: fb, pos: fb.F.Pos, regs: map[ir.Reg]ir.Reg{}}
	e.at = fb.Loc("", e.pos)
	fb.Entry(e.at)
	op := ir.NewOp(ir.Load)
	op.Dst, op.Type, op.Sync.Order = e.reg(lift.RAX), ir.U64, ir.Relaxed
	op.Addr = e.expr(p.libraryData(libraryVariable(onceCall)))
	e.add(op)
	op = ir.NewOp(ir.Return)
	op.Val = ir.R(e.reg(lift.RAX))
	e.add(op)
}

// unknownObject makes the body of a function that returns the address of an object of the library that is not known.
func (p *program) unknownObject(l *translate.Linker, fb *ir.FuncBuilder) {
	p.begin(l)
	e := &emitter{p: p, l: l, fb: fb, pos: fb.F.Pos}
	e.at = fb.Loc("", e.pos)
	fb.Entry(e.at)
	op := ir.NewOp(ir.Return)
	op.Val = p.outsideAddress(codeExtern, "an object of the library of C++ is not known", 0)
	e.add(op)
}

var standardName = lazyregexp.New(`^_ZNSt(?:3_V2)?\d+(?:\w+_error|bad_\w+?|exception|invalid_argument|out_of_range)([CD])([012])E`)

// standardException returns the prototype of a constructor or destructor of a class of exceptions of the library.
func standardException(name string) *prototype {
	m := standardName.FindStringSubmatch(name)
	switch {
	case m == nil:
		return nil
	case m[1] == "C":
		return parsePrototype("void " + name + "(void **) = fp_exception_standard($0);")
	case m[2] == "0":
		return parsePrototype("void " + name + "(void *) = free($0);")
	}
	return parsePrototype("void " + name + "(void) = fp_nothing();")
}

// throwers are functions that throw an exception, beside those of the library that throw one of its own.
var throwers = map[string]bool{
	"__cxa_throw": true, "__cxa_rethrow": true, "_Unwind_Resume": true, "__cxa_throw_bad_array_new_length": true, "__cxa_bad_cast": true, "__cxa_bad_typeid": true,
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE": true,
}

var libraryThrows = lazyregexp.New(`^_ZSt\d+__throw_(\w+?)(?:_fmt)?(?:v|i|PKc|PKcz)$`)

// throws reports whether a function throws an exception.
func throws(name string) bool { return throwers[name] || libraryThrows.MatchString(name) }

// again has the throwers of an exception that was thrown before, or made.
var again = map[string]bool{"__cxa_rethrow": true, resume: true, "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE": true}

// makesPrimary makes an exception that is not thrown there.
const makesPrimary = "__cxa_init_primary_exception"

// uncaught returns what a call becomes that throws an exception which nothing catches, of a type if that is known.
func uncaught(name, kind string) *prototype {
	return &prototype{name: name, result: "void", call: fails, message: uncaughtMessage(kind)}
}

func uncaughtMessage(kind string) string {
	if kind == "" {
		return "every exception is caught"
	}
	return fmt.Sprintf("every exception of type %s is caught", kind)
}

// typeInformation are names of variables in which the library of C++ describes a type. Programs keep their addresses.
var typeInformation = lazyregexp.New(`^_ZT[IVS]`)

// shortName returns the name of a type as people write it.
func (t *typeInfo) shortName() string {
	name, _ := strings.CutPrefix(shortName(t.name), "typeinfo for ")
	return name
}
