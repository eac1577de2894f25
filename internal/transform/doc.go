// Package transform is ir -> ir passes: one table of them (Passes), run in order,
// with the ir verifier after each.
//
// A pass returns a new program and leaves its argument alone. Locations,
// registers and threads that a property may refer to keep their ids: passes only
// append to what they find.
//
// Not in the table, because they answer to a question and not to a form: Unroll
// bounds loops; Instrumenter turns an attack on robustness into SC reachability
// [BDM13 §5]; Extended buffers stores along sequences of instructions [BCDM15 §3].
package transform
