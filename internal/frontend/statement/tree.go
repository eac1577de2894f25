package statement

import "fencepost/internal/ir"

// exprKind says what an expression of the syntax tree is. The zero value is unset.
type exprKind uint8

const (
	_             exprKind = iota
	ExprInt                // val
	ExprName               // name
	ExprIndex              // name[x]
	ExprPart               // name.typ[x]
	ExprMem                // mem[x]
	ExprAddr               // &x
	ExprUnary              // op x
	ExprBinary             // x op y
	ExprCond               // x ? y : z
	ExprRMW                // name(x, y, z)
	ExprThread             // typ:name, of an instance if x is present: only in conditions
	ExprOfProcess          // name[val], or name[my] if val is negative: only in Memorax's language
)

// Expr is an expression as written. Offsets are bytes of the file.
type Expr struct {
	Kind       exprKind
	Op         ir.ExprOp
	height     int32
	X, Y, Z    *Expr
	Val        int64
	Name       string
	Typ        string  // the type of ePart, the thread of eThread
	Bound      []Ident // of an invariant for all numbers
	Start, End int

	// Order is the memory order that is written after a cell, and Fail the second one, of a cas that fails; OrderUnset: none.
	Order, Fail ir.Order
}

// stmtKind says what a statement is. The zero value is unset.
type stmtKind uint8

const (
	_            stmtKind = iota
	StmtEmpty             // labels at the end of a list
	StmtGoto              // name
	StmtBreak             // leaves the loop
	StmtContinue          // next round of the loop
	StmtReturn            // ends the thread
	StmtIf                // if (x) list[0] else list[1]
	StmtWhile             // while (x) list[0]
	StmtDo                // do list[0] while (x)
	StmtLoop              // loop list[0]
	StmtEither            // either list[0] or list[1] ...
	StmtAtomic            // atomic list[0]
	StmtBlock             // the body of one of the above
	StmtAssign            // x = y, with an order
	StmtFence             // fence
	StmtSkip              //
	StmtAssume            // x
	StmtAssert            // x, with text name
	StmtAwait             // x
	StmtHavoc             // register x in y..z, or constraint y if z is absent
	StmtRMW               // x
	StmtMark              // nothing; a fence can be written here, at fence site number mark
	StmtGhost             // list[0], an assignment that proofs think of

	// Kinds from here on belong to one language, which translates them (compiler.other).
	StmtLanguage stmtKind = 64
)

// Stmt is a statement. Unlabelled blocks inside a list are spliced into it, so
// that sBlock occurs as a body only.
type Stmt struct {
	Kind       stmtKind
	Fence      ir.FenceKind
	Order      ir.Order // of a store or a fence; OrderUnset on a fence: none was written
	Constraint bool     // havoc(x, y)
	Labels     []Ident
	Invariants []*Expr // said of where the statement starts
	Name       Ident
	X, Y, Z    *Expr
	List       []*Stmt
	Start, End int // of the text, labels and ';' excluded
	Head       int // end of the part before the body
	section    int // number of an atomic section within its thread
	mark       int
	Form       bodyForm
}

// bodyForm is how the text of a body is written, as far as fences need it. The zero
// value is a body with braces, or a whole thread.
type bodyForm uint8

const (
	braced   bodyForm = iota
	Unbraced          // one statement
	InMacro           // one statement of a macro's body
	Torn              // one statement, some of which a macro brings
)

// Ident is a name and its position.
type Ident struct {
	Text       string
	Start, End int
}

// RegDecl is the declaration of a register.
type RegDecl struct {
	Name   Ident
	Init   *Expr
	Lo, Hi *Expr
}

// ThreadDecl is a thread or template.
type ThreadDecl struct {
	Name  Ident
	Index Ident // of instances, text "" if absent
	Many  bool  // has a count
	Count *Expr // nil with many: any number
	Regs  []RegDecl
	Init  Ident
	Body  *Stmt
	Start int
	Head  int
	End   int // offset of the closing brace or 'end'
}

// VarDecl is the declaration of a shared variable.
type VarDecl struct {
	Name  Ident
	Typ   string
	Size  *Expr // nil: no array
	Init  []*Expr
	Brace bool
}
