// Package explorer answers what the explorer page asks: a request is a word and a JSON document, and the answer is a
// JSON document. The same requests come over HTTP from the page of `fencepost serve`, and from the page of the
// playground, where this package runs in a browser. So it does no I/O and keeps nothing between requests: the program,
// the model and the run are in every request.
//
//	ask.go       the requests, their limits, and the words of failures
//	state.go     the state that a run leads to, with its time line and its happens-before graph
//	search.go    check, robust and fences, with progress
//	outcomes.go  final states under all models
//	c11.go       what there is under C11's own model
//	share.go     a run as a drawing or a table
//	export.go    the program as a litmus test or in C
//	page.go      the page, and the programs that it offers
//
// A run from outside is untrusted: package fencepost takes its steps one by one, refuses what is not possible, and
// compares the state with that of a second implementation of the models.
package explorer
