package elf

import (
	"encoding/binary"
	"fmt"
	"sort"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// program is the machine code under translation. Expressions in instructions name its data and functions
// by index until they are part of an ir program.
type program struct {
	image *object.Image
	opt   Options
	funcs []*function
	at    map[uint64]*function // by address
	taken map[*function]bool   // functions whose address is taken
	data  []*datum
	known map[*object.Section][]*datum // all data of a section, by offset

	built bool // the data have objects
	calls int
}

// function is a function of the program.
type function struct {
	index   int
	sym     *object.Symbol
	insts   map[uint64]*inst
	order   []*inst // by address
	params  []ir.Reg
	writes  regSet // what it overwrites of the registers that a call may change
	problem string // the whole function has no translation
	frame   frame
	fb      *ir.FuncBuilder
}

// inst is an instruction of a function.
type inst struct {
	*lift.Inst
	addr    uint64
	refused string // there is no translation
	code    string
	next    []*inst
	starts  bool // others jump here
	callee  *function
	extern  string // the function of the library that it calls
	stub    *stub
	tail    bool // a jump that is a call and a return
	live    regSet
	pos     source.Span
}

func newProgram(image *object.Image, opt Options) *program {
	return &program{
		image: image, opt: opt, at: map[uint64]*function{}, taken: map[*function]bool{}, known: map[*object.Section][]*datum{},
	}
}

// find enters a function, and all functions that it mentions.
func (p *program) find(sym *object.Symbol) *function {
	if f := p.at[sym.Addr()]; f != nil {
		return f
	}
	f := &function{index: len(p.funcs), sym: sym, insts: map[uint64]*inst{}}
	p.funcs = append(p.funcs, f)
	p.at[sym.Addr()] = f
	p.decode(f)
	return f
}

// maxFunction bounds the instructions of a function.
const maxFunction = 100000

// decode finds the instructions of a function by following its jumps.
func (p *program) decode(f *function) {
	todo := []uint64{f.sym.Addr()}
	l := lift.New(p)
	for len(todo) > 0 && len(f.insts) < maxFunction {
		addr := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f.insts[addr] != nil {
			continue
		}
		in := &inst{addr: addr}
		f.insts[addr] = in
		l.NewBlock()
		p.lift(l, in)
		if in.refused != "" {
			continue
		}
		p.resolve(f, in)
		switch in.End {
		case lift.Jump:
			if !in.tail {
				todo = append(todo, in.To.Addr)
			}
		case lift.Branch:
			todo = append(todo, in.To.Addr, in.NextAddr())
		case lift.Next, lift.Call, lift.CallTo, lift.Repeat:
			if !endsThere[in.extern] {
				todo = append(todo, in.NextAddr())
			}
		}
	}
	for _, in := range f.insts {
		f.order = append(f.order, in)
	}
	sort.Slice(f.order, func(i, j int) bool { return f.order[i].addr < f.order[j].addr })
	p.connect(f)
	p.again(f)
}

// lift translates an instruction.
func (p *program) lift(l *lift.Lifter, in *inst) {
	sec := p.image.Find(in.addr)
	if sec == nil || !sec.Exec || sec.Data == nil {
		in.refused, in.code = "the execution leaves the code", codeFlow
		return
	}
	out, err := l.Lift(sec.Data[in.addr-sec.Addr:], in.addr)
	if err != nil {
		in.refused, in.code = err.Error(), codeInstruction
		return
	}
	in.Inst = out
}

// resolve finds out what a jump or call leads to.
func (p *program) resolve(f *function, in *inst) {
	refuse := func(format string, args ...any) { in.refused, in.code = fmt.Sprintf(format, args...), codeFlow }
	switch in.End {
	case lift.Indirect, lift.CallTo:
		if in.Cond.Op == ir.FuncAddr { // through a word in a table
			in.callee, in.tail = p.funcs[in.Cond.Func], in.End == lift.Indirect
			return
		}
		refuse("%s: a jump or call through a pointer is not supported", in.Text)
	case lift.Jump, lift.Call:
		if in.To.Name != "" {
			in.extern, in.tail = in.To.Name, in.End == lift.Jump
			return
		}
		sym := p.functionAt(in.To.Addr)
		switch {
		case in.End == lift.Call && sym == nil:
			refuse("%s: the target of the call is no function", in.Text)
		case in.End == lift.Call || sym != nil && sym.Addr() != f.sym.Addr() && !isPart(sym.Name):
			in.callee, in.tail = p.find(sym), in.End == lift.Jump
		}
	case lift.Branch:
		if in.To.Name != "" {
			refuse("%s: a conditional jump out of the code is not supported", in.Text)
		}
		if sym := p.functionAt(in.To.Addr); sym != nil && sym.Addr() != f.sym.Addr() && !isPart(sym.Name) {
			refuse("%s: a conditional jump to another function is not supported", in.Text)
		}
	}
}

// connect finds the successors of the instructions, and where blocks begin.
func (p *program) connect(f *function) {
	preds := map[*inst]int{}
	to := func(in *inst, addr uint64, jump bool) {
		if next := f.insts[addr]; next != nil {
			in.next = append(in.next, next)
			preds[next]++
			next.starts = next.starts || jump
		}
	}
	for _, in := range f.order {
		if in.refused != "" || in.tail {
			continue
		}
		switch in.End {
		case lift.Jump:
			to(in, in.To.Addr, true)
		case lift.Branch:
			to(in, in.To.Addr, true)
			to(in, in.NextAddr(), false)
		case lift.Repeat:
			to(in, in.addr, true)
			to(in, in.NextAddr(), true)
		case lift.Next, lift.Call, lift.CallTo:
			if !endsThere[in.extern] {
				to(in, in.NextAddr(), in.End != lift.Next)
			}
		}
	}
}

// again translates the instructions in their order, so that conditions know the comparison before them.
func (p *program) again(f *function) {
	l := lift.New(p)
	var before *inst
	for _, in := range f.order {
		if in.starts || before == nil || before.refused != "" || before.NextAddr() != in.addr || in.refused != "" {
			l.NewBlock()
		}
		if in.refused == "" {
			p.lift(l, in)
		}
		before = in
	}
}

// functionAt returns the symbol of the function that begins at an address, nil if none does.
func (p *program) functionAt(addr uint64) *object.Symbol {
	sec := p.image.Find(addr)
	if sec == nil {
		return nil
	}
	s := p.image.At(sec, addr-sec.Addr)
	if s == nil || s.Addr() != addr || s.Kind != object.Function && s.Kind != object.NoKind {
		return nil
	}
	return s
}

// The methods of lift.Resolver.

// field returns the relocation of a field, its address, and what it holds.
func (p *program) field(addr uint64, off int) (r *object.Reloc, content int64, ok bool) {
	sec := p.image.Find(addr)
	at := addr - sec.Addr + uint64(off)
	if at+4 > sec.Size {
		return nil, 0, false
	}
	return sec.RelocAt(at), int64(int32(binary.LittleEndian.Uint32(sec.Data[at:]))), true
}

// Memory resolves an operand relative to the instruction.
func (p *program) Memory(addr uint64, off int, target uint64) (*ir.Expr, bool, error) {
	r, content, _ := p.field(addr, off)
	if r == nil {
		e, err := p.address(target)
		return e, false, err
	}
	past := int64(target) - content - int64(addr) - int64(off) // from the field to the end of the instruction
	e, err := p.symbol(r.Sym, r.Addend+past)
	switch r.Kind {
	case object.PC32:
		return e, false, err
	case object.GOTPC32, object.GOTTPOff32:
		return e, true, err
	}
	return nil, false, fmt.Errorf("the relocation %s is not expected here", r.Kind)
}

// Number resolves an immediate number or a displacement.
func (p *program) Number(addr uint64, off, _ int, value int64, thread bool) (*ir.Expr, error) {
	r, _, ok := p.field(addr, off)
	switch {
	case !ok || r == nil && !thread:
		return nil, nil
	case r == nil && value == 0: // the address of the thread's block, from which offsets are addresses here
		return nil, fmt.Errorf("the address of the thread's block is not supported")
	case r == nil:
		return nil, fmt.Errorf("the word %d of the thread's block is not supported", value)
	}
	switch r.Kind {
	case object.Abs32, object.Abs32S, object.Abs64, object.TPOff32, object.TPOff64:
		return p.symbol(r.Sym, r.Addend)
	}
	return nil, fmt.Errorf("the relocation %s is not expected here", r.Kind)
}

// Branch resolves the target of a jump or call.
func (p *program) Branch(addr uint64, off int, target uint64) (lift.Target, error) {
	r, content, _ := p.field(addr, off)
	if r == nil {
		return lift.Target{Addr: target}, nil
	}
	past := int64(target) - content - int64(addr) - int64(off)
	if r.Sym.Sec == nil {
		return lift.Target{Name: r.Sym.Name}, nil
	}
	if r.Sym.Kind == object.Indirect {
		return lift.Target{}, fmt.Errorf("%s is an indirect function (IFUNC)", r.Sym.Name)
	}
	return lift.Target{Addr: r.Sym.Addr() + uint64(r.Addend+past)}, nil
}
