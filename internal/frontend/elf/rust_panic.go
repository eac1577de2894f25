package elf

import (
	"encoding/binary"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// What a panic of Rust says: the text that its function gets, as far as it is constant before the call. It is for
// answers only.

// panicTexts are texts of functions that get none, by the ends of their names.
var panicTexts = []struct{ function, text string }{
	{"option::unwrap_failed", "called `Option::unwrap()` on a `None` value"},
	{"panic_bounds_check", "index out of bounds"},
	{"panic_const_add_overflow", "attempt to add with overflow"},
	{"panic_const_sub_overflow", "attempt to subtract with overflow"},
	{"panic_const_mul_overflow", "attempt to multiply with overflow"},
	{"panic_const_div_overflow", "attempt to divide with overflow"},
	{"panic_const_rem_overflow", "attempt to calculate the remainder with overflow"},
	{"panic_const_neg_overflow", "attempt to negate with overflow"},
	{"panic_const_shl_overflow", "attempt to shift left with overflow"},
	{"panic_const_shr_overflow", "attempt to shift right with overflow"},
	{"panic_const_div_by_zero", "attempt to divide by zero"},
	{"panic_const_rem_by_zero", "attempt to calculate the remainder with a divisor of zero"},
	{"cell::panic_already_borrowed", "already borrowed"},
	{"cell::panic_already_mutably_borrowed", "already mutably borrowed"},
	{"slice_start_index_len_fail", "start of a range out of bounds"},
	{"slice_end_index_len_fail", "end of a range out of bounds"},
	{"slice_index_order_fail", "a range starts after its end"},
	{"slice_index_fail", "range out of bounds"},
	{"panic_cannot_unwind", "a panic in a function that cannot unwind"},
	{"handle_alloc_error", "memory allocation failed"},
	{"capacity_overflow", "capacity overflow"},
	{"begin_panic", "a value of any type"},
	{"panic_access_error", "a thread-local variable is used after it is destroyed"},
	{"lazy_lock::panic_poisoned", "LazyLock instance has previously been poisoned"},
}

// panicText returns what a call of a function that only a panic calls says.
func (p *program) panicText(f *function, in *inst) string {
	name, _ := isRust(in.extern)
	if name == "" {
		return ""
	}
	name, _, _ = strings.Cut(name, "::<")
	argument := func(n int) *ir.Expr { return f.constant(in, argumentRegs[n]) }
	switch {
	case strings.HasSuffix(name, "result::unwrap_failed"):
		if s := p.rustText(argument(0), argument(1)); s != "" && s != "called `Result::unwrap()` on an `Err` value" {
			return s + ": an `Err` value"
		}
		return "called `Result::unwrap()` on an `Err` value"
	case strings.HasSuffix(name, "panicking::panic") || strings.HasSuffix(name, "option::expect_failed") || strings.HasSuffix(name, "panic_str") ||
		strings.HasSuffix(name, "panic_nounwind") || strings.HasSuffix(name, "panic_display"):
		return p.rustText(argument(0), argument(1))
	case strings.Contains(name, "panic_fmt") || strings.HasSuffix(name, "panic_nounwind_fmt"):
		return p.rustArguments(f, in, argument(0), argument(1))
	case strings.Contains(name, "assert_failed"):
		text := "an `assert_eq!` or `assert_ne!` failed"
		if kind := argument(0); kind != nil && kind.Op == ir.Const {
			switch kind.Value {
			case 0:
				text = "assertion `left == right` failed"
			case 1:
				text = "assertion `left != right` failed"
			}
		}
		if s := p.rustArguments(f, in, argument(3), argument(4)); s != "" {
			text += ": " + s
		}
		return text
	}
	for _, t := range panicTexts {
		if strings.HasSuffix(name, t.function) {
			return t.text
		}
	}
	return ""
}

// constantBytes returns the data from an address on, up to the end of its variable; nil if they are not constant.
func (p *program) constantBytes(e *ir.Expr) []byte {
	if e == nil || e.Op != ir.AddrOf {
		return nil
	}
	d := p.data[e.Obj]
	if d.sec.Write && !d.sec.RelRO || d.sec.Data == nil || e.Value < 0 || uint64(e.Value) >= d.size {
		return nil
	}
	return d.sec.Data[d.off+uint64(e.Value) : d.off+d.size]
}

// rustText returns a string of Rust, from its address and its length.
func (p *program) rustText(at, size *ir.Expr) string {
	bytes := p.constantBytes(at)
	if size == nil || size.Op != ir.Const || size.Value < 0 || size.Value > int64(len(bytes)) {
		return ""
	}
	return string(bytes[:size.Value])
}

// rustArguments returns the text of a core::fmt::Arguments, with {} for values. That of rustc 1.95 is two words: a text
// and its length twice and one more, or what rustTemplate reads and the values. That of rustc 1.63 is in memory and
// has the address of an array of texts.
func (p *program) rustArguments(f *function, in *inst, first, second *ir.Expr) string {
	bytes := p.constantBytes(first)
	switch {
	case bytes != nil && second != nil && second.Op == ir.Const && second.Value&1 == 1:
		return p.rustText(first, ir.Int(second.Value>>1))
	case bytes != nil:
		return rustTemplate(bytes)
	}
	for i := range f.order {
		if f.order[i] == in {
			return p.rustPieces(f, i)
		}
	}
	return ""
}

// rustTemplate reads texts, each after its length, and values between them.
func rustTemplate(bytes []byte) string {
	const (
		long  = 0x80 // a length of two bytes follows
		value = 0xc0 // a value that is written in the usual way
	)
	var out strings.Builder
	for len(bytes) > 0 && bytes[0] != 0 {
		n := int(bytes[0])
		bytes = bytes[1:]
		switch {
		case n == value:
			out.WriteString("{}")
			continue
		case n == long && len(bytes) >= 2:
			n = int(binary.LittleEndian.Uint16(bytes))
			bytes = bytes[2:]
		case n >= long:
			return ""
		}
		if n > len(bytes) {
			return ""
		}
		out.Write(bytes[:n])
		bytes = bytes[n:]
	}
	return out.String()
}

// rustPieces looks before an instruction for a store of the address of an array of texts.
func (p *program) rustPieces(f *function, at int) string {
	for steps := 0; at > 0 && steps < 32; at, steps = at-1, steps+1 {
		in, before := f.order[at], f.order[at-1]
		if in.starts || before.refused != "" || before.Inst == nil || before.NextAddr() != in.addr || before.End != lift.Next {
			return ""
		}
		for i := range before.Ops {
			op := &before.Ops[i]
			if op.Kind != ir.Store || op.Val == nil {
				continue
			}
			val := op.Val
			if val.Op == ir.RegRef && val.Reg < lift.Vector {
				val = f.constant(before, val.Reg)
			}
			if s := p.rustArray(val); s != "" {
				return s
			}
		}
	}
	return ""
}

// rustArray returns the texts of a constant array of texts, with {} between them.
func (p *program) rustArray(e *ir.Expr) string {
	bytes := p.constantBytes(e)
	if len(bytes) < 16 {
		return ""
	}
	d := p.data[e.Obj]
	var texts []string
	for off := uint64(0); off+16 <= uint64(len(bytes)); off += 16 {
		size := binary.LittleEndian.Uint64(bytes[off+8:])
		r := d.sec.RelocAt(d.off + uint64(e.Value) + off)
		if r == nil || r.Kind != object.Abs64 {
			if size != 0 {
				return ""
			}
			texts = append(texts, "")
			continue
		}
		to, err := p.word(r)
		if err != nil || size > 1<<16 {
			return ""
		}
		texts = append(texts, p.rustText(to, ir.Int(int64(size))))
	}
	text := strings.Join(texts, "{}")
	if strings.HasSuffix(text, " ") {
		text += "{}"
	}
	return text
}
