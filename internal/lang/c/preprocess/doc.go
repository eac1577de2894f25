// Package preprocess turns C files into the tokens that a parser reads: it includes files,
// decides conditions and expands macros.
//
// Input: the name of a file, a function that reads files, and the settings of the command
// line. Output: tokens, each with the position where the user wrote it and the stack of
// macro expansions that it came through (Result.Expansions), pragmas as tokens between the
// others, and problems.
//
// The language is that of gcc 12: C89 to C23 with the GNU extensions. Where the standard
// leaves the result of an expansion open, it is gcc's. gcc is also the second opinion: the
// tests compare token for token with gcc -E.
//
// Files:
//
//	expand.go      tokens from the stack of macros being expanded
//	arguments.go   the arguments of a macro
//	substitute.go  the body of a macro with its arguments
//	paste.go       # and ##
//	macro.go       #define and #undef
//	directive.go   the directives, and the files being read
//	condition.go   #if and its family
//	expression.go  the expressions of #if
//	include.go     #include and __has_include
//	line.go        #line
//	pragma.go      #pragma and _Pragma
//	builtin.go     __LINE__, __COUNTER__, __has_attribute and the other macros of the compiler
//
// A leaf, except for lex. It reads no file itself.
package preprocess
