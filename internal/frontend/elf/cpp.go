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
// An exception that nothing catches ends the program, and is an error. Which functions catch one is known by their
// calls of __cxa_begin_catch; an exception that is thrown while one of them may be running is not supported.

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

// handlers are functions that only code calls that catches an exception.
var handlers = map[string]bool{beginCatch: true, "__cxa_end_catch": true, "__cxa_get_exception_ptr": true}

const beginCatch = "__cxa_begin_catch"

// throwers are functions that throw an exception, beside those of the library that throw one of its own.
var throwers = map[string]bool{
	"__cxa_throw": true, "__cxa_rethrow": true, "_Unwind_Resume": true, "__cxa_throw_bad_array_new_length": true, "__cxa_bad_cast": true, "__cxa_bad_typeid": true,
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE": true,
}

var libraryThrows = lazyregexp.New(`^_ZSt\d+__throw_(\w+?)(?:_fmt)?(?:v|i|PKc|PKcz)$`)

// throws reports whether a function throws an exception.
func throws(name string) bool { return throwers[name] || libraryThrows.MatchString(name) }

// uncaught returns what a call becomes that throws an exception which nothing catches, or why that is not known.
func (p *program) uncaught(f *function, in *inst) (*prototype, string) {
	if p.mayCatch(f) {
		return nil, "catching exceptions of C++ is not supported"
	}
	kind := ""
	if m := libraryThrows.FindStringSubmatch(in.extern); m != nil {
		kind = "std::" + m[1]
	} else {
		switch in.extern {
		case "__cxa_throw":
			kind = p.typeName(f.constant(in, argumentRegs[1]))
		case "__cxa_throw_bad_array_new_length":
			kind = "std::bad_array_new_length"
		case "__cxa_bad_cast":
			kind = "std::bad_cast"
		case "__cxa_bad_typeid":
			kind = "std::bad_typeid"
		}
	}
	pr := &prototype{name: in.extern, result: "void", call: fails, message: "every exception is caught"}
	if kind != "" {
		pr.message = fmt.Sprintf("every exception of type %s is caught", kind)
	}
	return pr, ""
}

// typeInformation are names of variables in which the library of C++ describes a type. Programs keep their addresses.
var typeInformation = lazyregexp.New(`^_ZT[IVS]`)

// typeName returns the name of a type by the address of what the program knows about it.
func (p *program) typeName(e *ir.Expr) string {
	name := ""
	switch {
	case e == nil:
		return ""
	case e.Op == ir.AddrOf:
		name = p.data[e.Obj].name
	case e.Op == ir.Const:
		for _, s := range p.unknown {
			if uint64(e.Value) >= s.low && uint64(e.Value) < s.high {
				name, _, _ = strings.Cut(s.why, " is not defined")
			}
		}
	}
	name, ok := strings.CutPrefix(shortName(name), "typeinfo for ")
	if !ok {
		return ""
	}
	return name
}

// mayCatch reports whether a function that catches exceptions may be running when one is thrown in f.
func (p *program) mayCatch(f *function) bool {
	if p.catchers == nil {
		p.catchers = p.findCatchers()
	}
	return p.catchers[f]
}

// findCatchers returns the functions that catch exceptions, and all that these call.
func (p *program) findCatchers() map[*function]bool {
	out := map[*function]bool{}
	if s := p.image.Linked[beginCatch]; s == nil {
		return out
	}
	names, linked := map[string]bool{}, false
	for _, sec := range p.image.Sections {
		linked = linked || sec.Linked && sec.Exec
		for i := range sec.Relocs {
			if r := &sec.Relocs[i]; sec.Exec && r.Sym != nil && r.Sym.Name == beginCatch {
				if s := p.image.At(sec, r.Off); s != nil {
					name, _, _ := strings.Cut(s.Name, ".cold")
					names[name] = true
				}
			}
		}
	}
	var todo []*function
	add := func(f *function) {
		if !out[f] {
			out[f] = true
			todo = append(todo, f)
		}
	}
	for _, f := range p.funcs {
		if linked || names[f.sym.Name] {
			add(f)
		}
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, in := range f.order {
			if in.callee != nil {
				add(in.callee)
			}
			if in.pointer || in.extern != "" && callsBack(in.extern) {
				for g := range p.taken {
					add(g)
				}
			}
		}
	}
	return out
}

// callsBack reports whether a function of the library calls functions of the program, in the same thread.
func callsBack(name string) bool {
	pr := libraryFunction(name)
	return pr != nil && (strings.Contains(strings.Join(pr.params, ","), "(*)") && !strings.Contains(pr.name, "create") ||
		strings.Contains(pr.call, "fp_once") || strings.Contains(pr.call, "fp_exception_release") || strings.Contains(pr.call, "exit"))
}
