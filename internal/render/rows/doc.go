// Package rows turns a witness into rows for people: one row per source statement, with
// what the statement did to memory and which stores wait in the store buffers after it.
//
// Input: a verdict.Execution, possibly read from a stored result. Output: a View, plain
// data that renderings print or draw. By default a View has few rows: local steps belong
// to the row of the access before or after them, the one access of a function is shown as
// the call of the function, and the set-up of main, rounds of loops and runs of statements
// on thread-private memory are folds. A fold is a row that has the rows it stands for, so
// that a page can open it. A View of a long witness keeps the rows that matter and cuts out
// others. Options.Full turns all of this off.
//
// The texts are on one line, but they may have characters that a terminal or a page must
// not see: renderings escape them. The package imports verdict and relation, so that a
// stored result can be rendered without engines.
//
// Files: rows.go the model, statements.go rows from steps and local steps, accessors.go
// functions with one access, fold.go set-up and private memory, loops.go rounds of loops,
// cut.go the limit on rows, effect.go words for steps, buffers.go store buffers, atomics.go
// short forms of atomic operations, key.go the steps that are always shown.
package rows
