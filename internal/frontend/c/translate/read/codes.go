package read

// Codes of diagnostics about the text. They are stable: docs/languages/c.md lists them.
const (
	CodeSyntax     = "C0001" // the preprocessor or the parser does not understand it
	codeInclude    = "C0002" // an included file is not there
	codePragma     = "C0006" // a pragma that changes what the program means
	CodeType       = "C0108" // another type that is not supported
	CodeAnnotation = "C0120" // a comment //@ that is no annotation, or stands where none can
)
