// Package transform changes ir programs. The passes that turn a structured program into
// a flat one are in one table (Passes); Run applies them in order and runs the ir
// verifier after each.
//
// A transformation returns a new program and does not change its argument. Locations,
// registers and threads that a property may refer to keep their ids: transformations
// append to the lists that they find.
//
// The other transformations serve one question or engine and are not in the table. All
// of them but Replicate take flat programs:
//   - Unroll bounds loops.
//   - waiting.Await cuts the rounds of spin loops that change nothing [AAAJLS15 §4].
//   - Fences inserts fences at fence sites [BDM13 §7].
//   - WithoutFences and WithoutRMW weaken a program.
//   - Replicate starts several threads instead of one.
//
// Passes that share a subject have packages below: undefined, private (memory of one thread) and waiting.
//
// Receivers:
//
//	a   activation    b   body               c  contraction
//	f   flattener     fs  Fences             u  unroller
package transform
