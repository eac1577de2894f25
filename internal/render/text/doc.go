// Package text renders results and diagnostics for a terminal: one line with the
// verdict and how far it reaches, then, where there is a witness, the execution
// as a table with one column per thread and the contents of the store buffers,
// and a sentence that names the delayed store.
//
// The output depends on the result and the options alone. Without colour all
// that this package adds is ASCII.
package text
