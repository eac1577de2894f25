package irtext

import (
	"strings"

	"fencepost/internal/ir"
)

// op reads an operation with its destinations.
func (ps *parser) op() ir.Op {
	start := ps.tok()
	dst, dst2 := ir.NoReg, ir.NoReg
	if _, isOp := ps.opWord(); !isOp {
		if !ps.word(noDst) {
			dst = ps.reg()
		}
		if ps.accept(",") {
			dst2 = ps.reg()
		}
		ps.expect("=")
	}
	kind, isOp := ps.opWord()
	if !isOp {
		op := ir.NewOp(ir.Assign)
		op.Dst, op.Dst2, op.Val = dst, dst2, ps.expr()
		if ps.word("undefined") {
			if !ps.word("in") {
				ps.want("in")
			}
			op.Block.Undef, op.Obj = true, ir.ObjectID(ps.lookup(ps.objects, "object"))
		}
		for m := takeMark(ps); m != 0; m = takeMark(ps) {
			op.Sync.Marks |= m
		}
		ps.check(start, &op)
		return op
	}
	op := ir.NewOp(kind)
	op.Dst, op.Dst2 = dst, dst2
	ps.defaults(&op)
	ps.suffixes(&op)
	ps.operands(&op)
	ps.clauses(&op)
	ps.check(start, &op)
	return op
}

// check reports parts that are missing or too many.
func (ps *parser) check(at *token, op *ir.Op) {
	if ps.bad {
		return
	}
	if problems := op.FieldProblems(); len(problems) > 0 {
		ps.failAt(at, codeOperation, "%s %s", op.Kind, strings.Join(problems, "; "))
	}
}

// opWord returns the operation that the next word starts.
func (ps *parser) opWord() (ir.OpKind, bool) {
	t := ps.tok()
	if ps.bad || t.kind != tokName {
		return ir.OpUnset, false
	}
	base, _, _ := strings.Cut(t.text, ".")
	return opOf(base)
}

func (ps *parser) defaults(op *ir.Op) {
	if op.Accesses() {
		op.Type, op.Sync.Order = ir.S64, ir.Plain
	}
	switch op.Kind {
	case ir.Fence:
		op.Fence = ir.FullFence
	case ir.Lock, ir.TryLock, ir.Unlock:
		op.Mutex.Kind = ir.NormalMutex
	case ir.Assert:
		op.Report.Class = ir.Assertion
	}
}

// suffixes takes the word of the operation and its suffixes, which are separated by dots.
func (ps *parser) suffixes(op *ir.Op) {
	t := ps.tok()
	for _, s := range strings.Split(t.text, ".")[1:] {
		typ, isType := typeWords[s]
		rmw, isRMW := ir.ParseRMW(s)
		fence, isFence := ir.ParseFence(s)
		mutex, isMutex := ir.ParseMutexKind(s)
		test, isTest := ir.ParseMutexTest(s)
		sync, isSync := ir.ParseSync(s)
		switch {
		case isType && op.Accesses():
			op.Type = typ
		case op.Kind == ir.RMW && isRMW:
			op.RMW = rmw
		case op.Kind == ir.Fence && isFence:
			op.Fence = fence
		case (op.Mutex.Kind != ir.MutexUnset || op.Kind == ir.CondWait || op.Kind == ir.Await) && isMutex:
			op.Mutex.Kind = mutex
		case op.Kind == ir.Await && isTest:
			op.Mutex.Test = test
			if op.Mutex.Kind == ir.MutexUnset {
				op.Mutex.Kind = ir.NormalMutex
			}
		case (op.Kind == ir.AtomicBegin || op.Kind == ir.AtomicEnd) && s == "loads":
			op.Loads = true
		case (op.Kind == ir.Alloc || op.Kind == ir.Free) && s == "stack":
			op.Block.Stack = true
		case (op.Kind == ir.Alloc || op.Kind == ir.Nop) && s == undefWord:
			op.Block.Undef = true
		case (op.Kind == ir.CondWait || op.Kind == ir.Havoc) && s == "timed":
			op.Timed = true
		case op.Accesses() && isSync:
			op.Sync.Kind = sync
		default:
			ps.fail(codeSyntax, "%s has no variant %s", op.Kind, s)
		}
	}
	ps.advance()
}

// bracketed reads an expression in brackets.
func (ps *parser) bracketed() *ir.Expr {
	ps.expect("[")
	e := ps.expr()
	ps.expect("]")
	return e
}

func (ps *parser) operands(op *ir.Op) {
	if op.Kind.NeedsAddress() {
		op.Addr = ps.bracketed()
	}
	switch op.Kind {
	case ir.Store:
		ps.expect("=")
		op.Val = ps.expr()
	case ir.RMW:
		ps.expect(",")
		op.Val = ps.expr()
		if ps.accept(",") {
			op.Val2 = ps.expr()
		}
	case ir.CondWait:
		if !ps.word("mutex") {
			ps.want("mutex")
		}
		op.Val2 = ps.bracketed()
	case ir.Call:
		if ps.isPunct("[") {
			op.Val = ps.bracketed()
		} else {
			op.Call.Func = ir.FuncID(ps.lookup(ps.funcs, "function"))
		}
		op.Call.Args = ps.args()
		if ps.accept(",") {
			op.Call.Type = ps.name("a type")
		}
	case ir.Spawn:
		ps.spawn(op)
	case ir.Assume, ir.Join, ir.Alloc:
		op.Val = ps.expr()
	case ir.Return, ir.ThreadExit:
		if !ps.endOfOp() {
			op.Val = ps.expr()
		}
	case ir.Assert:
		op.Val = ps.expr()
		if ps.accept(",") {
			op.Report.Msg = ps.name("a message")
		}
	case ir.Unsupported:
		op.Report.Code = ps.name("the code of a diagnostic")
		ps.expect(",")
		op.Report.Msg = ps.name("a message")
	case ir.Bound:
		op.Report.Msg = ps.name("the name of a bound")
		if ps.accept(",") {
			op.Val = ps.expr()
		}
	}
}

// endOfOp reports whether the operation is complete.
func (ps *parser) endOfOp() bool {
	k := ps.tok().kind
	return ps.bad || k == tokNewline || k == tokEOF || k == tokPos || ps.isPunct(";")
}

func (ps *parser) spawn(op *ir.Op) {
	if k := ps.tok().kind; k == tokName || k == tokString {
		op.Call.Func = ir.FuncID(ps.lookup(ps.funcs, "function"))
	}
	if ps.isPunct("[") {
		op.Val = ps.bracketed()
	}
	if ps.accept("{") {
		for more := true; more; more = ps.accept(",") {
			op.Call.Threads = append(op.Call.Threads, ir.ThreadID(ps.lookup(ps.threads, "thread")))
		}
		ps.expect("}")
	}
	op.Call.Args = ps.args()
}

func (ps *parser) args() []*ir.Expr {
	var args []*ir.Expr
	ps.list(func() { args = append(args, ps.expr()) })
	return args
}

// order takes a memory order.
func (ps *parser) order() (ir.Order, bool) {
	t := ps.tok()
	o, ok := ir.ParseOrder(t.text)
	if ps.bad || t.kind != tokName || !ok && t.text != unsetWord {
		return ir.OrderUnset, false
	}
	ps.advance()
	return o, true
}

// takeMark takes a mark; 0: there is none.
func takeMark(ps *parser) ir.Mark {
	t := ps.tok()
	m, ok := ir.ParseMark(t.text)
	if ps.bad || t.kind != tokName || !ok {
		return 0
	}
	ps.advance()
	return m
}

// clauses reads the clauses after the operands, in any order.
func (ps *parser) clauses(op *ir.Op) {
	for !ps.bad {
		if o, ok := ps.order(); ok {
			op.Sync.Order = o
			continue
		}
		if m := takeMark(ps); m != 0 {
			op.Sync.Marks |= m
			continue
		}
		switch {
		case ps.word("fail"):
			o, ok := ps.order()
			if !ok {
				ps.want("a memory order")
			}
			op.Sync.Fail = o
		case ps.word("in"):
			op.Obj = ir.ObjectID(ps.lookup(ps.objects, "object"))
		case ps.word("undefined"):
			if ps.word("to") {
				op.Undef.Dst = ps.reg()
			} else {
				op.Undef.Val = ps.expr()
			}
		case op.Kind == ir.Assert && ps.word(ofWord):
			op.Call.Args = ps.args()
		case ps.word("when"):
			op.Cond = ps.expr()
		case ps.word("range"):
			op.Range.Bounded = true
			op.Range.Lo = ps.integer()
			ps.expect("..")
			op.Range.Hi = ps.integer()
		case ps.word("align"):
			op.Block.Align = ps.integer()
		case ps.word("lead"):
			op.Block.Lead = ps.integer()
		case ps.word("named"):
			op.Block.Name = ps.name("the name of a block")
		case ps.word(layoutWord):
			op.Block.Layout = ps.layoutOf()
		case ps.word("class"):
			op.Report.Class = ps.class()
		default:
			return
		}
	}
}

// class takes the name of a check class, which may have hyphens.
func (ps *parser) class() ir.CheckClass {
	t := ps.tok()
	name := ps.name("a class of checks")
	for ps.accept("-") {
		name += "-" + ps.name("a class of checks")
	}
	c, ok := ir.ParseCheckClass(name)
	if !ok {
		ps.failAt(t, codeSyntax, "no class of checks %s", name)
		return ir.CheckUnset
	}
	return c
}
