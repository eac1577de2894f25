// Package diag is how fencepost tells users about mistakes in their input:
// a stable code, a position, a message, notes, and an excerpt with a caret.
//
// Front ends collect several diagnostics and go on; nothing here ends a run.
package diag
