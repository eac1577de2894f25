// Package parse turns preprocessed C into trees with types.
//
// Input: the tokens of package preprocess. Output: a Unit: the objects of a file (variables,
// functions, types) with their types and initializers, and the bodies of functions as trees.
// Conversions that C makes silently are nodes of the tree: reads of objects, decay of arrays,
// arithmetic conversions. Constant expressions are folded as gcc folds them.
//
// The body of a function is parsed when Unit.Body asks for it; until then, only the numbers
// of its first and last token are kept.
//
// Files:
//
//	tree.go        the tree
//	parser.go      tokens, messages, recovery
//	unit.go        a file, function bodies
//	scope.go       names
//	unmentioned.go prototypes of system headers, which are parsed if something mentions them
//	specifiers.go  declaration specifiers
//	declarator.go  declarators
//	declaration.go declarations
//	record.go      structs, unions and enums
//	attributes.go  attributes
//	statement.go   statements
//	asm.go         asm
//	expression.go  expressions
//	primary.go     primary expressions and literals
//	keywords.go    keywords
//	operators.go   types of operators
//	convert.go     conversions
//	call.go        calls
//	builtin.go     functions of the compiler
//	initializer.go, initializer_parts.go  initializers
//	constant.go, constant_builtin.go  constant expressions
//	integer.go     integers of 128 bits
//	float.go       floating constants
//
// Deliberately absent: nested functions and vectors are refused where they are reached;
// decimal floating point, fixed point and _BitInt are refused. Warnings are left to compilers.
package parse
