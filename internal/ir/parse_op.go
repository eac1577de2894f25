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
			op.Undef, op.Obj = true, ObjectID(ps.lookup(ps.objects, "object"))
		}
		for m := takeMark(ps); m != 0; m = takeMark(ps) {
			op.Marks |= m
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
		op.Type, op.Order = S64, Plain
	}
	switch op.Kind {
	case Fence:
		op.Fence = FullFence
	case Lock, TryLock, Unlock:
		op.Mutex = NormalMutex
	case Assert:
		op.Class = Assertion
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
		case (op.Mutex != MutexUnset || op.Kind == CondWait || op.Kind == Await) && mutex > 0:
			op.Mutex = MutexKind(mutex)
		case op.Kind == Await && test > 0:
			op.Test = MutexTest(test)
			if op.Mutex == MutexUnset {
				op.Mutex = NormalMutex
			}
		case (op.Kind == AtomicBegin || op.Kind == AtomicEnd) && s == "loads":
			op.Loads = true
		case (op.Kind == Alloc || op.Kind == Free) && s == "stack":
			op.Stack = true
		case (op.Kind == Alloc || op.Kind == Nop) && s == undefWord:
			op.Undef = true
		case (op.Kind == CondWait || op.Kind == Havoc) && s == "timed":
			op.Timed = true
		case op.Accesses() && slices.Index(syncNames[:], s) > 0:
			op.Sync = SyncKind(slices.Index(syncNames[:], s))
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
			op.Func = FuncID(ps.lookup(ps.funcs, "function"))
		}
		op.Args = ps.args()
		if ps.accept(",") {
			op.Msg = ps.name("a type")
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
			op.Msg = ps.name("a message")
		}
	case Unsupported:
		op.Code = ps.name("the code of a diagnostic")
		ps.expect(",")
		op.Msg = ps.name("a message")
	case Bound:
		op.Msg = ps.name("the name of a bound")
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
		op.Func = FuncID(ps.lookup(ps.funcs, "function"))
	}
	if ps.isPunct("[") {
		op.Val = ps.bracketed()
	}
	if ps.accept("{") {
		for more := true; more; more = ps.accept(",") {
			op.Threads = append(op.Threads, ThreadID(ps.lookup(ps.threads, "thread")))
		}
		ps.expect("}")
	}
	op.Args = ps.args()
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
			op.Order = o
			continue
		}
		if m := takeMark(ps); m != 0 {
			op.Marks |= m
			continue
		}
		switch {
		case ps.word("fail"):
			o, ok := ps.order()
			if !ok {
				ps.want("a memory order")
			}
			op.Fail = o
		case ps.word("in"):
			op.Obj = ObjectID(ps.lookup(ps.objects, "object"))
		case ps.word("undefined"):
			if ps.word("to") {
				op.DstMask = ps.reg()
			} else {
				op.Mask = ps.expr()
			}
		case op.Kind == Assert && ps.word(ofWord):
			op.Args = ps.args()
		case ps.word("when"):
			op.Cond = ps.expr()
		case ps.word("range"):
			op.HasRange = true
			op.Lo = ps.integer()
			ps.expect("..")
			op.Hi = ps.integer()
		case ps.word("align"):
			op.Align = ps.integer()
		case ps.word("lead"):
			op.Lead = ps.integer()
		case ps.word("named"):
			op.Msg = ps.name("the name of a block")
		case ps.word(layoutWord):
			op.Layout = ps.layoutOf()
		case ps.word("class"):
			op.Class = ps.class()
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
