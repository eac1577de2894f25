package x86

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Single bits, counts of bits, and the instructions of BMI1 and BMI2.

// Bit is bt, bts, btr and btc. CF gets the bit. The number of the bit is the second operand; if it is in a register it
// can name a bit of the words before and after an operand in memory.
func Bit(m Machine, name string, bits int, lock bool) {
	index := m.Read(Second, bits)
	var n *ir.Expr
	if c, ok := index.IsConst(); ok {
		n = ir.Int(c & int64(bits-1))
	} else {
		index = m.Keep(word.Extend(index, bits))
		if m.InMemory(First) {
			at := ir.Binary(ir.Shr, ir.S64, index, ir.Int(int64(map[int]int{16: 4, 32: 5, 64: 6}[bits])))
			m.Move(First, word.Mul(at, ir.Int(int64(bits/8))))
		}
		n = m.Keep(word.And(index, ir.Int(int64(bits-1))))
	}
	one := m.Keep(word.Left(ir.Int(1), n))
	kind, with, op := ir.FetchXor, one, word.Xor
	switch name {
	case "bts":
		kind, op = ir.FetchOr, word.Or
	case "btr":
		kind, with, op = ir.FetchAnd, word.Xor(one, ir.Int(word.Mask(bits))), word.And
	}
	var a *ir.Expr
	if lock {
		a = rmw(m, First, kind, bits, with)
	} else if a = m.Keep(m.Read(First, bits)); name != "bt" {
		m.Write(First, bits, op(a, with))
	}
	f := &Flags{}
	f.set(CF, word.And(word.Down(a, n), ir.Int(1)))
	f.undefined(OF, SF, PF)
	m.SetFlags(f)
}

// Counts are the instructions that count or find bits.
var Counts = map[string]bool{"popcnt": true, "bsf": true, "bsr": true, "tzcnt": true, "lzcnt": true}

// Count is one of Counts.
func Count(m Machine, name string, bits int) {
	x := m.Keep(m.Read(Second, bits))
	zero := word.Eq(x, ir.Int(0))
	f := &Flags{}
	f.undefined(CF, PF, ZF, SF, OF)
	switch name {
	case "popcnt":
		m.Write(First, bits, m.Keep(ones(m, x)))
		for _, n := range []Flag{CF, OF, SF, PF} {
			f.set(n, ir.Int(0))
		}
		f.set(ZF, zero)
	case "tzcnt", "lzcnt":
		n := position(m, x, bits, name == "lzcnt")
		if name == "lzcnt" {
			n = word.Sub(ir.Int(int64(bits-1)), n)
		}
		n = m.Keep(ir.Conditional(zero, ir.Int(int64(bits)), n))
		m.Write(First, bits, n)
		f.set(CF, zero)
		f.set(ZF, word.Eq(n, ir.Int(0)))
	default: // of 0, the processors leave the register as it is: all 64 bits of it
		m.WriteIf(ir.Negate(zero), First, bits, position(m, x, bits, name == "bsr"))
		f.set(ZF, zero)
	}
	m.SetFlags(f)
}

// position returns the position of the lowest or highest bit that is set, by halving.
func position(m Machine, x *ir.Expr, bits int, highest bool) *ir.Expr {
	n, rest := ir.Int(0), x
	for half := bits / 2; half > 0; half /= 2 {
		upper := word.Eq(word.And(rest, ir.Int(word.Mask(half))), ir.Int(0)) // the bit is in the upper half
		if highest {
			upper = word.Ne(word.Shr(rest, half), ir.Int(0))
		}
		upper = m.Keep(upper)
		rest = m.Keep(ir.Conditional(upper, word.Shr(rest, half), rest))
		n = m.Keep(word.Add(n, ir.Conditional(upper, ir.Int(int64(half)), ir.Int(0))))
	}
	return n
}

// ones returns how many bits are set, by adding neighbouring fields of bits.
func ones(m Machine, v *ir.Expr) *ir.Expr {
	for i, mask := range []int64{0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f} {
		v = m.Keep(word.Add(word.And(v, ir.Int(mask)), word.And(word.Shr(v, 1<<i), ir.Int(mask))))
	}
	return word.Shr(word.Mul(v, ir.Int(0x0101010101010101)), 56)
}

// Combinations are instructions of BMI1 and BMI2, with the number of their operands.
var Combinations = map[string]int{
	"andn": 3, "blsi": 2, "blsr": 2, "blsmsk": 2, "bzhi": 3, "shlx": 3, "shrx": 3, "sarx": 3, "rorx": 3,
}

// Combine is one of Combinations, with operands of 32 or 64 bits.
func Combine(m Machine, name string, bits int) {
	x := m.Keep(m.Read(Second, bits))
	y := x
	if Combinations[name] == 3 {
		y = m.Keep(m.Read(Third, bits))
	}
	count := word.And(y, ir.Int(int64(bits-1)))
	f := &Flags{}
	var r *ir.Expr
	switch name {
	case "andn":
		r = word.And(word.Xor(x, ir.Int(word.Mask(bits))), y)
		f.set(CF, ir.Int(0))
	case "blsi":
		r = word.And(x, word.Sub(ir.Int(0), x))
		f.set(CF, word.Ne(x, ir.Int(0)))
	case "blsr":
		r = word.And(x, word.Sub(x, ir.Int(1)))
		f.set(CF, word.Eq(x, ir.Int(0)))
	case "blsmsk":
		r = word.Xor(x, word.Sub(x, ir.Int(1)))
		f.set(CF, word.Eq(x, ir.Int(0)))
	case "bzhi":
		n := m.Keep(word.And(y, ir.Int(255)))
		some := word.Less(n, ir.Int(int64(bits)))
		r = ir.Conditional(some, word.And(x, word.Sub(word.Left(ir.Int(1), n), ir.Int(1))), x)
		f.set(CF, ir.Negate(some))
	case "shlx":
		r = word.Left(x, count)
	case "shrx":
		r = word.Down(x, count)
	case "sarx":
		r = ir.Binary(ir.Shr, ir.S64, word.Extend(x, bits), count)
	default: // rorx
		rest := word.And(word.Sub(ir.Int(int64(bits)), count), ir.Int(int64(bits-1)))
		r = word.Or(word.Down(x, count), word.Left(x, rest))
	}
	r = m.Keep(word.Cut(r, bits))
	m.Write(First, bits, r)
	if f.Change[CF] == Stays { // shifts set no flags
		return
	}
	f.set(OF, ir.Int(0))
	f.result(r, bits, Result)
	f.undefined(PF)
	if name == "blsmsk" {
		f.set(ZF, ir.Int(0))
		f.Source = OtherSource
	}
	m.SetFlags(f)
}

// castagnoli is the polynomial of crc32, the lowest power in the highest bit.
const castagnoli = 0x82f63b78

// Checksum is crc32: the checksum in the first operand goes on with the bits of the second.
func Checksum(m Machine, bits int) {
	v := m.Keep(word.Xor(m.Read(First, 32), m.Read(Second, bits)))
	for range bits {
		v = m.Keep(word.Xor(word.Shr(v, 1), word.Mul(word.And(v, ir.Int(1)), ir.Int(castagnoli))))
	}
	m.Write(First, 32, v)
}
