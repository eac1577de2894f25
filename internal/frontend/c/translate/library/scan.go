package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/types"
	"fencepost/internal/lazyregexp"
)

// Functions that read. What they read is an input: every number that fits, and the end of the file at any point. They
// drain nothing and tell other threads nothing but what they store.

// scanned is a conversion of a format that reads an integer or a character: %d, %8lu, %*d, % c.
var scanned = lazyregexp.New(`^%(\*?)[0-9]*(hh|h|ll|l|j|z|t|)([diuxXoc])`)

// scanBytes is the size of a conversion, by its letters before the verb.
var scanBytes = map[string]int64{"hh": 1, "h": 2, "": 4, "l": 8, "ll": 8, "j": 8, "z": 8, "t": 8}

// mostRead is how many bytes fgets and read may store here: each of them is an input.
const mostRead = 64

// libScan is scanf and fscanf with a format that is a literal. The result is the number of conversions that succeeded, or
// -1, and the objects of the others stay as they are.
func libScan(f *translate.Lowering, c *translate.Call) translate.Value {
	first := 0
	if c.Name == "fscanf" {
		used(f, c.Args[0])
		first = 1
	}
	if len(c.Args) <= first {
		f.In.Reject(translate.CodeArgument, c.Node, "%s needs a format", c.Name)
	}
	format, literal := stringConstant(c.Args[first])
	if !literal {
		f.In.Refuse(translate.CodeArgument, c.Args[first], "a format that is no literal is not supported in %s", c.Name)
	}
	var into []translate.Lvalue
	args := c.Args[first+1:]
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i+1 < len(format) && format[i+1] == '%' {
			i++
			continue
		}
		m := scanned.FindStringSubmatch(format[i:])
		if m == nil {
			f.In.Refuse(translate.CodeArgument, c.Args[first], "only conversions of integers and single characters are supported in %s", c.Name)
		}
		if i += len(m[0]) - 1; m[1] == "*" {
			continue
		}
		if len(into) == len(args) {
			f.In.Reject(translate.CodeArgument, c.Node, "%s has fewer arguments than its format takes", c.Name)
		}
		size := scanBytes[m[2]]
		if m[3] == "c" {
			size = 1
		}
		e := args[len(into)]
		l := f.Lvals.Pointee(e)
		if !l.Type.IsInteger() || int64(l.Type.Size()) != size {
			f.In.Refuse(translate.CodeArgument, e, "%s stores an integer of %d bytes here", m[0], size)
		}
		l.Addr = f.Code.Keep(translate.Integer(l.Addr, ir.U64)).Expr
		into = append(into, l)
	}
	read := bounded(f, -1, int64(len(into)))
	for i, l := range into {
		ifTrue(f, ir.Binary(ir.Gt, ir.S64, read, ir.Int(int64(i))), func() {
			t := ir.Type{Bits: uint8(8 * l.Type.Size()), Signed: !l.Type.IsUnsigned()}
			f.Mem.Store(l, input(f, c, t, limits(t)), c.Node)
		})
	}
	return translate.Integer(read, ir.S32)
}

// libGetLine is fgets and read with a size that is a constant: any bytes, as many as there is room for or fewer.
func libGetLine(f *translate.Lowering, c *translate.Call) translate.Value {
	to, count, line := c.Args[0], c.Args[1], c.Name == "fgets"
	if line {
		used(f, c.Args[2])
	} else {
		used(f, c.Args[0])
		to, count = c.Args[1], c.Args[2]
	}
	n, known := f.Data.Constant(f.Exprs.IntegerOperand(count).Expr)
	if !known || n < 1 || n > mostRead {
		f.In.Refuse(translate.CodeArgument, count, "%s is supported with a constant size from 1 to %d", c.Name, mostRead)
	}
	p := newPointerArg(f, to)
	at := func(i *ir.Expr) translate.Lvalue {
		l := p.at(i)
		l.Type = types.Of(types.UChar)
		return l
	}
	most, least := n, int64(-1) // an error
	if line {
		most, least = n-1, 0 // without a character: the end of the file
	}
	read := bounded(f, least, most)
	for i := range most {
		ifTrue(f, ir.Binary(ir.Gt, ir.S64, read, ir.Int(i)), func() {
			all := limits(ir.U8)
			if line {
				all.Lo = 1
			}
			f.Mem.StoreWord(at(ir.Int(i)), ir.U8, input(f, c, ir.U8, all).Expr)
		})
	}
	if !line {
		return translate.Integer(read, ir.S64)
	}
	ifTrue(f, ir.Binary(ir.Gt, ir.S64, read, ir.Int(0)), func() { f.Mem.StoreWord(at(read), ir.U8, ir.Int(0)) })
	result := p.result(f)
	result.Expr = ir.Conditional(ir.Binary(ir.Gt, ir.S64, read, ir.Int(0)), result.Expr, ir.Int(0))
	return f.Code.Keep(result)
}

// bounded returns a number that may be any from lo to hi.
func bounded(f *translate.Lowering, lo, hi int64) *ir.Expr {
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.Range = f.Code.Temp(), ir.Range{Bounded: true, Lo: lo, Hi: hi}
	f.Code.Emit(op)
	return ir.R(op.Dst)
}

// ifTrue writes code that runs if a condition, whose value is kept, holds.
func ifTrue(f *translate.Lowering, cond *ir.Expr, work func()) {
	from, is, end := f.Code.Start(), f.Code.Label(""), f.Code.Label("")
	f.Code.Assume(from, ir.Negate(cond), end)
	f.Code.Assume(from, cond, is)
	f.Code.At, f.Code.Fresh = is, false
	work()
	f.Code.Here(end)
}

// libGetChar is a character that is read, or -1.
func libGetChar(f *translate.Lowering, c *translate.Call) translate.Value {
	for _, a := range c.Args {
		used(f, a)
	}
	return input(f, c, ir.S32, translate.Range{Lo: -1, Hi: 255})
}
