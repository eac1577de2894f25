// Package query has what a caller of fencepost passes in and gets back: programs, memory models, the options of every
// question, progress, answers, and errors about them. Each is defined here once; the command line, the questions and the
// engines use these types.
//
// The zero value of every struct of options is valid. Options are stored in results by name (verdict.Asked), in
// snake case; a tag `asked` gives another name, or "-" for an option that changes no answer. CheckOptions can be stored as JSON,
// without its functions and writers.
//
// A leaf beside package verdict, which has the types of answers.
package query
