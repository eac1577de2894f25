package preprocess

import (
	"sync"

	"fencepost/internal/lang/c/lex"
)

// Names that the preprocessor knows, in the order of fixed.
const (
	_ lex.Name = iota
	nameDefine
	nameUndef
	nameIf
	nameIfdef
	nameIfndef
	nameElif
	nameElifdef
	nameElifndef
	nameElse
	nameEndif
	nameInclude
	nameIncludeNext
	nameImport
	nameLine
	nameError
	nameWarning
	namePragma
	nameIdent
	nameSccs
	nameAssert
	nameUnassert
	nameEmbed
	nameDefined
	nameVaArgs
	nameVaOpt
	nameOnce
	nameGCC
	namePoison
	nameSystemHeader
	namePushMacro
	namePopMacro
	nameSTDC
	namePack
	nameMessage
	nameRedefineExtname
	nameTrue
	nameFalse
)

var fixed = []string{
	"define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "include", "include_next", "import",
	"line", "error", "warning", "pragma", "ident", "sccs", "assert", "unassert", "embed", "defined", "__VA_ARGS__", "__VA_OPT__", "once", "GCC",
	"poison", "system_header", "push_macro", "pop_macro", "STDC", "pack", "message", "redefine_extname", "true", "false",
}

// basis is a table with these names.
var basis = sync.OnceValue(func() *lex.Names { return lex.NewNames(fixed...) })
