package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// Op is the kind of an expression.
type Op uint8

// The kinds of expressions.
const (
	Bad          Op = iota // a mistake that was reported
	Constant               // Val
	StringConst            // Val: an array
	Name                   // Obj
	Load                   // the value of the object A
	Decay                  // the array or function A as a pointer
	Convert                // A converted to Type; Implicit if the program does not write it
	Call                   // A(Args)
	Member                 // A.Field
	Deref                  // *A; A[B] and A->f are written with it
	AddressOf              // &A
	LabelAddress           // &&Label
	Plus
	Minus
	Complement
	Not
	Real
	Imag
	PreInc
	PreDec
	PostInc
	PostDec
	Mul
	Div
	Rem
	Add // also of a pointer A and an integer B
	Sub // also of pointers
	Shl
	Shr
	Less
	Greater
	LessEqual
	GreaterEqual
	Equal
	NotEqual
	And
	Xor
	Or
	AndAnd
	OrOr
	Cond   // A ? B : C; B is nil for A ?: C
	Assign // A = B
	AssignOp
	Comma
	Literal  // a compound literal: Obj
	StmtExpr // Body
	VaArg    // the next argument of A, of Type
	SizeOf   // the size of a variable type, Of
	OffsetOf // the offset of a member, where it depends on an index
	Builtin  // a function of the compiler that is no function: Obj, Args, Of
)

var opNames = [...]string{
	Bad: "bad", Constant: "constant", StringConst: "string", Name: "name", Load: "load", Decay: "decay", Convert: "convert", Call: "call", Member: "member",
	Deref: "*", AddressOf: "&", LabelAddress: "&&", Plus: "+", Minus: "-", Complement: "~", Not: "!", Real: "__real__", Imag: "__imag__", PreInc: "++",
	PreDec: "--", PostInc: "++", PostDec: "--", Mul: "*", Div: "/", Rem: "%", Add: "+", Sub: "-", Shl: "<<", Shr: ">>", Less: "<", Greater: ">",
	LessEqual: "<=", GreaterEqual: ">=", Equal: "==", NotEqual: "!=", And: "&", Xor: "^", Or: "|", AndAnd: "&&", OrOr: "||", Cond: "?:", Assign: "=",
	AssignOp: "op=", Comma: ",", Literal: "compound literal", StmtExpr: "({})", VaArg: "va_arg", SizeOf: "sizeof", OffsetOf: "offsetof", Builtin: "builtin",
}

func (o Op) String() string { return opNames[o] }

// Expr is an expression.
type Expr struct {
	Op       Op
	With     Op   // of AssignOp: the operator
	LValue   bool // it denotes an object
	Implicit bool // the program does not write it
	Paren    bool // it stands in parentheses
	Bits     int32
	Tok      int32 // the token that names it: the operator, the name, the constant
	// First and Last are its first and its last token, with parentheses around it; 0 in what the
	// program does not write.
	First, Last int32
	Type        *types.Type
	A, B, C     *Expr
	Args        []*Expr
	Obj         *Object
	Field       *types.Field
	Val         *Value
	Body        *Stmt
	Of          *types.Type // of a Constant: the type whose size it is
	Label       *Label
}

// ObjectKind is the kind of a named thing.
type ObjectKind uint8

// The kinds of objects.
const (
	NoObject ObjectKind = iota
	Variable
	Function
	Typedef
	EnumConstant
	BuiltinFunction
)

func (k ObjectKind) String() string {
	return [...]string{"none", "variable", "function", "type", "constant", "builtin"}[k]
}

// Storage is the storage class of an object.
type Storage uint8

// The storage classes.
const (
	NoStorage Storage = iota
	Extern
	Static
	Auto
	Register
)

func (s Storage) String() string { return [...]string{"", "extern", "static", "auto", "register"}[s] }

// Object is a named thing: a variable, a function, a type, a constant of an enum.
type Object struct {
	Kind    ObjectKind
	Storage Storage
	Traits
	Depth int32 // of the scope; 0: the file
	Name  lex.Name
	Text  string // the name as text
	Tok   int32  // the declaring name
	First int32  // of the declarator
	Last  int32
	Type  *types.Type
	Align int64 // by _Alignas or an attribute, 0: that of the type
	Attrs []Attribute
	Init  *Init
	Value *Value // of a constant of an enum, or of a number that is constexpr
	FuncParts
	Length *Expr   // of a parameter that is declared as an array of variable length
	Asm    string  // the name that asm("...") gives it
	Outer  *Object // what the name means outside
	read   bool
}

// Traits says what kind of object or function was declared.
type Traits struct {
	Thread    bool // one per thread
	Inline    bool
	Param     bool
	Global    bool // it has static storage
	Constexpr bool
	Defined   bool
	Literal   bool // of a compound literal
}

// FuncParts has what only functions have.
type FuncParts struct {
	Params []*Object // of a function that is defined
	Names  []string  // of the parameters of a function, in its first declaration
	From   int32     // tokens of the body: its braces
	To     int32
	Body   *Stmt // when it was parsed
	Labels []*Label
}

// Init is an initializer. Items stand in the order in which they take effect: later ones
// overwrite earlier ones. What no item sets is zero.
type Init struct {
	Expr  *Expr // of a scalar, or of a struct or union by value
	Items []Item
	List  bool // it was a list in braces
	Tok   int32
	Last  int32
}

// Item sets a part of an object.
type Item struct {
	Offset int64
	Field  *types.Field // of a bit-field
	Type   *types.Type
	Expr   *Expr // nil: zero
	Count  int64 // how often, for [a ... b]
	Stride int64
}

// Label is a label of a function.
type Label struct {
	Name    lex.Name
	Text    string
	Tok     int32
	Defined bool
	Taken   bool // its address is taken
	Stmt    *Stmt
	local   int32
}

// StmtKind is the kind of a statement.
type StmtKind uint8

// The kinds of statements.
const (
	NoStmt StmtKind = iota
	Empty
	Block      // List
	ExprStmt   // Expr
	DeclStmt   // Objs
	If         // Expr, Then, Else
	While      // Expr, Then
	Do         // Then, Expr
	For        // Init, Expr, Post, Then
	Switch     // Expr, Then
	Case       // Low to High, Then
	Default    // Then
	LabelStmt  // Label, Then
	Goto       // Label
	GotoExpr   // Expr
	Break      //
	Continue   //
	Return     // Expr
	Asm        // Asm
	StaticTest // _Static_assert, which was checked
)

var stmtNames = [...]string{
	"none", "empty", "block", "expression", "declaration", "if", "while", "do", "for", "switch", "case", "default", "label", "goto", "computed goto", "break", "continue", "return", "asm", "static assertion",
}

func (k StmtKind) String() string { return stmtNames[k] }

// Stmt is a statement.
type Stmt struct {
	Kind       StmtKind
	Tok, End   int32 // the first and the last token
	Expr, Post *Expr
	Init       *Stmt
	Then, Else *Stmt
	List       []*Stmt
	Objs       []*Object
	Low, High  Int
	Label      *Label
	Asm        *AsmStmt
	Attrs      []Attribute
}

// AsmStmt is an asm statement.
type AsmStmt struct {
	Volatile, Inline, Goto, Basic bool
	Template                      string
	Outputs, Inputs               []AsmOperand
	Clobbers                      []string
	Labels                        []*Label
}

// AsmOperand is an operand of asm.
type AsmOperand struct {
	Name       string
	Constraint string
	Expr       *Expr
}

// Attribute is an attribute. Its arguments are the tokens from From to To.
type Attribute struct {
	Name     string // without underscores around it, and without gnu::
	Tok      int32
	From, To int32
}
