package lex

// Kind is the kind of a preprocessing token.
type Kind uint8

// The kinds. Punctuators have one kind each, whatever their spelling: <: is LBracket.
const (
	Unset Kind = iota
	EOF        // the end of the text, or of a directive
	Identifier
	Number
	Char   // a character constant with its prefix
	String // a string literal with its prefix, also a raw one
	Header // <name> after #include
	Other  // a character that begins no token, or a quote without an end and the rest of its line

	LBracket
	RBracket
	LParen
	RParen
	LBrace
	RBrace
	Dot
	Arrow
	Inc
	Dec
	And
	Star
	Plus
	Minus
	Tilde
	Not
	Slash
	Percent
	Shl
	Shr
	Less
	Greater
	LessEqual
	GreaterEqual
	Equal
	NotEqual
	Xor
	Or
	AndAnd
	OrOr
	Question
	Colon
	Scope // ::
	Semicolon
	Ellipsis
	Assign
	StarAssign
	SlashAssign
	PercentAssign
	PlusAssign
	MinusAssign
	ShlAssign
	ShrAssign
	AndAssign
	XorAssign
	OrAssign
	Comma
	Hash
	HashHash

	// Kinds that only the preprocessor makes.
	Padding // no token, but where white space may stand, see preprocess
	Param   // a parameter in the body of a macro
	Pragma  // a pragma: Name is its number
)

var spellings = [...]string{
	Unset: "unset", EOF: "end of file", Identifier: "identifier", Number: "number", Char: "character constant", String: "string", Header: "header name",
	Other: "stray character", LBracket: "[", RBracket: "]", LParen: "(", RParen: ")", LBrace: "{", RBrace: "}", Dot: ".", Arrow: "->", Inc: "++", Dec: "--", And: "&",
	Star: "*", Plus: "+", Minus: "-", Tilde: "~", Not: "!", Slash: "/", Percent: "%", Shl: "<<", Shr: ">>", Less: "<", Greater: ">",
	LessEqual: "<=", GreaterEqual: ">=", Equal: "==", NotEqual: "!=", Xor: "^", Or: "|", AndAnd: "&&", OrOr: "||", Question: "?", Colon: ":",
	Scope: "::", Semicolon: ";", Ellipsis: "...", Assign: "=", StarAssign: "*=", SlashAssign: "/=", PercentAssign: "%=", PlusAssign: "+=",
	MinusAssign: "-=", ShlAssign: "<<=", ShrAssign: ">>=", AndAssign: "&=", XorAssign: "^=", OrAssign: "|=", Comma: ",", Hash: "#", HashHash: "##",
	Padding: "padding", Param: "parameter", Pragma: "pragma",
}

func (k Kind) String() string {
	if int(k) >= len(spellings) {
		panic("BUG: unknown kind of token")
	}
	return spellings[k]
}

// IsPunctuator reports whether a kind is an operator or a separator, which has one meaning.
func (k Kind) IsPunctuator() bool { return k >= LBracket && k <= HashHash }

// Flags are facts about a token.
type Flags uint8

// The flags.
const (
	Spaced    Flags = 1 << iota // white space stands before the token
	LineStart                   // the token is the first of its line
	NoExpand                    // the name was met inside its own macro: it is never expanded again
	PasteLeft                   // ## stands after the token
	Stringify                   // # stands before the parameter
	NoSource                    // of padding: it only keeps tokens apart
)

// Pos is a position in a Space: an offset in the text without escaped newlines. 0 is none.
type Pos uint32

// Token is a preprocessing token.
type Token struct {
	Kind  Kind
	Flags Flags
	Arg   uint16 // of Param: its number
	Name  Name   // of Identifier
	Pos   Pos    // where the user wrote it
	text  Pos    // where its spelling stands: Pos, unless it was made by # or ##
	Len   uint32 // of the spelling
	From  uint32 // the macro expansion that it came out of, 0: none; see preprocess
}

// Spelled returns the token with its spelling elsewhere than its position.
func (t Token) Spelled(at Pos, length int) Token {
	t.text, t.Len = at, uint32(length)
	return t
}

// SpelledAt returns where the spelling of the token stands.
func (t *Token) SpelledAt() Pos { return t.text }

// Problem is an error in the text.
type Problem struct {
	Pos     Pos
	From    uint32 // the macro expansion that the token came out of, 0: none
	Kind    Trouble
	Message string
	Note    string
}

// Trouble is the kind of a problem.
type Trouble uint8

// The kinds of problems.
const (
	NoTrouble   Trouble = iota
	Syntax              // the text is not C
	Missing             // an included file is missing
	Unsupported         // the text is C, and is refused
	Doubtful            // a warning
)

func (t Trouble) String() string {
	switch t {
	case NoTrouble:
		return "none"
	case Syntax:
		return "syntax"
	case Missing:
		return "missing file"
	case Unsupported:
		return "unsupported"
	case Doubtful:
		return "warning"
	default:
		panic("BUG: unknown kind of problem")
	}
}
