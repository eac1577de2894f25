// Package sarif renders results in the Static Analysis Results Interchange Format
// (SARIF) 2.1.0, which code hosts and editors read.
//
// Every execution is a result with a code flow: a thread flow per thread, whose
// steps carry their index in the whole execution (executionOrder) and what the
// store buffers hold (state). Answers without an execution are no results, which
// code hosts would show as alerts, but notifications: safe as a note, unknown as a
// warning. The same results give the same bytes.
package sarif
