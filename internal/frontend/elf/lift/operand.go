package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// operand is an operand of an instruction, with its address if it is in memory. The address is
// worked out once.
type operand struct {
	arg  x86asm.Arg
	bits int
	addr *ir.Expr // of an operand in memory
	word *ir.Expr // the value of a word in a table of addresses
}

// widths: general registers have theirs, memory that of the instruction.
func (l *Lifter) bitsOf(a x86asm.Arg) int {
	switch a := a.(type) {
	case x86asm.Reg:
		if _, bits, _, ok := general(a); ok {
			return bits
		}
		return 128
	case x86asm.Mem:
		return 8 * l.in.MemBytes
	}
	return l.in.DataSize
}

// operand prepares operand i.
func (l *Lifter) operand(i int) operand {
	o := operand{arg: l.in.Args[i], bits: l.bitsOf(l.in.Args[i])}
	if m, ok := o.arg.(x86asm.Mem); ok {
		o.addr, o.word = l.address(m)
	}
	return o
}

func (o *operand) inMemory() bool { return o.addr != nil }

// address returns the address of an operand in memory, or the value of a word in a table.
func (l *Lifter) address(m x86asm.Mem) (addr, word *ir.Expr) {
	absolute := l.opcode() >= 0xa0 && l.opcode() <= 0xa3 && m.Base == 0
	if !absolute {
		m.Disp = int64(int32(m.Disp)) // the decoder extends some displacements with zeros
	}
	if m.Base == x86asm.RIP {
		e, value, err := l.res.Memory(l.addr, l.in.PCRelOff, l.addr+uint64(l.in.Len)+uint64(m.Disp))
		if err != nil {
			l.fail(err)
			return ir.Int(0), nil
		}
		if value {
			return nil, e
		}
		return e, nil
	}
	if absolute {
		l.err = l.refuse(": an address of 64 bits in an instruction is not supported")
		return ir.Int(0), nil
	}
	thread := m.Segment == x86asm.FS
	alone := m.Base == 0 && m.Index == 0
	disp, sum, inBlock := ir.Int(m.Disp), ir.Int(0), false
	if word := alone && m.Disp == 0 && l.in.Op == x86asm.ADD && l.in.Args[1] == m; thread && (!alone || word) {
		block, err := l.res.Block(l.addr)
		l.fail(err)
		if word && block != nil {
			return nil, block // the first word of the block holds its address
		}
		if block != nil {
			disp, sum, inBlock = ir.Int(0), add(block, disp), true
		}
	}
	if off, size := l.dispField(m); size >= 4 && !inBlock {
		if thread && alone && m.Disp == 0 && l.in.Op == x86asm.MOV && l.in.Args[1] == m {
			e, err := l.res.Thread(l.addr, off)
			l.fail(err)
			if e != nil {
				return nil, e
			}
		}
		e, err := l.res.Number(l.addr, off, size, m.Disp, thread && alone)
		l.fail(err)
		if e != nil {
			disp = e
		}
	}
	if m.Base != 0 {
		r, bits, _, ok := general(m.Base)
		if !ok || bits != 64 {
			l.err = l.refuse(": the address is not supported")
			return ir.Int(0), nil
		}
		sum = add(sum, ir.R(r))
	}
	if m.Index != 0 && m.Scale != 0 {
		r, bits, _, ok := general(m.Index)
		if !ok || bits != 64 {
			l.err = l.refuse(": the address is not supported")
			return ir.Int(0), nil
		}
		index := ir.R(r)
		if m.Scale > 1 {
			index = ir.Binary(ir.Mul, ir.U64, index, ir.Int(int64(m.Scale)))
		}
		sum = add(sum, index)
	}
	return add(sum, disp), nil
}

// immBytes is how many bytes of the instruction an immediate number takes at its end.
func (l *Lifter) immBytes() int {
	n := 0
	for _, a := range l.in.Args {
		if _, ok := a.(x86asm.Imm); ok {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	switch b := l.opcode(); {
	case b >= 0x80 && b <= 0x83 && b != 0x81, b == 0x6b, b == 0xc0, b == 0xc1, b == 0xc6, b == 0x6a, b >= 0xb0 && b <= 0xb7, b == 0xa8, b == 0xf6:
		return n
	case b >= 0xb8 && b <= 0xbf:
		return l.in.DataSize / 8
	case b == 0x0f || b == 0xd0 || b == 0xd1 || b == 0xc8: // bt and shufps have one byte; shifts by one have none
		if b == 0x0f {
			return 1
		}
		return 0
	case b < 0x40 && b&7 == 4: // op al, imm8
		return 1
	}
	return min(4, l.in.DataSize/8)
}

// opcode returns the first byte of the instruction after the prefixes.
func (l *Lifter) opcode() byte {
	for _, b := range l.bytes {
		switch b {
		case 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3:
			continue
		}
		if b&0xf0 != 0x40 {
			return b
		}
	}
	return 0
}

// dispField returns where the displacement of an operand is, and its size: 4, or 0 if it has none
// that can be an address. ModRM and SIB come before it and the immediate number after it.
func (l *Lifter) dispField(m x86asm.Mem) (off, size int) {
	end := l.in.Len - l.immBytes()
	off = end - 4
	if off < 2 || int64(int32(m.Disp)) != m.Disp {
		return 0, 0
	}
	b := l.bytes[off:end]
	if v := int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24); int64(v) != m.Disp {
		return 0, 0
	}
	return off, 4
}

// value returns the value of an operand, extended with zeros to 64 bits. An operand in memory is
// loaded.
func (l *Lifter) value(o operand, bits int) *ir.Expr {
	switch a := o.arg.(type) {
	case x86asm.Reg:
		r, _, shift, ok := general(a)
		if !ok {
			l.err = l.refuse("")
			return ir.Int(0)
		}
		e := ir.R(r)
		if shift > 0 {
			e = shr(e, shift)
		}
		return cut(e, bits)
	case x86asm.Imm:
		if size := l.immBytes(); size >= 4 {
			e, err := l.res.Number(l.addr, l.in.Len-size, size, int64(a), false)
			l.fail(err)
			if e != nil {
				return address(e, bits)
			}
		}
		return ir.Int(int64(a) & mask(bits))
	}
	if o.word != nil {
		return cut(o.word, bits)
	}
	return l.load(o.addr, bits)
}

// set writes an operand. A register of 32 bits is extended with zeros, a smaller one keeps the rest.
func (l *Lifter) set(o operand, e *ir.Expr) {
	a, ok := o.arg.(x86asm.Reg)
	if !ok {
		if o.addr == nil {
			l.err = l.refuse(": it writes to a table of addresses")
			return
		}
		l.store(o.addr, o.bits, cut(e, o.bits))
		return
	}
	r, bits, shift, ok := general(a)
	switch {
	case !ok:
		l.err = l.refuse("")
	default:
		l.assign(r, merged(r, bits, shift, e))
	}
}

// address returns the lowest bits of a value. A number of 32 bits that stands for an address has all of it, also where it is the
// address of a symbol that no file defines, a large number.
func address(e *ir.Expr, bits int) *ir.Expr {
	if bits >= 32 && (e.Op == ir.AddrOf || e.Op == ir.FuncAddr || e.Op == ir.Const && e.Value>>32 > 0) {
		return e
	}
	return cut(e, bits)
}
