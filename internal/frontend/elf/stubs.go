package elf

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Calls of the C library. Each becomes a call of a function in C that is made up for it:
//
//	unsigned long fp_call_3(unsigned long a, unsigned long d) {
//	  return (unsigned long)pthread_create((pthread_t *)a, 0, work, (void *)d);
//	}
//
// Arguments that are constants before the call stand in the text, so that the translation of C sees what
// it would see in a program in C: null pointers, strings, names of functions.

// stub is the function in C that stands for a call.
type stub struct {
	name  string
	proto *prototype
	args  []*ir.Expr // constants; nil: a parameter of the stub
	in    *inst
	fb    *ir.FuncBuilder
	panic string // what a panic says; "": that is not known
}

// sections are the functions that begin and end an atomic section. A section is in the function that calls them.
var sections = map[string]ir.OpKind{
	"__VERIFIER_atomic_begin": ir.AtomicBegin, "__VERIFIER_atomic_end": ir.AtomicEnd,
	"__CPROVER_atomic_begin": ir.AtomicBegin, "__CPROVER_atomic_end": ir.AtomicEnd,
}

// external prepares a call of a function that is not defined in the files.
func (p *program) external(f *function, in *inst) {
	name := in.extern
	if sections[name] != ir.OpUnset {
		return
	}
	if slices.Contains(p.opt.ExternPure, name) || slices.Contains(p.opt.ExternFence, name) {
		return
	}
	refuse := func(format string, args ...any) { in.refused, in.code = fmt.Sprintf(format, args...), codeExtern }
	if threadEnds[name] && p.undoneAtEnd() {
		refuse("%s: it runs the destructors of C++ on its way, which is not supported", name)
		return
	}
	pr := libraryFunction(name)
	if why := p.unknownRust(name, pr); why != "" {
		refuse("%s", why)
		return
	}
	if throws(name) {
		var problem string
		if pr, problem = p.throwing(f, in); problem != "" {
			refuse("%s: %s", shortName(name), problem)
			return
		}
	}
	if pr != nil && strings.HasPrefix(pr.name, rustPrint) {
		if maker := p.harmfulText(); maker != "" {
			refuse("%s: %s, which may make a text here, is not known to do only that", shortName(name), maker)
			return
		}
	}
	if name == makesPrimary {
		types, problem := p.thrownAt(f, in)
		if problem == "" && types&(types-1) != 0 {
			problem = "the type of the exception is not a constant before the call"
		}
		if problem != "" {
			refuse("%s: %s", shortName(name), problem)
			return
		}
		made := *pr
		made.call = strings.Replace(pr.call, "TYPE", fmt.Sprint(bits.TrailingZeros64(uint64(types))), 1)
		pr = &made
	}
	if pr == nil {
		refuse("%s is not defined in the given files, and what it does is not known", name)
		return
	}
	if _, prints := printers[pr.name]; prints {
		var problem string
		if pr, problem = p.print(f, in, pr); problem != "" {
			refuse("%s: %s", name, problem)
			return
		}
	}
	if pr.variadic {
		n, problem := p.variadic(f, in, pr)
		if problem != "" {
			refuse("%s: %s", name, problem)
			return
		}
		pr = pr.with(n)
	}
	if len(pr.params) > len(argumentRegs) && in.tail {
		refuse("%s: arguments on the stack of the caller are not supported", name)
		return
	}
	p.calls++
	in.stub = &stub{name: fmt.Sprintf("fp_call_%d", p.calls), proto: pr, in: in}
	if pr.fails() {
		in.stub.panic = p.panicText(f, in)
	}
	p.constantArgs(f, in, pr)
}

// constantArgs notes the arguments of a call that are constants.
func (p *program) constantArgs(f *function, in *inst, pr *prototype) {
	for i := range pr.params {
		if i >= len(argumentRegs) {
			in.stub.args = append(in.stub.args, nil)
			continue
		}
		c := f.constant(in, argumentRegs[i])
		if c != nil && c.Op == ir.AddrOf {
			if _, ok := p.text(c); !ok || pr.params[i] != "const char *" {
				c = nil
			}
		}
		if c != nil && c.Op == ir.FuncAddr && (strings.HasPrefix(pr.params[i], "void *(*)(void *)") || pr.params[i] == "thrd_start_t") {
			p.funcs[c.Func].starts = true
		}
		in.stub.args = append(in.stub.args, c)
	}
}

// knows reports whether a function of the library is known.
func (p *program) knows(name string) bool {
	return libraryFunction(name) != nil || slices.Contains(p.opt.ExternPure, name) || slices.Contains(p.opt.ExternFence, name)
}

// locate gives what was made up for calls the positions of the calls, and a made-up main its lines in the listing.
func (p *program) locate(out *ir.Program) {
	for _, f := range out.Funcs {
		move := func(pos *source.Span) {
			if line := p.mainAt[pos.Line]; pos.File == textName && line > 0 {
				*pos = source.Span{Pos: source.Pos{File: p.listing, Line: line, Col: 3}, EndLine: line, EndCol: 3 + p.wordsAt[line]}
			}
		}
		move(&f.Pos)
		for i := range f.Edges {
			move(&f.Edges[i].Pos)
		}
		for i := range f.Locs {
			move(&f.Locs[i].Pos)
		}
	}
	for _, f := range p.funcs {
		for _, in := range f.order {
			if in.stub == nil || in.stub.fb == nil {
				continue
			}
			made := in.stub.fb.F
			layout := p.blockLayout(in.stub)
			for i := range made.Edges {
				if op := &made.Edges[i].Op; op.Kind == ir.Assert && in.stub.panic != "" {
					op.Report.Msg = "panic: " + in.stub.panic
				} else if op.Kind == ir.Alloc && op.Block.Layout == nil && op.Block.Lead == 0 {
					if n, ok := op.Val.IsConst(); ok && layout != nil && n%layout.Size() == 0 {
						op.Block.Layout = layout
					}
					if op.Block.Name == "malloc" && (isNew(in.extern) || strings.HasPrefix(in.extern, "_Zna")) {
						op.Block.Name = "new"
					}
				}
			}
			made.Pos = in.pos
			for i := range made.Edges {
				made.Edges[i].Pos = in.pos
			}
			for i := range made.Locs {
				made.Locs[i].Pos = in.pos
			}
			for i := range made.Regs {
				made.Regs[i].Pos = in.pos
			}
			made.Name = fmt.Sprintf("%s#%s", shortName(in.extern), strings.TrimPrefix(in.stub.name, "fp_call_"))
		}
	}
	p.uniqueNames(out)
}

// uniqueNames gives functions of the machine code other names that have the name of a function of the text in C, or of
// one that comes with it: the made-up main, and functions of the library that a file defines, too.
func (p *program) uniqueNames(out *ir.Program) {
	mine, taken := map[*ir.Func]bool{}, map[string]bool{}
	for _, f := range p.funcs {
		if f.fb != nil {
			mine[f.fb.F] = true
		}
	}
	for _, f := range out.Funcs {
		if !mine[f] {
			taken[f.Name] = true
		}
	}
	for _, f := range out.Funcs {
		name := f.Name
		for n := 2; mine[f] && taken[f.Name]; n++ {
			f.Name = fmt.Sprintf("%s@%d", name, n)
		}
		taken[f.Name] = true
	}
}

// cName returns the name of a function of the program in the text in C.
func (f *function) cName() string {
	if f.main {
		return "main"
	}
	return fmt.Sprintf("fp_func_%d", f.index)
}

// arity returns how many parameters the function has in the text in C.
func (f *function) arity() int {
	if f.main {
		return 2
	}
	return max(1, len(f.params))
}

// inC reports whether the function is one of the text in C: pointers to it are the ones of C.
func (p *program) inC(f *function) bool { return p.taken[f] || f.main }

// stubs returns the text in C.
func (p *program) stubs() *source.File {
	var b strings.Builder
	headers := []string{"assert", "pthread", "stdlib", "string", "stdio", "sched", "unistd", "semaphore", "threads", "time", "errno", "signal", "poll", "malloc", "ctype", "strings", "sys/mman", "sys/time", "sys/resource", "sys/prctl", "sys/sysinfo"}
	for _, h := range headers {
		fmt.Fprintf(&b, "#include <%s.h>\n", h)
	}
	b.WriteString("typedef unsigned long fp_pair;\n")
	names, calls := map[string]bool{}, &strings.Builder{}
	for _, f := range p.funcs {
		for _, in := range f.order {
			if in.stub != nil && in.refused == "" {
				p.stub(calls, in.stub)
				if in.stub.isPair() {
					names["fp_second"] = true
				}
			}
		}
	}
	for _, name := range runtimeName.FindAllString(calls.String(), -1) {
		names[name] = true
	}
	if mutexUse.MatchString(calls.String() + runtime(names)) {
		b.WriteString("int fp_kind(void) { return PTHREAD_MUTEX_RECURSIVE_NP; }\n")
	}
	if text := runtime(names); text != "" {
		p.runtimeLine = strings.Count(b.String(), "\n") + 1
		p.runtimeText = strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "fp_", ""), "\n"), "\n")
		b.WriteString(text)
	}
	for _, f := range p.funcs {
		switch {
		case !p.inC(f):
		case f.main:
			b.WriteString("int main(int argc, char **argv) { return 0; }\n")
		default:
			params := strings.TrimSuffix(strings.Repeat("void *, ", f.arity()), ", ")
			names := 0
			for strings.Contains(params, "*,") || names == 0 {
				params = strings.Replace(params, "*,", fmt.Sprintf("*a%d,", names), 1)
				names++
			}
			params += fmt.Sprintf("a%d", names)
			fmt.Fprintf(&b, "void *%s(%s) { return 0; }\n", f.cName(), params)
		}
	}
	p.callbacks(&b)
	b.WriteString(calls.String())
	if len(p.threads) > 0 {
		lines, words := p.madeUpMain()
		p.mainText = words
		p.mainLine = strings.Count(b.String(), "\n") + 1
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if p.opt.client != nil {
		text, words := p.clientText()
		p.mainText = words
		p.mainLine = strings.Count(b.String(), "\n") + 1
		b.WriteString(text)
	}
	return source.NewFile(textName, []byte(b.String()))
}

// textName is the name of the text in C.
const textName = "machine code"

// isVoid reports whether the call has no result, or one that nothing reads.
func (s *stub) isVoid() bool {
	return s.proto.result == "void" || !s.in.live.has(lift.RAX) && !s.isPair() && !s.proto.throws
}

// passed are the arguments on the stack.
func (s *stub) passed() []slot {
	var out []slot
	for i := len(argumentRegs); i < len(s.proto.params); i++ {
		out = append(out, slot{int64(8 + 8*(i-len(argumentRegs))), 8})
	}
	return out
}

var allocator = lazyregexp.New(`\b(?:malloc|memalign|aligned_alloc|calloc)\((?:\$\d, )?\$(\d)\)`)

var allocating = lazyregexp.New(`^(?:malloc|memalign|aligned_alloc|calloc|realloc|reallocarray|fp_rust_alloc_zeroed|fp_rust_realloc)(?:\(|$)`)

// isAllocator reports whether the result is the beginning of a block, or null.
func (s *stub) isAllocator() bool { return allocating.MatchString(cmp.Or(s.proto.call, s.proto.name)) }

// allocates returns the size of the structure that a call allocates, if that is a constant.
func (s *stub) allocates() (int64, bool) {
	call := s.proto.call
	if call == "" {
		var args []string
		for i := range s.proto.params {
			args = append(args, fmt.Sprintf("$%d", i))
		}
		call = s.proto.text(args)
	}
	m := allocator.FindStringSubmatch(call)
	if m == nil {
		return 0, false
	}
	if c := s.args[m[1][0]-'0']; c != nil && c.Op == ir.Const {
		return c.Value, true
	}
	return 0, false
}

// isPair reports whether the result is in two registers.
func (s *stub) isPair() bool { return s.proto.result == "fp_pair" }

func (p *program) stub(b *strings.Builder, s *stub) {
	var params, args []string
	for i, t := range s.proto.params {
		c := s.args[i]
		switch {
		case c == nil && t == threadStart:
			params = append(params, fmt.Sprintf("unsigned long a%d", i))
			args = append(args, p.threadStart(fmt.Sprintf("a%d", i)))
		case c == nil && callbackArity(t) >= 0:
			params = append(params, fmt.Sprintf("unsigned long a%d", i))
			args = append(args, p.callback(t, fmt.Sprintf("a%d", i), nil))
		case c == nil:
			params = append(params, fmt.Sprintf("unsigned long a%d", i))
			args = append(args, fmt.Sprintf("(%s)a%d", t, i))
		case c.Op == ir.FuncAddr && callbackArity(t) >= 0:
			args = append(args, p.callback(t, "", p.funcs[c.Func]))
		case c.Op == ir.FuncAddr:
			args = append(args, fmt.Sprintf("(%s)%s", t, p.funcs[c.Func].cName()))
		case c.Op == ir.AddrOf:
			text, _ := p.text(c)
			args = append(args, strconv.QuoteToASCII(text))
		case c.Value == 0:
			args = append(args, "0")
		default:
			args = append(args, fmt.Sprintf("(%s)%dL", t, c.Value))
		}
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	call := s.proto.text(args)
	if s.proto.name == "pthread_join" && s.args[1] == nil { // a pointer that may be null stands there
		call = fmt.Sprintf("(a1 ? %s : pthread_join(%s, 0))", call, args[0])
	}
	if s.proto.name == "pthread_mutex_init" && s.args[1] == nil {
		call = fmt.Sprintf("(a1 ? %s : pthread_mutex_init(%s, 0))", call, args[0])
	}
	if s.proto.fails() && s.proto.message != "" {
		call = fmt.Sprintf(`__assert_fail(%s, "", 0, "")`, strconv.QuoteToASCII(s.proto.message))
	} else if s.proto.fails() {
		call = fmt.Sprintf(`__assert_fail(%s, "", 0, "")`, strconv.QuoteToASCII(shortName(s.in.extern)+" is never called"))
	}
	if s.isVoid() {
		fmt.Fprintf(b, "void %s(%s) { %s; }\n", s.name, strings.Join(params, ", "), call)
	} else {
		fmt.Fprintf(b, "unsigned long %s(%s) { return (unsigned long)%s; }\n", s.name, strings.Join(params, ", "), call)
	}
}

// bodies returns what makes the bodies of the functions of the text.
func (p *program) bodies() map[string]translate.Body {
	out := map[string]translate.Body{}
	for _, f := range p.funcs {
		if p.inC(f) {
			out[f.cName()] = func(l *translate.Linker, fb *ir.FuncBuilder) {
				p.begin(l)
				p.emit(l, f)
			}
		}
	}
	for _, name := range invokeName.FindAllString(runtimeText+runtimeCpp, -1) {
		out[name] = p.invoke
	}
	out["fp_once_call"] = p.onceCall
	out["fp_unknown_object"] = p.unknownObject
	return out
}

// invoke makes the body of a function by which runtime.txt calls functions of the program with one argument or two: they may
// seem to have more parameters, which they do not read. There is one for each purpose, because what reaches one
// is taken to be called there.
func (p *program) invoke(l *translate.Linker, fb *ir.FuncBuilder) {
	p.begin(l)
	e := &emitter{p: p, l: l, fb: fb, pos: fb.F.Pos, regs: map[ir.Reg]ir.Reg{lift.R11: 0, lift.RDI: 1}}
	if fb.F.Params > 2 {
		e.regs[lift.RSI] = 2
	}
	e.at = fb.Loc("", e.pos)
	fb.Entry(e.at)
	masked := p.masked && !threadBegins[fb.F.Name]
	if masked {
		e.above = e.inThread(p.handled, nil)
		e.inThread(p.handled, ir.Int(-1<<63))
	}
	e.callPointer(&inst{Inst: &lift.Inst{Cond: ir.R(lift.R11), Text: "call"}, slot: methodsOf[fb.F.Name]}, nil)
	if masked {
		e.inThread(p.handled, ir.R(e.above))
	}
	op := ir.NewOp(ir.Return)
	op.Val = ir.R(e.reg(lift.RAX))
	e.add(op)
}

// methodsOf are the offsets in tables of trait objects, or of virtual functions, of the functions that runtime.txt calls.
var methodsOf = map[string]int64{"fp_invoke_run": 16, "fp_invoke_delete": 8, "fp_invoke_main": 40, "fp_invoke_closure": 24, "fp_invoke_begin": 24, "fp_invoke_once": 32, "fp_invoke_once_queue": 32}

// nameOf returns the name of a function in answers. Local functions of several files can have one name.
func (p *program) nameOf(f *function) string {
	name := shortName(f.sym.Name)
	p.names[name]++
	if n := p.names[name]; n > 1 {
		return fmt.Sprintf("%s@%d", name, n)
	}
	return name
}

// begin makes the data and the functions of the program.
func (p *program) begin(l *translate.Linker) {
	if p.built {
		return
	}
	p.build(l.Builder())
	p.slots = p.slotTypes()
	for _, f := range p.funcs {
		if p.inC(f) {
			f.fb = l.Function(f.cName())
			if !f.main {
				f.fb.F.Name = p.nameOf(f)
			}
			if p.taken[f] {
				f.fb.F.Pointer = true
				f.fb.F.Types = append(f.fb.F.Types, p.slots[f]...)
			}
		} else {
			f.fb = l.Builder().Func(p.nameOf(f), source.Span{})
			for _, r := range f.params {
				f.fb.Param(lift.RegisterName(r), source.Span{})
			}
			for _, s := range f.passed {
				f.fb.Param(fmt.Sprintf("stack+%d", s.off), source.Span{})
			}
		}
	}
	for _, f := range p.funcs {
		if !p.inC(f) {
			p.emit(l, f)
		}
	}
}
