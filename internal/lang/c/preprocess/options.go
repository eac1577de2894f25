package preprocess

import (
	"fencepost/internal/lang/c/lex"
)

// Options say how a file is read.
type Options struct {
	Standard Standard
	// Predefined is text that is read before the file, such as definitions of macros. Nothing
	// in it gets a problem.
	Predefined string
	// Commands are lines #define and #undef that are read after Predefined.
	Commands string
	// Before and After are texts that are read before and after the file, as parts of it.
	Before, After []Text
	// Include lists files to read first, as if by #include "name".
	Include []string
	// Quoted and Dirs are the directories for names in quotes, and for all names.
	Quoted, Dirs []Dir
	// Read returns the text of a file, false if there is none.
	Read func(name string) (text []byte, ok bool)
	// HasBuiltin and HasAttribute answer __has_builtin and __has_attribute; the second gets the
	// name with its scope, such as gnu::packed, and returns "" for 0.
	HasBuiltin   func(name string) bool
	HasAttribute func(name string, standard bool) string
	// MaxTokens bounds the work: how many tokens may be read and made. 0: 1 << 27.
	MaxTokens int
}

// Text is a text with a name.
type Text struct {
	Name   string
	Text   []byte
	Hidden bool // its macros stand for functions of the compiler: to #ifdef they are not defined
}

// Dir is a directory in which included files are searched.
type Dir struct {
	Name   string
	System bool
}

// Standard is a version of C.
type Standard struct {
	Version int  // 1989, 1999, 2011, 2017 or 2023
	Strict  bool // without the extensions of GNU that break correct programs
}

// dialect returns the tokens of a standard, as gcc 12 has them.
func (s Standard) dialect() lex.Dialect {
	gnu, c99, c11, c23 := !s.Strict, s.Version >= 1999, s.Version >= 2011, s.Version >= 2023
	return lex.Dialect{
		Trigraphs: s.Strict, LineComments: gnu || c99, RawStrings: gnu && c99, UnicodeStrings: gnu && c99 || c11, UTF8Chars: c23,
		DigitSeparators: c23, ExtendedNumbers: gnu || c99, Digraphs: gnu || c99, Scope: gnu || c23, ExtendedNames: c99,
	}
}

// Result is a file after preprocessing.
type Result struct {
	Space  *lex.Space
	Names  *lex.Names
	Tokens []lex.Token // the last is EOF
	// Expansions are the uses of macros. Number 0 is none.
	Expansions []Expansion
	// Pragmas are the tokens of the pragmas, by the Name of tokens of kind Pragma.
	Pragmas  [][]lex.Token
	Files    []*lex.File // those read, the given one first
	Problems []lex.Problem
	// Missing is set if an included file is missing: what follows from it is not worth saying.
	Missing bool
}

// Expansion is one use of a macro, or of an argument in one.
type Expansion struct {
	Macro  lex.Name
	Call   lex.Pos // of the name of the macro
	Parent uint32  // the expansion that this name came out of, 0: none
	// IsArgument is set for tokens of an argument, which the user wrote at the call and not in
	// the body; Inner is the expansion that they came out of before.
	IsArgument bool
	Inner      uint32
	// Body is the body of the macro as it is defined.
	Body []lex.Token
}

// Outermost returns where the user wrote a token, or called the macro that it came out of.
func (r *Result) Outermost(t *lex.Token) lex.Pos {
	at := t.Pos
	for from := t.From; from != 0; {
		e := &r.Expansions[from]
		at, from = e.Call, e.Parent
	}
	return at
}

// HasErrors reports whether there are problems that are not warnings.
func (r *Result) HasErrors() bool {
	for i := range r.Problems {
		if r.Problems[i].Kind != lex.Doubtful {
			return true
		}
	}
	return false
}
