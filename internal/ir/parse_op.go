package ir

import (
	"slices"
	"strings"
)

// op reads an operation with its destinations.
func (ps *parser) op() Op {
	start := ps.tok()
	dst, dst2 := NoReg, NoReg
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
		op := NewOp(Assign)
		op.Dst, op.Dst2, op.Val = dst, dst2, ps.expr()
		if ps.word("undefined") {
			if !ps.word("in") {
				ps.want("in")
			}
			op.Block.Undef, op.Obj = true, ObjectID(ps.lookup(ps.objects, "object"))
		}
		for m := takeMark(ps); m != 0; m = takeMark(ps) {
			op.Sync.Marks |= m
		}
		ps.check(start, &op)
		return op
	}
	op := NewOp(kind)
	op.Dst, op.Dst2 = dst, dst2
	ps.defaults(&op)
	ps.suffixes(&op)
	ps.operands(&op)
	ps.clauses(&op)
	ps.check(start, &op)
	return op
}

// check reports parts that are missing or too many.
func (ps *parser) check(at *token, op *Op) {
	if ps.bad {
		return
	}
	if problems := op.fieldProblems(); len(problems) > 0 {
		ps.failAt(at, codeOperation, "%s %s", op.Kind, strings.Join(problems, "; "))
	}
}

// opWord returns the operation that the next word starts.
func (ps *parser) opWord() (OpKind, bool) {
	t := ps.tok()
	if ps.bad || t.kind != tokName {
		return OpUnset, false
	}
	base, _, _ := strings.Cut(t.text, ".")
	k, ok := opWords[base]
	return k, ok
}

func (ps *parser) defaults(op *Op) {
	if op.Accesses() {
		op.Type, op.Sync.Order = S64, Plain
	}
	switch op.Kind {
	case Fence:
		op.Fence = FullFence
	case Lock, TryLock, Unlock:
		op.Mutex.Kind = NormalMutex
	case Assert:
		op.Report.Class = Assertion
	}
}

// suffixes takes the word of the operation and its suffixes, which are separated by dots.
func (ps *parser) suffixes(op *Op) {
	t := ps.tok()
	for _, s := range strings.Split(t.text, ".")[1:] {
		typ, isType := typeWords[s]
		rmw, fence, mutex := slices.Index(rmwNames[:], s), slices.Index(fenceNames[:], s), slices.Index(mutexNames[:], s)
		test := slices.Index(testNames[:], s)
		switch {
		case isType && op.Accesses():
			op.Type = typ
		case op.Kind == RMW && rmw > 0:
			op.RMW = RMWKind(rmw)
		case op.Kind == Fence && fence > 0:
			op.Fence = FenceKind(fence)
		case (op.Mutex.Kind != MutexUnset || op.Kind == CondWait || op.Kind == Await) && mutex > 0:
			op.Mutex.Kind = MutexKind(mutex)
		case op.Kind == Await && test > 0:
			op.Mutex.Test = MutexTest(test)
			if op.Mutex.Kind == MutexUnset {
				op.Mutex.Kind = NormalMutex
			}
		case (op.Kind == AtomicBegin || op.Kind == AtomicEnd) && s == "loads":
			op.Loads = true
		case (op.Kind == Alloc || op.Kind == Free) && s == "stack":
			op.Block.Stack = true
		case (op.Kind == Alloc || op.Kind == Nop) && s == undefWord:
			op.Block.Undef = true
		case (op.Kind == CondWait || op.Kind == Havoc) && s == "timed":
			op.Timed = true
		case op.Accesses() && slices.Index(syncNames[:], s) > 0:
			op.Sync.Kind = SyncKind(slices.Index(syncNames[:], s))
		default:
			ps.fail(codeSyntax, "%s has no variant %s", op.Kind, s)
		}
	}
	ps.advance()
}

// bracketed reads an expression in brackets.
func (ps *parser) bracketed() *Expr {
	ps.expect("[")
	e := ps.expr()
	ps.expect("]")
	return e
}

func (ps *parser) operands(op *Op) {
	if f := opFields[op.Kind]; f.need.has(fieldAddr) {
		op.Addr = ps.bracketed()
	}
	switch op.Kind {
	case Store:
		ps.expect("=")
		op.Val = ps.expr()
	case RMW:
		ps.expect(",")
		op.Val = ps.expr()
		if ps.accept(",") {
			op.Val2 = ps.expr()
		}
	case CondWait:
		if !ps.word("mutex") {
			ps.want("mutex")
		}
		op.Val2 = ps.bracketed()
	case Call:
		if ps.isPunct("[") {
			op.Val = ps.bracketed()
		} else {
			op.Call.Func = FuncID(ps.lookup(ps.funcs, "function"))
		}
		op.Call.Args = ps.args()
		if ps.accept(",") {
			op.Call.Type = ps.name("a type")
		}
	case Spawn:
		ps.spawn(op)
	case Assume, Join, Alloc:
		op.Val = ps.expr()
	case Return, ThreadExit:
		if !ps.endOfOp() {
			op.Val = ps.expr()
		}
	case Assert:
		op.Val = ps.expr()
		if ps.accept(",") {
			op.Report.Msg = ps.name("a message")
		}
	case Unsupported:
		op.Report.Code = ps.name("the code of a diagnostic")
		ps.expect(",")
		op.Report.Msg = ps.name("a message")
	case Bound:
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

func (ps *parser) spawn(op *Op) {
	if k := ps.tok().kind; k == tokName || k == tokString {
		op.Call.Func = FuncID(ps.lookup(ps.funcs, "function"))
	}
	if ps.isPunct("[") {
		op.Val = ps.bracketed()
	}
	if ps.accept("{") {
		for more := true; more; more = ps.accept(",") {
			op.Call.Threads = append(op.Call.Threads, ThreadID(ps.lookup(ps.threads, "thread")))
		}
		ps.expect("}")
	}
	op.Call.Args = ps.args()
}

func (ps *parser) args() []*Expr {
	var args []*Expr
	ps.list(func() { args = append(args, ps.expr()) })
	return args
}

// order takes a memory order.
func (ps *parser) order() (Order, bool) {
	t := ps.tok()
	o, ok := orderWords[t.text]
	if ps.bad || t.kind != tokName || !ok {
		return OrderUnset, false
	}
	ps.advance()
	return o, true
}

// takeMark takes a mark; 0: there is none.
func takeMark(ps *parser) Mark {
	if m := slices.IndexFunc(markNames[:], ps.word); m >= 0 {
		return 1 << m
	}
	return 0
}

// clauses reads the clauses after the operands, in any order.
func (ps *parser) clauses(op *Op) {
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
			op.Obj = ObjectID(ps.lookup(ps.objects, "object"))
		case ps.word("undefined"):
			if ps.word("to") {
				op.Undef.Dst = ps.reg()
			} else {
				op.Undef.Val = ps.expr()
			}
		case op.Kind == Assert && ps.word(ofWord):
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
func (ps *parser) class() CheckClass {
	t := ps.tok()
	name := ps.name("a class of checks")
	for ps.accept("-") {
		name += "-" + ps.name("a class of checks")
	}
	c := slices.Index(checkNames[:], name)
	if c <= 0 {
		ps.failAt(t, codeSyntax, "no class of checks %s", name)
		return CheckUnset
	}
	return CheckClass(c)
}
