// Package verify checks stored answers, for readers who do not want to trust the search that found them.
// It is the question of the command verify-trace.
//
// The program is read again, replay executes each witness, and what the result says is compared with what
// was computed; no engine takes part in that. What no execution shows (that there is none, how far the
// search went, final states, proofs) is asked again as the result says it was asked, and compared field by
// field. A result says which program it is about, so everything is read under the names it has there.
package verify
