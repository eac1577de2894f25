// Package explain makes violations understandable: it looks for the execution that
// is easiest to read among those that show the same violation, and says in words
// what happened in it and which fence would have prevented it.
//
// Place in the pipeline: between an engine's witness and its replay. Input: a task
// and a violation with its witness. Output: a witness of the same violation, and a
// verdict.Cause. What comes out is replayed like any other witness, so that nothing
// here has to be believed.
//
// Easy to read means, in this order: few stores that wait in a buffer, few changes
// from one thread to another, few steps. A witness without a waiting store is an
// execution under sequential consistency, which is worth knowing: no fence helps.
//
// Files: claim.go when an execution shows the violation, schedule.go executions as
// lists that can be rearranged, rearrange.go improvement step by step, best.go the
// best execution by search, cause.go words.
package explain
