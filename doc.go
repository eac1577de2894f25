// Package fencepost answers questions about concurrent programs on processors that buffer stores: whether
// their assertions still hold, whether they behave as under sequential consistency, which fences repair them.
// It is the API that the command line is built on.
//
// A program is a text in one of several languages: C with pthreads and C11 atomics, litmus tests, and automata.
//
//	answer, err := fencepost.Check(ctx, query.Input{Name: "queue.c", Text: text}, query.CheckOptions{
//		Options: query.Defaults(),
//		Models:  query.Models{query.TSO},
//	})
//	if err != nil {
//		return err // fencepost failed, or an option was wrong
//	}
//	if answer.HasErrors() {
//		return render.Diagnostics(os.Stderr, answer.Diagnostics, render.TextOptions{}) // the program was refused
//	}
//	return render.Text(os.Stdout, answer.Results, render.TextOptions{})
//
// # Answers
//
// An answer is Safe, Unsafe with an execution, or Unknown with the reason; package verdict has the types. Every
// execution was replayed by an independent implementation of the memory models. A Safe says in its Coverage what
// it covers: all executions, or all within bounds that the caller set.
//
// Mistakes in the program come back as diagnostics with a position. An error means that an option has a value
// that it cannot have (*query.OptionError), that a path cannot be read (*query.InputError), or that fencepost
// itself failed.
// Functions that can take long have a context; after its end the answer is Unknown, with what is known until
// then.
//
// Package query has programs, models, options and answers; each is defined there once. Package render writes
// answers as text, JSON, HTML, SVG, DOT, SARIF and JUnit. Package fenceposttest checks
// programs in Go tests.
//
// # Stability
//
// Until version 1 names may change between versions; CHANGELOG.md says which. The JSON of results is versioned
// apart: fields of a schema are added and never renamed, so stored results stay readable. The zero value of every
// struct of options stays valid, and new options keep the meaning of old code.
package fencepost
