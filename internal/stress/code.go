package stress

import (
	_ "embed"
	"fmt"

	"fencepost/internal/ir"
)

// The threads of a test in C. The program that the front end accepted is printed from
// its representation: a function per function, a label per location, and a call of a
// function in runtime/code.c per access. No text of the test is in the result: names
// are numbers.

// code is the part of the program that printed functions use.
//
//go:embed runtime/code.c
var code string

// maxCode is how much text a test may become. Expressions share their parts, and their
// text does not.
const maxCode = 4 << 20

// UnsupportedError says why a test in C has no stress program.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }

// refusal unwinds the printer.
type refusal struct{ reason string }

// PrintCode prints the functions of the threads of a test in C. The error is an
// *UnsupportedError.
func PrintCode(t *Test) (text string, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = &UnsupportedError{r.reason}
		default:
			panic(r)
		}
	}()
	p := &printer{writer: writer{t: t}, prog: t.Program}
	p.out.WriteString(code)
	reached := p.reach()
	for _, id := range reached {
		p.printf("%s;\n", p.signature(id))
	}
	for _, id := range reached {
		p.function(id)
	}
	for i := range t.Threads {
		p.thread(i)
	}
	return p.out.String(), nil
}

// StackSize returns how many bytes the automatic variables of a program need, if each of
// them exists twice at most. It is 0 if no variable is in memory.
func StackSize(p *ir.Program) int64 {
	n := int64(0)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Alloc && op.Block.Stack {
				if size, ok := op.Val.IsConst(); ok && size >= 0 {
					n = min(n+2*(min(size, maxStack)+max(op.Block.Align, 16)), maxStack)
				}
			}
		}
	}
	return n
}

const maxStack = 64 << 10

type printer struct {
	writer
	prog *ir.Program
}

func refuse(format string, args ...any) { panic(refusal{fmt.Sprintf(format, args...)}) }

// reach returns the functions that threads call, the threads' own first.
func (p *printer) reach() []ir.FuncID {
	var list []ir.FuncID
	seen := map[ir.FuncID]bool{}
	add := func(id ir.FuncID) {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	for i := range p.t.Threads {
		add(p.t.Threads[i].Func)
	}
	for i := 0; i < len(list); i++ {
		f := p.prog.Funcs[list[i]]
		for k := range f.Edges {
			op := &f.Edges[k].Op
			if op.Kind != ir.Call {
				continue
			}
			if op.Call.Func == ir.NoFunc {
				refuse("it calls a function through a pointer")
			}
			add(op.Call.Func)
		}
	}
	return list
}

func (p *printer) signature(id ir.FuncID) string {
	s := fmt.Sprintf("static int64_t fp_f%d(struct context *c, char *top, char *end", id)
	for k := range p.prog.Funcs[id].Params {
		s += fmt.Sprintf(", int64_t r%d", k)
	}
	return s + ")"
}

func (p *printer) function(id ir.FuncID) {
	f := p.prog.Funcs[id]
	p.printf("%s {\n", p.signature(id))
	for k := f.Params; k < len(f.Regs); k++ {
		p.printf("  int64_t r%d = %s;\n", k, number(f.Regs[k].Init))
	}
	p.printf("  goto l%d;\n", f.Entry)
	for l := range f.Locs {
		p.location(id, f, ir.Loc(l))
	}
	p.printf("}\n")
	if p.out.Len() > maxCode {
		refuse("its program is too large")
	}
}

// thread prints the function that runs a thread.
func (p *printer) thread(i int) {
	th := &p.t.Threads[i]
	if n := p.prog.Funcs[th.Func].Params; n != 0 {
		panic("BUG: a thread with parameters")
	}
	stack := "0, 0"
	if th.Stack >= 0 {
		stack = fmt.Sprintf("c->at[%d], c->at[%d] + %d", th.Stack, th.Stack, p.t.Locations[th.Stack].Size)
	}
	p.printf("static void fp_thread_%d(struct context *c) { fp_f%d(c, %s); }\n", i, th.Func, stack)
}

// location prints what a thread does at a location. Edges with a condition are tried in
// turn until one can be taken.
func (p *printer) location(id ir.FuncID, f *ir.Func, l ir.Loc) {
	p.printf("l%d:;\n", l)
	out := f.Out(l)
	if len(out) == 0 {
		p.leave(id)
		return
	}
	waits := false
	for _, i := range out {
		e := &f.Edges[i]
		switch {
		case e.Op.Kind == ir.Assume:
			p.printf("  if (%s) goto l%d;\n", p.expr(e.Op.Val), e.To)
		case e.Op.Kind == ir.Await || e.Op.Kind == ir.RMW && e.Op.Cond != nil:
			waits = true
			p.attempt(&e.Op, e.To)
		case len(out) > 1:
			refuse("it has a choice that no value decides")
		default:
			p.operation(id, &e.Op)
			if e.Op.Kind != ir.Return {
				p.printf("  goto l%d;\n", e.To)
			}
			return
		}
	}
	if waits {
		p.printf("  fp_wait();\n  goto l%d;\n", l)
		return
	}
	p.printf("  fp_stuck();\n  return 0;\n")
}

// leave prints the end of a thread, or of a function that returns nothing.
func (p *printer) leave(id ir.FuncID) {
	p.keep(id)
	p.printf("  return 0;\n")
}

// keep prints what keeps the observed variables of a thread.
func (p *printer) keep(id ir.FuncID) {
	for i := range p.t.Threads {
		th := &p.t.Threads[i]
		if th.Func != id {
			continue
		}
		for k, r := range th.Keep {
			p.printf("  c->out[%d] = r%d;\n", k, r)
		}
		return
	}
}

func (p *printer) fence(op *ir.Op) {
	switch op.Fence {
	case ir.FullFence:
		p.printf("  fp_full_fence();\n")
	case ir.StoreStoreFence: // the processor keeps stores in order, and accesses are volatile
	default:
		refuse("it has a fence for all threads")
	}
}

// operation prints the effect of an edge.
func (p *printer) operation(id ir.FuncID, op *ir.Op) {
	switch op.Kind {
	case ir.Nop:
	case ir.Load, ir.Store, ir.RMW:
		p.access(op)
	case ir.Fence:
		p.fence(op)
	case ir.Assign:
		p.printf("  r%d = %s;\n", op.Dst, p.expr(op.Val))
	case ir.Havoc:
		p.havoc(op)
	case ir.Assert:
		p.printf("  if (!(%s)) fault(0);\n", p.expr(op.Val))
	case ir.Call:
		p.call(op)
	case ir.Return:
		p.keep(id)
		if op.Val == nil {
			p.printf("  return 0;\n")
		} else {
			p.printf("  return %s;\n", p.expr(op.Val))
		}
	case ir.Alloc:
		size, ok := op.Val.IsConst()
		if !op.Block.Stack || !ok || size < 0 || size > maxStack || op.Block.Lead != 0 {
			refuse("it allocates memory")
		}
		p.printf("  r%d = fp_block(&top, end, %d, %d);\n", op.Dst, max(size, 1), max(op.Block.Align, 16))
	case ir.Free:
		if !op.Block.Stack {
			refuse("it frees memory")
		}
		p.printf("  fp_leave(&top, %s);\n", p.expr(op.Addr))
	case ir.Bound, ir.Unsupported:
		p.printf("  fp_stuck();\n")
	default:
		refuse("it has an operation that stress programs have not: %s", op.Kind)
	}
}

// havoc prints a value that nothing decides, such as a variable that has none yet: the
// number that is nearest to 0.
func (p *printer) havoc(op *ir.Op) {
	if op.Cond != nil {
		refuse("it has a value that only a condition describes")
	}
	v := int64(0)
	if op.Range.Bounded {
		v = min(max(v, op.Range.Lo), op.Range.Hi)
	}
	p.printf("  r%d = %s;\n", op.Dst, number(v))
}

func (p *printer) call(op *ir.Op) {
	if len(op.Call.Args) != p.prog.Funcs[op.Call.Func].Params {
		refuse("it calls a function with another number of arguments")
	}
	p.printf("  ")
	if op.Dst != ir.NoReg {
		p.printf("r%d = ", op.Dst)
	}
	p.printf("fp_f%d(c, top, end", op.Call.Func)
	for _, a := range op.Call.Args {
		p.printf(", %s", p.expr(a))
	}
	p.printf(");\n")
}

// operands prints the operands of an access, which are evaluated before it changes a
// register.
func (p *printer) operands(op *ir.Op) {
	p.printf("  {\n    int64_t a = %s", p.address(op))
	for i, e := range []*ir.Expr{op.Val, op.Val2} {
		if e != nil {
			p.printf(", v%d = %s", i, p.expr(e))
		}
	}
	p.printf(", seen;\n")
}

// access prints an access to memory that needs no condition.
func (p *printer) access(op *ir.Op) {
	t := op.Type
	p.operands(op)
	switch op.Kind {
	case ir.Store:
		p.printf("    fp_store_%d(a, v0);\n", t.Bits)
	case ir.Load:
		p.printf("    seen = %s;\n", loaded(t))
		p.results(op)
	case ir.RMW:
		p.modify(op)
		p.results(op)
	default:
		panic("BUG: not an access")
	}
	p.printf("  }\n")
}

// attempt prints an access that is done if the value in memory satisfies its condition.
func (p *printer) attempt(op *ir.Op, to ir.Loc) {
	p.operands(op)
	p.printf("    seen = %s;\n    if (%s", loaded(op.Type), p.expr(op.Cond))
	if op.Kind == ir.RMW {
		p.printf(" && %s", replaced(op))
	}
	p.printf(") {\n")
	p.results(op)
	p.printf("    goto l%d;\n    }\n  }\n", to)
}

// results prints what an access that read seen leaves in registers.
func (p *printer) results(op *ir.Op) {
	if op.Dst != ir.NoReg {
		p.printf("    r%d = seen;\n", op.Dst)
	}
	if op.Dst2 != ir.NoReg {
		wrote := "1"
		if op.RMW == ir.Cas {
			wrote = "seen == " + wrap(op.Type, "v0")
		}
		p.printf("    r%d = %s;\n", op.Dst2, wrote)
	}
}

// loaded is the text that reads the address a.
func loaded(t ir.Type) string { return wrap(t, fmt.Sprintf("fp_load_%d(a)", t.Bits)) }

// modify prints a read-modify-write, which leaves the old value in seen. Operations without
// an instruction that returns the old value are loops around a compare-and-exchange.
func (p *printer) modify(op *ir.Op) {
	t := op.Type
	switch op.RMW {
	case ir.Xchg:
		p.printf("    seen = %s;\n", wrap(t, fmt.Sprintf("fp_xchg_%d(a, v0)", t.Bits)))
	case ir.FetchAdd:
		p.printf("    seen = %s;\n", wrap(t, fmt.Sprintf("fp_add_%d(a, v0)", t.Bits)))
	case ir.Cas:
		p.printf("    seen = %s;\n", wrap(t, fmt.Sprintf("fp_cas_%d(a, v0, v1)", t.Bits)))
	default:
		p.printf("    do seen = %s; while (!%s);\n", loaded(t), replaced(op))
	}
}

// replaced is the text that replaces the value seen at the address a, if it is still
// there, and tells whether it was.
func replaced(op *ir.Op) string {
	t := op.Type
	var next string
	switch op.RMW {
	case ir.Xchg:
		next = "v0"
	case ir.FetchAdd:
		next = "(int64_t)((uint64_t)seen + (uint64_t)v0)"
	case ir.FetchAnd:
		next = "seen & v0"
	case ir.FetchOr:
		next = "seen | v0"
	case ir.FetchXor:
		next = "seen ^ v0"
	case ir.Cas: // one that fails is locked too
		next = fmt.Sprintf("seen == %s ? v1 : seen", wrap(t, "v0"))
	default:
		panic("BUG: read-modify-write without a function")
	}
	return fmt.Sprintf("(%s == seen)", wrap(t, fmt.Sprintf("fp_cas_%d(a, seen, %s)", t.Bits, next)))
}

// address is the address of an access. It is checked when the program runs, unless it is
// inside an object anyway.
func (p *printer) address(op *ir.Op) string {
	size := int64(op.Type.Size())
	if e := op.Addr; e.Op == ir.AddrOf && e.Value >= 0 && e.Value <= p.prog.Objects[e.Obj].Size-size {
		return p.expr(e)
	}
	return fmt.Sprintf("fp_check(%s, %d)", p.expr(op.Addr), size)
}
