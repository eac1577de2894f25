// Package shorten makes the witness of a violation easy to read: it searches for the
// easiest execution that shows the same violation.
//
// In the pipeline it stands between an engine's witness and its replay. Input: a task
// and a violation with its witness. Output: a witness of the same violation. The new
// witness is replayed like any other, so an error here cannot produce a wrong answer.
//
// Easy to read means, in this order: few stores that wait in a buffer, few switches
// between threads, few steps. A witness without a waiting store is an execution under
// sequential consistency, which is worth knowing: no fence prevents it.
//
// Files: shorten.go the entry, violation.go whether a state shows the violation,
// schedule.go executions as lists that can be rearranged, rearrange.go improvement by
// small changes, search.go the lightest execution by search, from_sc.go witnesses of SC
// under another model, rerun.go the execution of a witness.
package shorten
