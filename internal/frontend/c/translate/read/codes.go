package read

// Codes of diagnostics about the text. They are stable: docs/languages/c.md lists them.
const (
	CodeSyntax     = "C0001" // the C preprocessor, parser or type checker rejects the text
	codeInclude    = "C0002" // an included file is not found
	codePragma     = "C0006" // a pragma that changes the meaning of the program
	CodeType       = "C0108" // a type that is not supported here
	codeExpression = "C0109" // an expression that is not supported
	codeNested     = "C0110" // functions inside functions
	codeAttribute  = "C0115" // an attribute that is not supported
	CodeAnnotation = "C0120" // a //@ comment that is not an annotation, or not at a position where one can be
)
