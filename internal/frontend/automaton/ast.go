package automaton

import "fencepost/internal/ir"

// exprKind says what an expression of the syntax tree is. The zero value is unset.
type exprKind uint8

const (
	_       exprKind = iota
	eInt             // val
	eName            // name
	eIndex           // name[x]
	ePart            // name.typ[x]
	eMem             // mem[x]
	eAddr            // &x
	eUnary           // op x
	eBinary          // x op y
	eCond            // x ? y : z
	eRMW             // name(x, y, z)
	eThread          // typ:name, of an instance if x is present: only in conditions
	eOwn             // name[val], or name[my] if val is negative: only in Memorax's language
)

// expr is an expression as written. Offsets are bytes of the file.
type expr struct {
	kind       exprKind
	op         ir.ExprOp
	height     int32
	x, y, z    *expr
	val        int64
	name       string
	typ        string  // the type of ePart, the thread of eThread
	bound      []ident // of an invariant for all numbers
	start, end int
}

// stmtKind says what a statement is. The zero value is unset.
type stmtKind uint8

const (
	_         stmtKind = iota
	sEmpty             // labels at the end of a list
	sGoto              // name
	sBreak             // leaves the loop
	sContinue          // next round of the loop
	sReturn            // ends the thread
	sIf                // if (x) list[0] else list[1]
	sWhile             // while (x) list[0]
	sDo                // do list[0] while (x)
	sLoop              // loop list[0]
	sEither            // either list[0] or list[1] ...
	sAtomic            // atomic list[0]
	sBlock             // the body of one of the above
	sAssign            // x = y, with an order
	sFence             // fence
	sSkip              //
	sAssume            // x
	sAssert            // x, with text name
	sAwait             // x
	sHavoc             // register x in y..z, or constraint y if z is absent
	sRMW               // x
	sMark              // nothing; a fence can be written here, at place number mark

	// Memorax's, whose places and registers have domains.
	sPut    // register x := y
	sFetch  // register x := place y
	sSeen   // wait until place x holds y
	sWrite  // place x := y
	sLocked // the same, drained
	sSwap   // once place x holds y: z
)

// stmt is a statement. Unlabelled blocks inside a list are spliced into it, so
// that sBlock occurs as a body only.
type stmt struct {
	kind       stmtKind
	fence      ir.FenceKind
	order      ir.Order
	constraint bool // havoc(x, y)
	labels     []ident
	invariants []*expr // said of where the statement starts
	name       ident
	x, y, z    *expr
	list       []*stmt
	start, end int // of the text, labels and ';' excluded
	head       int // end of the part before the body
	section    int // number of an atomic section within its thread
	mark       int
	form       bodyForm
}

// bodyForm is how the text of a body is written, as far as fences need it. The zero
// value is a body with braces, or a whole thread.
type bodyForm uint8

const (
	braced   bodyForm = iota
	unbraced          // one statement
	inMacro           // one statement of a macro's body
	torn              // one statement, some of which a macro brings
)

// ident is a name at a place.
type ident struct {
	text       string
	start, end int
}

type regDecl struct {
	name   ident
	init   *expr
	lo, hi *expr
}

// threadDecl is a thread or template.
type threadDecl struct {
	name  ident
	index ident // of instances, text "" if absent
	many  bool  // has a count
	count *expr // nil with many: any number
	regs  []regDecl
	init  ident
	body  *stmt
	start int
	head  int
	end   int // offset of the closing brace or 'end'
}

type constDecl struct {
	name  ident
	value *expr
}

type varDecl struct {
	name  ident
	typ   string
	size  *expr // nil: no array
	init  []*expr
	brace bool
}

type atDecl struct {
	thread     ident
	index      *expr
	label      ident
	start, end int
}

type goalDecl struct {
	name       string
	at         []atDecl
	with       *expr
	start, end int
}

type finalDecl struct {
	word       string
	cond       *expr
	start, end int
}

// item is one declaration at the top of the file; exactly one field is set.
type item struct {
	constant *constDecl
	variable *varDecl
	domain   *[2]*expr
	memory   *expr
	thread   *threadDecl
	goal     *goalDecl
	final    *finalDecl
	always   *expr // an invariant of all places
}

// tree is a parsed file.
type tree struct {
	name  string
	items []item
	mems  []*expr // every mem[...]
	addrs bool    // '&' occurs
}
