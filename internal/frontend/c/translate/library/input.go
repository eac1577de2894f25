package library

import (
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Inputs. An input takes every value of its type, or of a range that the user
// declares, which an answer then depends on. Whether there are too many values is the
// engines' business: most try them one by one.

// nondetTypes are the types of inputs, by their names after __VERIFIER_nondet_; the
// zero value is a type whose values cannot be tried.
var nondetTypes = map[string]ir.Type{
	"bool": ir.U8, "_Bool": ir.U8, "char": ir.S8, "schar": ir.S8, "uchar": ir.U8, "s8": ir.S8, "u8": ir.U8,
	"short": ir.S16, "ushort": ir.U16, "s16": ir.S16, "u16": ir.U16,
	"int": ir.S32, "uint": ir.U32, "unsigned": ir.U32, "s32": ir.S32, "u32": ir.U32,
	"long": ir.S64, "ulong": ir.U64, "longlong": ir.S64, "ulonglong": ir.U64, "s64": ir.S64, "u64": ir.U64,
	"size_t": ir.U64, "loff_t": ir.S64, "off_t": ir.S64,
	"pointer": {}, "pchar": {}, "charp": {}, "float": {}, "double": {},
}

// limits are the values of a type that fit into 64 signed bits.
func limits(t ir.Type) translate.Range {
	switch {
	case t.Bits == 64 && t.Signed:
		return translate.Range{Lo: -1 << 63, Hi: 1<<63 - 1}
	case t.Bits == 64:
		return translate.Range{Lo: 0, Hi: 1<<63 - 1}
	case t.Signed:
		return translate.Range{Lo: -1 << (t.Bits - 1), Hi: 1<<(t.Bits-1) - 1}
	default:
		return translate.Range{Lo: 0, Hi: 1<<t.Bits - 1}
	}
}

// libNondet is an input.
func libNondet(f *translate.Lowering, c *translate.Call) translate.Value {
	name := strings.TrimPrefix(c.Name, "__VERIFIER_nondet_")
	t := nondetTypes[name]
	if t == (ir.Type{}) {
		f.In.Refuse(translate.CodeNondet, c.Node, "%s is not supported: inputs are integers", c.Name)
	}
	if strings.EqualFold(strings.Trim(name, "_"), "bool") {
		op := ir.NewOp(ir.Havoc)
		op.Dst, op.Range = f.Code.Temp(), ir.Range{Bounded: true, Lo: 0, Hi: 1}
		f.Code.Emit(op)
		return translate.Integer(ir.R(op.Dst), t)
	}
	return input(f, c, t, limits(t))
}

// randomNumbers are functions whose result is any number, and the numbers.
var randomNumbers = map[string]struct {
	typ ir.Type
	all translate.Range
}{
	"rand":       {ir.S32, translate.Range{Lo: 0, Hi: 1<<31 - 1}},
	"random":     {ir.S64, translate.Range{Lo: 0, Hi: 1<<31 - 1}},
	"lrand48":    {ir.S64, translate.Range{Lo: 0, Hi: 1<<31 - 1}},
	"mrand48":    {ir.S64, translate.Range{Lo: -1 << 31, Hi: 1<<31 - 1}},
	"arc4random": {ir.U32, translate.Range{Lo: 0, Hi: 1<<32 - 1}},
}

// libRandom is a random number: an input, whatever the seed is.
func libRandom(f *translate.Lowering, c *translate.Call) translate.Value {
	r, ok := randomNumbers[c.Name]
	if !ok {
		panic("BUG: no random numbers in " + c.Name)
	}
	return input(f, c, r.typ, r.all)
}

// input is an input of a type that takes all values of a range, or the values of it that the user declares.
func input(f *translate.Lowering, c *translate.Call, t ir.Type, all translate.Range) translate.Value {
	r, declared := all, f.Opt.Inputs()
	if declared != nil {
		r = translate.Range{Lo: max(declared.Lo, all.Lo), Hi: min(declared.Hi, all.Hi)}
		if r.Lo > r.Hi {
			f.In.Reject(translate.CodeNondet, c.Node, "%s has no value from %d to %d", c.Name, declared.Lo, declared.Hi)
		}
		if r != all || t == ir.U64 { // a range ends at 2^63-1
			f.In.Warnf(translate.RangeWarning, f.In.Span(c.Node), "only the values from %d to %d are tried for this input", r.Lo, r.Hi)
		}
	}
	op := ir.NewOp(ir.Havoc)
	op.Dst = f.Code.Temp()
	if op.Range.Bounded = all != limits(ir.S64) && all != limits(ir.U64) || declared != nil; op.Range.Bounded {
		op.Range.Lo, op.Range.Hi = r.Lo, r.Hi
	}
	f.Code.Emit(op)
	return translate.Integer(ir.R(op.Dst), t)
}
