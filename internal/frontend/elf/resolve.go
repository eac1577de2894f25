package elf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// What the addresses in instructions mean: the methods of lift.Resolver. Objects have relocations; in a linked
// file the addresses stand in the code, calls of libraries go through the procedure linkage table, and the words of
// the global offset table have relocations for the loader.

// field returns the relocation of a field, and what it holds.
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
		if word, ok, err := p.tableWord(target); ok {
			return word, true, err
		}
		e, err := p.address(target)
		return e, false, err
	}
	past := int64(target) - content - int64(addr) - int64(off) // from the field to the end of the instruction
	if r.Kind == object.GOTPC32 && r.Addend+past == 0 && p.isExtern(r.Sym) && !p.linkerDefines(r.Sym) {
		return p.externAddr(r.Sym.Name), true, nil
	}
	e, err := p.symbol(r.Sym, r.Addend+past)
	switch r.Kind {
	case object.PC32:
		return e, false, err
	case object.GOTPC32, object.GOTTPOff32:
		return e, true, err
	}
	return nil, false, fmt.Errorf("the relocation %s is not expected here", r.Kind)
}

// tableWord returns the value of a word of the global offset table of a linked file; ok is false for other memory.
func (p *program) tableWord(addr uint64) (e *ir.Expr, ok bool, err error) {
	sec := p.image.Find(addr)
	if sec == nil || !sec.Linked || !strings.HasPrefix(sec.Name, ".got") || sec.Data == nil || sec.Size-(addr-sec.Addr) < 8 {
		return nil, false, nil
	}
	r := sec.RelocAt(addr - sec.Addr)
	switch {
	case r == nil:
		v := binary.LittleEndian.Uint64(sec.Data[addr-sec.Addr:])
		if p.image.Find(v) == nil { // such as the address of a weak function that is not there
			return ir.Int(int64(v)), true, nil
		}
		e, err = p.tableAddress(v)
	case r.Kind == object.TPOff64: // an offset in the block of the thread
		off := r.Addend - int64(p.image.ThreadSize)
		if r.Sym != nil {
			if r.Sym.Sec == nil || !r.Sym.Sec.TLS {
				return nil, true, fmt.Errorf("%s is a thread-local variable of a dynamic library", r.Sym.Name)
			}
			off += int64(r.Sym.Off)
		}
		return ir.Int(off), true, nil
	case r.Sym == nil:
		e, err = p.tableAddress(uint64(r.Addend))
	case p.isExtern(r.Sym) || r.Sym.Kind == object.Indirect:
		return p.externAddr(r.Sym.Name), true, nil
	default:
		e, err = p.symbol(r.Sym, r.Addend)
	}
	return e, true, err
}

// tableAddress returns what a word of the global offset table is that holds an address of the file.
func (p *program) tableAddress(addr uint64) (*ir.Expr, error) {
	if sec := p.image.Find(addr); sec != nil && sec.Exec {
		if name := p.libraryName(addr); name != "" {
			return p.externAddr(name), nil
		}
	}
	return p.address(addr)
}

// threadLocal returns the expression for an offset in the block of a thread of a linked file.
func (p *program) threadLocal(off int64) (*ir.Expr, error) {
	at := int64(p.image.ThreadSize) + off
	for _, s := range p.image.Sections {
		if s.TLS && s.Linked && at >= 0 && at < int64(s.Size) {
			return p.inSection(s, at)
		}
	}
	return nil, fmt.Errorf("the word %d of the thread's block is not supported", off)
}

// Number resolves an immediate number or a displacement.
func (p *program) Number(addr uint64, off, _ int, value int64, thread bool) (*ir.Expr, error) {
	r, _, ok := p.field(addr, off)
	switch {
	case !ok:
		return nil, nil
	case r == nil && !thread:
		return p.fixed(value)
	case r == nil && value == canary:
		return p.canary(), nil
	case r == nil && value == 0:
		return nil, fmt.Errorf("the address of the thread's block is not supported")
	case r == nil && p.image.Find(addr).Linked:
		return p.threadLocal(value)
	case r == nil:
		return nil, fmt.Errorf("the word %d of the thread's block is not supported", value)
	}
	if (r.Kind == object.Abs32 || r.Kind == object.Abs32S) && r.Addend == 0 && p.isExtern(r.Sym) && p.knows(r.Sym.Name) {
		return p.missing(r.Sym.Name, 0), nil
	}
	switch r.Kind {
	case object.Abs32, object.Abs32S, object.Abs64, object.TPOff32, object.TPOff64:
		return p.symbol(r.Sym, r.Addend)
	}
	return nil, fmt.Errorf("the relocation %s is not expected here", r.Kind)
}

// fixed returns what a number is in a linked file with fixed addresses, nil: a number. Nothing says whether a number
// is meant as an address. For data that does not matter, because data are at these addresses here, too; a number
// that is the address of a function is taken for that function (docs/languages/x86.md).
func (p *program) fixed(value int64) (*ir.Expr, error) {
	if !p.image.Fixed || value <= 0 {
		return nil, nil
	}
	sec := p.image.Find(uint64(value))
	if sec == nil || sec.TLS {
		return nil, nil
	}
	if sec.Exec {
		f := p.functionAt(uint64(value))
		begins := f != nil && f.Kind == object.Function
		if e := p.library(uint64(value)); e != nil && (begins || strings.HasPrefix(sec.Name, ".plt")) {
			return e, nil
		}
		if !begins {
			return nil, nil
		}
	}
	return p.inSection(sec, value-int64(sec.Addr))
}

// Branch resolves the target of a jump or call.
func (p *program) Branch(addr uint64, off int, target uint64) (lift.Target, error) {
	r, content, _ := p.field(addr, off)
	if r == nil {
		return p.linked(target)
	}
	past := int64(target) - content - int64(addr) - int64(off)
	if r.Sym.Sec == nil || p.rustEdge(r.Sym) {
		return lift.Target{Name: r.Sym.Name}, nil
	}
	if r.Sym.Kind == object.Indirect {
		return lift.Target{}, fmt.Errorf("%s is an indirect function (IFUNC)", r.Sym.Name)
	}
	return lift.Target{Addr: r.Sym.Addr() + uint64(r.Addend+past)}, nil
}

// linked resolves the target of a jump or call that is an address. A jump in the procedure linkage table of a linked
// file is the function that its word of the global offset table gets.
func (p *program) linked(target uint64) (lift.Target, error) {
	sec := p.image.Find(target)
	if sec == nil || !sec.Linked || !strings.HasPrefix(sec.Name, ".plt") || sec.Data == nil {
		return lift.Target{Addr: target}, nil
	}
	code, at := sec.Data[target-sec.Addr:], target
	for _, skip := range []string{"\xf3\x0f\x1e\xfa", "\xf2"} { // endbr64, bnd
		if bytes.HasPrefix(code, []byte(skip)) {
			code, at = code[len(skip):], at+uint64(len(skip))
		}
	}
	if len(code) < 6 || code[0] != 0xff || code[1] != 0x25 {
		return lift.Target{}, fmt.Errorf("the entry of the linkage table at 0x%x is not understood", target)
	}
	word := at + 6 + uint64(int64(int32(binary.LittleEndian.Uint32(code[2:]))))
	e, ok, err := p.tableWord(word)
	switch {
	case err != nil:
		return lift.Target{}, err
	case ok && p.externOf(e) != "":
		return lift.Target{Name: p.externOf(e)}, nil
	case ok && e.Op == ir.FuncAddr:
		return lift.Target{Addr: p.funcs[e.Func].sym.Addr()}, nil
	}
	return lift.Target{}, fmt.Errorf("the entry of the linkage table at 0x%x is not understood", target)
}

func (p *program) isExtern(s *object.Symbol) bool {
	return s.Sec == nil && !s.Absolute && !s.Weak && libraryVariable(s.Name) == nil || p.rustEdge(s)
}

// externAddr is the address of a function that is not defined in the files. Only calls take it.
func (p *program) externAddr(name string) *ir.Expr {
	p.externs = append(p.externs, name)
	return &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: ir.FuncID(-1 - len(p.externs))}
}

// externOf returns the function that is not defined in the files and whose address an expression is, or "".
func (p *program) externOf(e *ir.Expr) string {
	if e == nil || e.Op != ir.FuncAddr || e.Func >= -1 {
		return ""
	}
	return p.externs[-2-int(e.Func)]
}

// libraryName returns the name of the function of the library that begins at an address of a program that has its
// libraries in it. Code with lines is the user's.
func (p *program) libraryName(addr uint64) string {
	sec := p.image.Find(addr)
	if sym := p.functionAt(addr); sym != nil && (replaced[sym.Name] || p.rustEdge(sym)) {
		return sym.Name
	}
	if !p.image.Static || sec == nil || p.image.Lines.At(addr).Line > 0 {
		return ""
	}
	for _, s := range p.image.Named(sec, addr-sec.Addr) {
		if p.knows(s.Name) {
			return s.Name
		}
	}
	return ""
}

// inspectAddresses looks at the addresses that an instruction uses other than for an access to them.
func (p *program) inspectAddresses(in *inst) {
	exact := true // a relocation names the symbol that is meant
	sec := p.image.Find(in.addr)
	for off := range in.Bytes {
		if r := sec.RelocAt(in.addr - sec.Addr + uint64(off)); r != nil {
			exact = r.Sym != nil && r.Sym.Kind != object.SectionStart
		}
	}
	exact = exact && !sec.Linked
	inspect := func(e *ir.Expr) *ir.Expr {
		return e.Map(func(e *ir.Expr) *ir.Expr {
			if name := p.externOf(e); name != "" {
				return p.missing(name, 0)
			}
			if e.Op == ir.AddrOf && !exact {
				p.ambiguous(e)
			}
			return e
		})
	}
	for i := range in.Ops {
		op := &in.Ops[i]
		var addr *ir.Expr
		if op.Accesses() && op.Addr.Op == ir.AddrOf {
			addr, op.Addr = op.Addr, nil
		}
		op.Exprs(inspect)
		if addr != nil {
			op.Addr = addr
		}
	}
	if in.Cond != nil && p.externOf(in.Cond) == "" {
		in.Cond = inspect(in.Cond)
	}
}
