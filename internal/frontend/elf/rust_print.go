package elf

import (
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// println! and its like. What is printed matters to no thread; the lock of the stream is taken and given back, and the
// texts of values are made by functions whose addresses are in the arguments. Those of Rust's library only read what
// they print. One in the files may do anything, so it is looked through: if it stores to anything but its stack, or calls
// what is not known to be as harmless, printing is not supported.

const (
	rustPrint = "fp_rust_print"
	formatter = " as core::fmt::"
)

// harmfulText returns the name of a function of the files that makes a text and may do more than that; "" if there is none.
func (p *program) harmfulText() string {
	if p.textMakers != nil {
		return *p.textMakers
	}
	name := ""
	p.textMakers = &name
	seen := map[*object.Symbol]bool{}
	for _, sec := range p.image.Sections {
		if sec.Linked && sec.Exec {
			name = "the code of a linked file"
			return name
		}
		for i := range sec.Relocs {
			r := &sec.Relocs[i]
			if f := p.functionOf(r); sec.Exec && f != nil && isTextMaker(f) && !p.harmless(f, seen) {
				name = shortName(f.Name)
				return name
			}
		}
	}
	return name
}

// functionOf returns the function of the files that a relocation refers to, by its name or by an offset in its section.
func (p *program) functionOf(r *object.Reloc) *object.Symbol {
	if r.Sym == nil || r.Sym.Sec == nil || !r.Sym.Sec.Exec {
		return nil
	}
	off := r.Sym.Off
	if r.Sym.Kind == object.SectionStart {
		off += uint64(r.Addend)
		if r.Kind != object.Abs64 {
			off += 4 // from the field to the next instruction
		}
	}
	return p.image.At(r.Sym.Sec, off)
}

func isTextMaker(s *object.Symbol) bool {
	return s.Kind == object.Function && strings.Contains(shortName(s.Name), formatter)
}

// harmless reports whether a function of the files only makes a text.
func (p *program) harmless(s *object.Symbol, seen map[*object.Symbol]bool) bool {
	if seen[s] {
		return true // or the answer is known already
	}
	seen[s] = true
	var called, named, other regSet // registers through which it calls, that get the address of one function, and that get something else
	l := lift.New(nowhere{})
	l.NoParity = true
	for at := s.Off; at < s.Off+s.Size; {
		in, err := l.Lift(s.Sec.Data[at:], s.Sec.Addr+at)
		if err != nil || len(in.Bytes) == 0 {
			return false
		}
		if !harmlessOps(in) || !p.harmlessMentions(s, in, seen) {
			return false
		}
		if in.End == lift.CallTo && in.Cond.Op == ir.RegRef {
			called |= one(in.Cond.Reg)
		}
		for i := range in.Ops {
			in.Ops[i].Defs(func(r ir.Reg) {
				switch {
				case in.Pop: // the caller's value
				case fromTable(s.Sec, in):
					named |= one(r)
				default:
					other |= one(r)
				}
			})
		}
		at += uint64(len(in.Bytes))
	}
	return called&^named|called&other == 0
}

// harmlessOps reports whether an instruction writes to the stack only.
func harmlessOps(in *lift.Inst) bool {
	for i := range in.Ops {
		op := &in.Ops[i]
		switch op.Kind {
		case ir.Assign, ir.Load, ir.Assume, ir.Nop:
		case ir.Store:
			onStack := false
			op.Addr.Walk(func(e *ir.Expr) { onStack = onStack || e.Op == ir.RegRef && e.Reg == lift.RSP })
			if !onStack {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// harmlessMentions looks at what an instruction refers to.
func (p *program) harmlessMentions(s *object.Symbol, in *lift.Inst, seen map[*object.Symbol]bool) bool {
	// A call through a pointer, unless that is a known one. Registers are looked at in the end.
	through := in.End == lift.CallTo && in.Cond.Op != ir.RegRef || in.End == lift.Indirect
	for off := range uint64(len(in.Bytes)) {
		r := s.Sec.RelocAt(in.Addr - s.Sec.Addr + off)
		if r == nil || r.Sym == nil {
			continue
		}
		to := r.Sym
		through = through && to.Sec != nil && !to.Sec.Exec
		switch {
		case to.Sec == nil:
			if !harmlessName(to.Name) {
				return false
			}
		case to.Sec.Exec:
			if target := p.functionOf(r); target != s && (target == nil || !p.harmless(target, seen)) {
				return false
			}
		default: // a table of methods: of another value, whose text is part of this one
			for i := range to.Sec.Relocs {
				if m := p.functionOf(&to.Sec.Relocs[i]); m != nil && isTextMaker(m) && !p.harmless(m, seen) {
					return false
				}
			}
		}
	}
	return !through
}

// fromTable reports whether an instruction reads an address from the table of addresses.
func fromTable(sec *object.Section, in *lift.Inst) bool {
	for off := range uint64(len(in.Bytes)) {
		if r := sec.RelocAt(in.Addr - sec.Addr + off); r != nil && r.Kind == object.GOTPC32 {
			return true
		}
	}
	return false
}

// nowhere resolves nothing: the operations of an instruction are asked for without what they refer to.
type nowhere struct{}

func (nowhere) Memory(uint64, int, uint64) (*ir.Expr, bool, error)     { return ir.Int(0), false, nil }
func (nowhere) Number(uint64, int, int, int64, bool) (*ir.Expr, error) { return nil, nil }
func (nowhere) Thread(uint64, int) (*ir.Expr, error)                   { return ir.Int(0), nil }
func (nowhere) Block(uint64) (*ir.Expr, error)                         { return nil, nil }
func (nowhere) Branch(_ uint64, _ int, target uint64) (lift.Target, error) {
	return lift.Target{Addr: target}, nil
}

// harmlessName reports whether a function that the files do not have only makes texts, or ends the program.
func harmlessName(name string) bool {
	if pr := libraryFunction(name); pr != nil && pr.fails() {
		return true
	}
	short := strings.TrimLeft(shortName(name), "<")
	of, _, makes := strings.Cut(short, formatter)
	switch {
	case !strings.HasPrefix(name, "_R") && !rustHash.MatchString(name):
		return name == "memcpy" || name == "memcmp" || name == "strlen"
	case makes:
		return !strings.Contains(of, "::") || strings.HasPrefix(of, "core::") || strings.HasPrefix(of, "alloc::")
	}
	return strings.HasPrefix(short, "core::fmt::") || strings.HasPrefix(short, "core::str::")
}
