package library

import (
	"slices"
	"strings"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Arguments of functions that change nothing here: what the function looks at is read all the same, at the addresses that
// it gets. So an argument without a value, a string that was freed and a race with who writes it are found.

// used evaluates an argument that a function looks at.
func used(f *translate.Lowering, e *parse.Expr) {
	if _, scalar := translate.ScalarType(e.Type); !scalar || isStream(f, e) {
		f.Exprs.Effect(e)
		return
	}
	if _, literal := stringConstant(e); !literal {
		f.Code.Use(f.Exprs.Operand(e))
	}
}

// unlessNull writes code that runs if an argument, whose value is kept, is no null pointer.
func unlessNull(f *translate.Lowering, e *parse.Expr, v *ir.Expr, work func()) {
	if translate.Addressed(e) != nil || v.Op == ir.AddrOf {
		work()
		return
	}
	null := ir.Binary(ir.Eq, ir.U64, v, ir.Int(0))
	from, is, end := f.Code.Start(), f.Code.Label(""), f.Code.Label("")
	f.Code.Assume(from, null, end)
	f.Code.Assume(from, ir.Negate(null), is)
	f.Code.At, f.Code.Fresh = is, false
	work()
	f.Code.Here(end)
}

// libAttributes begins attributes: of a condition, a thread, a barrier, a reader-writer lock. What they say changes nothing here.
func libAttributes(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Mem.StoreWord(wordAt(f, c.Args[0]), ir.S32, ir.Int(0))
	return zero()
}

// libAttribute sets one of them, or ends them.
func libAttribute(f *translate.Lowering, c *translate.Call) translate.Value {
	attributes(f, c.Args[0])
	for _, a := range c.Args[1:] {
		used(f, a)
	}
	return zero()
}

// attributes reads the attributes that an object gets, unless the argument is a null pointer. It returns their first word,
// which is 0 then.
func attributes(f *translate.Lowering, e *parse.Expr) *ir.Expr {
	if isNull(f, e) {
		return ir.Int(0)
	}
	at := wordAt(f, e)
	at.Addr = f.Code.Save(translate.Integer(at.Addr, ir.U64)).Expr
	word := f.Code.Temp()
	f.Code.Assign(word, ir.Int(0))
	unlessNull(f, e, at.Addr, func() {
		read := translate.Access(ir.Load, at, ir.S32, ir.Plain)
		read.Dst = word
		f.Code.Emit(read)
		f.Code.Use(translate.Integer(ir.R(word), ir.S32))
	})
	return ir.R(word)
}

// readTime reads the time that an argument points to.
func readTime(f *translate.Lowering, e *parse.Expr) { readTimeAt(f, f.Code.Save(f.Exprs.Operand(e))) }

func readTimeAt(f *translate.Lowering, v translate.Value) {
	for _, off := range []int64{0, 8} {
		at := translate.Lvalue{Reg: ir.NoReg, Addr: translate.AddTo(v.Expr, ir.Int(off)), Obj: v.Obj}
		f.Code.Use(translate.Integer(f.Mem.LoadWord(at, ir.S64, ir.Plain), ir.S64))
	}
}

// libSleep reads how long it sleeps.
func libSleep(f *translate.Lowering, c *translate.Call) translate.Value {
	for i, a := range c.Args {
		if i == 0 && len(c.Args) == 2 || i == 2 {
			readTime(f, a)
		} else {
			used(f, a)
		}
	}
	return zero()
}

// stringStep is how many characters of a string are read in one round of a loop, so that most strings need few rounds.
const stringStep = 8

// readString reads a string up to its end, but at most some characters; -1: all.
func readString(f *translate.Lowering, s pointerArg, most *ir.Expr) {
	i, end, step := f.Code.Temp(), f.Code.Label(""), int64(1)
	if n, known := most.IsConst(); known && n < 0 {
		step = stringStep
	}
	f.Code.Assign(i, ir.Int(0))
	upTo(f, i, most, step, func() {
		for k := range step {
			leaveAtNull(f, loadWord(f, s.at(ir.Binary(ir.Add, ir.U64, ir.R(i), ir.Int(k))), ir.U8), end)
		}
	})
	f.Code.Here(end)
}

// conversion is a part of a format that takes an argument.
type conversion struct {
	verb      byte // '*' for a width or precision that is an argument
	precision int  // -1: none, -2: the argument before it
}

// conversions returns what a format takes, as C11 7.21.6.1 has it. In a format with numbers of arguments (%1$d), the verb of
// all is '$'.
func conversions(format string) []conversion {
	var out []conversion
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return out
		}
		c := conversion{precision: -1}
		wide := false
		for i := 0; ; i++ {
			if i == len(rest) {
				return out
			}
			switch b := rest[i]; {
			case b == '$': // each argument may be one of several conversions
				return slices.Repeat([]conversion{{verb: '$', precision: -1}}, len(format)+len(out)+printWords)
			case b == '.':
				c.precision = 0
			case b == '*':
				out = append(out, conversion{verb: '*'})
				if c.precision == 0 {
					c.precision = -2
				}
			case b >= '0' && b <= '9':
				if c.precision >= 0 {
					c.precision = min(c.precision*10+int(b-'0'), 1<<20)
				}
			case strings.IndexByte("-+ #'Ihljzt", b) >= 0:
				wide = wide || b == 'l'
			default:
				if c.verb = b; b == 's' && wide {
					c.verb = 'S'
				}
			}
			if c.verb != 0 {
				rest = rest[i+1:]
				break
			}
		}
		if c.verb != '%' && c.verb != 'm' {
			out = append(out, c)
		}
		format = rest
	}
}

// printed reads what a function prints: first is the index of its format, or of the string that it prints as it is.
func printed(f *translate.Lowering, c *translate.Call, first int) {
	e := c.Args[first]
	format, literal := stringConstant(e)
	switch {
	case c.Name == "puts" || c.Name == "fputs" || c.Name == "perror":
		if !literal {
			printedString(f, c, e)
		}
		for _, a := range c.Args[first+1:] {
			used(f, a)
		}
	case literal && c.Name[0] != 'v':
		printedArguments(f, c.Args[first+1:], conversions(format), e)
	case literal && len(conversions(format)) == 0:
		for _, a := range c.Args[first+1:] {
			used(f, a)
		}
	default:
		printedByFormat(f, c, first)
	}
}

// printedString reads a string that is printed as it is.
func printedString(f *translate.Lowering, c *translate.Call, e *parse.Expr) {
	s := newPointerArg(f, e)
	f.Code.Use(translate.Integer(s.Addr, ir.U64))
	if c.Name == "perror" {
		unlessNull(f, e, s.Addr, func() { readString(f, s, ir.Int(-1)) })
	} else {
		readString(f, s, ir.Int(-1))
	}
}

// printedArguments reads the arguments of a format that is known.
func printedArguments(f *translate.Lowering, args []*parse.Expr, takes []conversion, format *parse.Expr) {
	before := ir.Int(-1)
	for i, a := range args {
		conv := conversion{precision: -1}
		if i < len(takes) {
			conv = takes[i]
		}
		switch _, literal := stringConstant(a); {
		case conv.verb == 'n':
			f.In.Refuse(translate.CodeArgument, a, "the conversion %%n is not supported")
		case conv.verb == '$':
			f.In.Refuse(translate.CodeArgument, format, "conversions with the numbers of their arguments are not supported")
		case literal || isStream(f, a):
		case conv.verb == 's':
			s := newPointerArg(f, a)
			f.Code.Use(translate.Integer(s.Addr, ir.U64))
			most := ir.Int(int64(conv.precision))
			if conv.precision == -2 {
				most = before
			}
			unlessNull(f, a, s.Addr, func() { readString(f, s, most) })
		default:
			v := f.Exprs.Operand(a)
			f.Code.Use(v)
			if conv.verb == '*' {
				before = f.Code.Keep(v).Expr
			}
		}
	}
}

// printWords is how many arguments of a call whose format is not known __fp_print takes.
const printWords = 6

// printedByFormat reads what a format asks for that is known when the program runs, or whose arguments are a va_list:
// first whether the format asks for anything, as most do not, and then what __fp_print finds.
func printedByFormat(f *translate.Lowering, c *translate.Call, first int) {
	s := newPointerArg(f, c.Args[first])
	f.Code.Use(translate.Integer(s.Addr, ir.U64))
	body := f.Syms.InLibrary("__fp_print")
	if body == nil {
		panic("BUG: __fp_print has no body")
	}
	var words []*ir.Expr
	taken := true // __fp_print takes all
	for _, a := range c.Args[first+1:] {
		if _, scalar := translate.ScalarType(a.Type); !scalar || a.Type.Size() > 8 {
			f.Exprs.Effect(a)
			taken = false
			continue
		}
		v := f.Code.Save(f.Exprs.Operand(a))
		words = append(words, translate.Cast(v.Expr, v.Type, ir.U64))
	}
	taken = taken && len(words) <= printWords
	ask, end := f.Code.Label(""), f.Code.Label("")
	i := f.Code.Temp()
	f.Code.Assign(i, ir.Int(0))
	upTo(f, i, ir.Int(-1), stringStep, func() {
		for k := range int64(stringStep) {
			char := loadWord(f, s.at(ir.Binary(ir.Add, ir.U64, ir.R(i), ir.Int(k))), ir.U8)
			leaveAtNull(f, char, end)
			leaveAt(f, char, '%', ask)
		}
	})
	f.Code.At, f.Code.Fresh = ask, false
	if !taken {
		libNotModelled(f, &translate.Call{Name: "__fp_format_unknown"})
	} else {
		op := callOf(f.Syms.Function(body))
		more, given := ir.Int(0), ir.Int(int64(len(words)))
		if c.Name[0] == 'v' && len(words) == 1 {
			more, given, words = words[0], ir.Int(0), nil
		}
		for len(words) < printWords {
			words = append(words, ir.Int(0))
		}
		const savedIntegers, savedAll = 48, 176 // nothing is left in saved registers
		op.Call.Args = append([]*ir.Expr{s.Addr, ir.Int(0), ir.Int(savedIntegers), ir.Int(savedAll), more, given}, words...)
		op.Dst = f.Code.Temp()
		f.Code.Emit(op)
	}
	f.Code.Here(end)
}

// timeLimit evaluates how long a call waits at most: a clock, if one is given, and the address of a time.
func timeLimit(f *translate.Lowering, args []*parse.Expr) {
	for i, a := range args {
		if i == len(args)-1 {
			readTime(f, a)
		} else {
			used(f, a)
		}
	}
}

// timedLock evaluates the arguments of a lock of a mutex with a time limit, and returns what locks it. A mutex that is free is
// taken whatever the limit is: only who has to wait looks at it.
func timedLock(f *translate.Lowering, m translate.Value, args []*parse.Expr) func() translate.Value {
	for _, a := range args[:len(args)-1] {
		used(f, a)
	}
	limit := f.Code.Save(f.Exprs.Operand(args[len(args)-1]))
	return func() translate.Value {
		out := mutexOp(f, ir.TryLock, m, true)
		busy := ir.Binary(ir.Eq, ir.S32, out.Expr, ir.Int(errBusy))
		from, late, end := f.Code.Start(), f.Code.Label(""), f.Code.Label("")
		f.Code.Assume(from, ir.Negate(busy), end)
		f.Code.Assume(from, busy, late)
		f.Code.At, f.Code.Fresh = late, false
		readTimeAt(f, limit)
		f.Code.Here(end)
		return out
	}
}
