package litmus

import "fencepost/internal/property"

// The syntax tree. Positions are byte offsets; nothing here is checked for sense.

// tree is a parsed test.
type tree struct {
	inits   []initial
	procs   []proc
	percent bool // some register is written with '%'

	locations []listed
	hasList   bool
	filter    *prop
	cond      *prop
	quant     property.Quantifier
	condAt    extent
}

type extent struct{ start, end int }

// ident is a name in the source.
type ident struct {
	text string
	extent
}

// typeName is the words and stars of a type; absent if there are none.
type typeName struct {
	words   []string
	pointer bool
	extent
}

func (t *typeName) absent() bool { return len(t.words) == 0 && !t.pointer }

// ref is a register of a thread, a location, or an element of an array.
type ref struct {
	isReg  bool
	proc   int64
	name   string
	hasIdx bool
	index  int64
	extent
}

// value is a number, the address of a location plus an offset, or a list.
type value struct {
	sym    string // "": a number
	num    int64  // or the offset
	hasIdx bool   // num counts elements
	list   []value
	braces bool
	extent
}

// initial is one item of the initial state.
type initial struct {
	typ      typeName
	at       ref // with an index: the number of elements
	hasValue bool
	val      value
	extent
}

// listed is an item of locations [...].
type listed struct {
	at  ref
	typ typeName
}

// proc is a column.
type proc struct {
	num  int64
	code []instruction
	ends []ident // labels after the last instruction
	extent
}

// instruction is one cell.
type instruction struct {
	labels []ident
	lock   bool
	name   ident // the mnemonic
	ops    []operand
	extent
}

// operandKind tells operands apart. The zero value is unset.
type operandKind uint8

const (
	_ operandKind = iota
	isRegister
	isImmediate
	isMemory
	isTarget // a bare name: memory, or the label of a jump
)

// operand of an instruction, as written.
type operand struct {
	kind operandKind
	reg  register
	sym  string // immediate: its address; memory: added to the address
	num  int64  // immediate, or displacement

	hasBase, hasIndex bool
	base, index       register
	scale             int64
	size              int // of "dword ptr" and so on, 0: not said

	extent
}

// propKind tells propositions apart. The zero value is unset.
type propKind uint8

const (
	_ propKind = iota
	isTrue
	isFalse
	isAtom
	isNot
	isAnd
	isOr
	isImplies
)

// prop is a proposition over final states.
type prop struct {
	kind propKind
	x, y *prop
	// An atom says that left equals right: a variable if isRef, else a value.
	left  ref
	isRef bool
	right ref
	val   value
	extent
}
