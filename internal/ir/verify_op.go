package ir

import "fmt"

// fieldSet is a set of fields of Op.
type fieldSet uint64

const (
	fieldType fieldSet = 1 << iota
	fieldOrder
	fieldFail
	fieldDst
	fieldDst2
	fieldAddr
	fieldVal
	fieldVal2
	fieldCond
	fieldObj
	fieldRMW
	fieldFence
	fieldMutex
	fieldStack
	fieldTimed
	fieldSync
	fieldRange
	fieldFunc
	fieldArgs
	fieldThreads
	fieldClass
	fieldMsg
	fieldLayout
	fieldAlign
	fieldCode
	fieldTest
	fieldLoads
	fieldDstMask
	fieldMask
	fieldUndef
	fieldMarks
	fieldName
	fieldCallee
)

var fieldNames = []string{
	"an access type", "a memory order", "a failure order", "a destination", "a second destination", "an address", "a value",
	"a second value", "a condition", "an object", "an RMW function", "a fence kind", "a mutex kind", "stack storage", "a time limit", "a synchronisation", "a range",
	"a function", "arguments", "threads", "a check class", "a message", "a layout", "an alignment", "a code", "a test of a mutex", "a section of loads", "a destination for undefined bits", "undefined bits", "undefined contents", "a mark", "a name of a block",
	"a type of a function",
}

func (s fieldSet) has(f fieldSet) bool { return s&f != 0 }

// opFields gives the fields that an operation must have and those it may have. It is the table
// form of the comments of the OpKind constants. Pairs of fields that depend on each other are in
// FieldProblems.
var opFields = [...]struct{ need, may fieldSet }{
	Nop:          {may: fieldOrder | fieldMarks | fieldUndef | fieldObj},
	Load:         {need: accessFields | fieldDst, may: fieldObj | fieldMarks | fieldSync | fieldDstMask},
	AbstractLoad: {need: accessFields | fieldDst, may: fieldObj | fieldMarks | fieldCond | fieldRange},
	Await:        {need: accessFields | fieldCond, may: fieldObj | fieldMarks | fieldDst | fieldSync | fieldMutex | fieldTest | fieldDstMask},
	Store:        {need: accessFields | fieldVal, may: fieldObj | fieldMarks | fieldSync | fieldMask},
	RMW:          {need: accessFields | fieldRMW | fieldVal, may: fieldObj | fieldMarks | fieldDst | fieldDst2 | fieldVal2 | fieldFail | fieldCond | fieldSync | fieldDstMask | fieldMask},
	Fence:        {need: fieldFence, may: fieldOrder | fieldMarks},
	Assign:       {need: fieldDst | fieldVal, may: fieldUndef | fieldObj | fieldMarks},
	Havoc:        {need: fieldDst, may: fieldCond | fieldRange | fieldTimed | fieldLayout},
	Assume:       {need: fieldVal},
	Assert:       {need: fieldVal | fieldClass, may: fieldMsg | fieldArgs},
	Call:         {may: fieldDst | fieldFunc | fieldVal | fieldArgs | fieldCallee},
	Return:       {may: fieldVal},
	ThreadExit:   {may: fieldVal},
	Exit:         {},
	Spawn:        {may: fieldDst | fieldFunc | fieldVal | fieldArgs | fieldThreads | fieldMarks},
	Join:         {need: fieldVal, may: fieldDst},
	Lock:         {need: fieldAddr | fieldMutex, may: fieldObj | fieldDst | fieldDstMask},
	TryLock:      {need: fieldAddr | fieldMutex, may: fieldObj | fieldDst | fieldDstMask},
	Unlock:       {need: fieldAddr | fieldMutex, may: fieldObj | fieldDst | fieldDstMask},
	CondWait:     {need: fieldAddr | fieldVal2, may: fieldObj | fieldDst | fieldMutex | fieldTimed},
	Signal:       {need: fieldAddr, may: fieldObj | fieldDst},
	Broadcast:    {need: fieldAddr, may: fieldObj | fieldDst},
	Barrier:      {need: fieldAddr, may: fieldObj | fieldDst},
	Alloc:        {need: fieldDst | fieldVal, may: fieldStack | fieldName | fieldLayout | fieldAlign | fieldUndef},
	Free:         {need: fieldAddr, may: fieldStack},
	AtomicBegin:  {may: fieldLoads},
	AtomicEnd:    {may: fieldLoads},
	Bound:        {need: fieldMsg, may: fieldVal},
	Unsupported:  {need: fieldCode | fieldMsg},
}

const accessFields = fieldType | fieldOrder | fieldAddr

// fields returns the set of fields that are not absent.
func (op *Op) fields() fieldSet {
	var s fieldSet
	put := func(f fieldSet, present bool) {
		if present {
			s |= f
		}
	}
	put(fieldType, op.Type != Type{})
	put(fieldOrder, op.Sync.Order != OrderUnset)
	put(fieldFail, op.Sync.Fail != OrderUnset)
	put(fieldDst, op.Dst != NoReg)
	put(fieldDst2, op.Dst2 != NoReg)
	put(fieldAddr, op.Addr != nil)
	put(fieldVal, op.Val != nil)
	put(fieldVal2, op.Val2 != nil)
	put(fieldCond, op.Cond != nil)
	put(fieldObj, op.Obj != NoObject)
	put(fieldRMW, op.RMW != RMWUnset)
	put(fieldFence, op.Fence != FenceUnset)
	put(fieldMutex, op.Mutex.Kind != MutexUnset)
	put(fieldStack, op.Block.Stack)
	put(fieldTimed, op.Timed)
	put(fieldSync, op.Sync.Kind != SyncUnset)
	put(fieldLayout, op.Block.Layout != nil)
	put(fieldAlign, op.Block.Align != 0 || op.Block.Lead != 0)
	put(fieldRange, op.Range.Bounded || op.Range.Lo != 0 || op.Range.Hi != 0)
	put(fieldFunc, op.Call.Func != NoFunc)
	put(fieldArgs, len(op.Call.Args) > 0)
	put(fieldThreads, len(op.Call.Threads) > 0)
	put(fieldClass, op.Report.Class != CheckUnset)
	put(fieldMsg, op.Report.Msg != "")
	put(fieldCode, op.Report.Code != "")
	put(fieldTest, op.Mutex.Test != MutexUntested)
	put(fieldLoads, op.Loads)
	put(fieldDstMask, op.Undef.Dst != NoReg)
	put(fieldMask, op.Undef.Val != nil)
	put(fieldUndef, op.Block.Undef)
	put(fieldMarks, op.Sync.Marks != 0)
	put(fieldName, op.Block.Name != "")
	put(fieldCallee, op.Call.Type != "")
	return s
}

// MaxAlign is the largest alignment of objects and blocks.
const MaxAlign = 1 << 20

// validAlign reports whether an alignment is a power of two from 32 to MaxAlign.
func validAlign(n int64) bool { return n >= 32 && n <= MaxAlign && n&(n-1) == 0 }

// NeedsAddress reports whether operations of the kind have an address.
func (k OpKind) NeedsAddress() bool { return opFields[k].need.has(fieldAddr) }

// FieldProblems returns what is missing from an operation or does not belong to it.
func (op *Op) FieldProblems() []string {
	if op.Kind == OpUnset || int(op.Kind) >= len(opFields) {
		return []string{"is not an operation"}
	}
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	rule, have := opFields[op.Kind], op.fields()
	for i, name := range fieldNames {
		switch f := fieldSet(1) << i; {
		case rule.need.has(f) && !have.has(f):
			bad("needs %s", name)
		case have.has(f) && !(rule.need | rule.may).has(f):
			bad("cannot have %s", name)
		}
	}
	switch {
	case op.Kind == RMW && op.RMW == Cas && op.Val2 == nil:
		bad("needs a second value for cas")
	case op.Kind == RMW && op.RMW != Cas && (op.Val2 != nil || op.Sync.Fail != OrderUnset):
		bad("has parts that only cas has")
	case op.Sync.Marks.Has(Weak) && op.RMW != Cas || op.Sync.Marks.Has(AsStore) && (op.RMW != Xchg || op.Dst != NoReg || op.Dst2 != NoReg):
		bad("has a mark of another function")
	case op.Sync.Marks.Has(NonAtomic) && op.Sync.Order != Plain:
		bad("is marked as not atomic, and has an order")
	case op.Kind == RMW && op.Undef.Val != nil && op.RMW != Xchg && op.RMW != Cas:
		bad("computes with undefined bits")
	case (op.Kind == Nop || op.Kind == Assign) && op.Block.Undef != (op.Obj != NoObject):
		bad("needs an object whose contents become undefined, or no object")
	case op.Kind == Assert && len(op.Call.Args) > 0 && op.Report.Class != Uninitialised:
		bad("has values that must be defined")
	case op.Kind == Call && (op.Call.Func == NoFunc) == (op.Val == nil):
		bad("needs either a function or a pointer")
	case op.Kind == Call && op.Call.Func != NoFunc && op.Call.Type != "":
		bad("has a type beside a function")
	case op.Kind == Spawn && op.Call.Func == NoFunc && op.Val == nil && len(op.Call.Threads) == 0:
		bad("needs a function, a pointer or threads")
	case op.Kind == Spawn && op.Val != nil && (op.Call.Func != NoFunc || len(op.Call.Threads) > 0):
		bad("has a pointer beside a function or threads")
	case op.Kind == Await && (op.Mutex.Test == MutexUntested) != (op.Mutex.Kind == MutexUnset):
		bad("has a test of a mutex or its kind, but not both")
	case op.Block.Align != 0 && !validAlign(op.Block.Align):
		bad("has an alignment of %d", op.Block.Align)
	case op.Block.Lead < 0 || op.Block.Lead%16 != 0:
		bad("has %d bytes in front of what is aligned", op.Block.Lead)
	case have.has(fieldRange) && !op.Range.Bounded:
		bad("has bounds but no range")
	case op.Range.Bounded && op.Range.Lo > op.Range.Hi:
		bad("has an empty range")
	case op.Block.Layout != nil && op.Block.Layout.problem() != "":
		bad("has a broken layout: %s", op.Block.Layout.problem())
	case op.Kind == RMW && op.Type.Float && op.RMW != Xchg && op.RMW != Cas:
		bad("computes with integers at %s", op.Type)
	case op.Type != Type{} && !op.Type.Valid():
		bad("has an access type of %d bits", op.Type.Bits)
	}
	return append(problems, op.enumProblems()...)
}

// enumProblems finds values outside the enums, which cannot even be printed.
func (op *Op) enumProblems() []string {
	var problems []string
	for _, e := range []struct {
		value uint8
		names int
		what  string
	}{
		{uint8(op.Sync.Kind), len(syncNames), "synchronisation"},
		{uint8(op.Sync.Order), len(orderNames), "memory order"}, {uint8(op.Sync.Fail), len(orderNames), "failure order"},
		{uint8(op.RMW), len(rmwNames), "RMW function"}, {uint8(op.Fence), len(fenceNames), "fence kind"},
		{uint8(op.Mutex.Kind), len(mutexNames), "mutex kind"}, {uint8(op.Mutex.Test), len(testNames), "test of a mutex"}, {uint8(op.Report.Class), len(checkNames), "check class"},
	} {
		if int(e.value) >= e.names {
			problems = append(problems, fmt.Sprintf("has an unknown %s %d", e.what, e.value))
		}
	}
	if int(op.Sync.Marks) >= 1<<len(markNames) {
		problems = append(problems, fmt.Sprintf("has unknown marks %d", op.Sync.Marks))
	}
	return problems
}

// seesMemory reports whether the condition of the operation may contain seen.
func (op *Op) seesMemory() bool { return op.Kind == Await || op.Kind == AbstractLoad || op.Kind == RMW }

// exprProblem returns what is wrong with an expression of f, or "".
func (p *Program) exprProblem(f *Func, e *Expr, seen bool) string {
	parts := 0
	for i, x := range []*Expr{e.X, e.Y, e.Z} {
		if x == nil {
			continue
		}
		if parts != i {
			return fmt.Sprintf("%s has gaps in its operands", e.Op)
		}
		parts++
		if problem := p.exprProblem(f, x, seen); problem != "" {
			return problem
		}
	}
	want := 0
	switch {
	case e.Op == ExprUnset || e.Op > Ite:
		return fmt.Sprintf("unknown expression operator %d", e.Op)
	case e.Op == Ite:
		want = 3
	case e.Op.IsBinary():
		want = 2
	case e.Op.IsUnary():
		want = 1
	}
	switch {
	case parts != want:
		return fmt.Sprintf("%s has %d operands, not %d", e.Op, parts, want)
	case want > 0 && e.Op != Cast && e.Type.Float != (e.Op.IsFloat() && e.Op != FloatToInt):
		return fmt.Sprintf("%s does not work at %s", e.Op, e.Type)
	case !e.Type.Valid() && (want > 0 || e.Type != Type{}): // the type of a leaf has no effect
		return fmt.Sprintf("%s works at %d bits", e.Op, e.Type.Bits)
	case e.Op == RegRef && (e.Reg < 0 || int(e.Reg) >= len(f.Regs)):
		return fmt.Sprintf("register %d does not exist", e.Reg)
	case e.Op == AddrOf && (e.Obj < 0 || int(e.Obj) >= len(p.Objects)):
		return fmt.Sprintf("object %d does not exist", e.Obj)
	case e.Op == FuncAddr && (e.Func < 0 || int(e.Func) >= len(p.Funcs)):
		return fmt.Sprintf("function %d does not exist", e.Func)
	case e.Op == FuncAddr && p.Form == Structured && p.Funcs[e.Func] != nil && !p.Funcs[e.Func].Pointer:
		return fmt.Sprintf("the address of %s is taken, but it is not marked so", p.Funcs[e.Func].Name)
	case e.Undef && (e.Op != Const || e.Value != 0):
		return "an undefined value has a value"
	case e.Op == Self && p.Form == Flat:
		return "self is for the structured form"
	case e.Op == Seen && !seen:
		return "seen stands outside the condition of an await, abstract load or RMW"
	}
	return ""
}
