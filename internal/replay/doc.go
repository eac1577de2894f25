// Package replay is the second opinion on the memory models: a small, plain
// interpreter of flat ir programs under SC, TSO and PSO.
//
// Replay takes a witness and follows it step by step, so that no engine's
// mistake reaches the user; Enumerate visits every reachable state of a small
// program, so that the fast implementation can be held against it. Both use the
// same list of transitions and nothing else.
//
// Place in the pipeline: after the engines, before anyone sees a result. Input:
// a flat program, what was asked, the model, a witness. Output: nil, or what is
// wrong at which step.
//
// The rules are those of [BCDM15 Fig. 2, Fig. 13] and [BDM13 Table 1] for TSO and
// [AAAJLS15 App. C] for PSO, with the additions of docs/models.md.
//
// What is deliberately absent: speed, reductions, sharing of states, and every
// import of the packages it checks (memory, search, the engines).
//
// Files: state.go the state and its key, bytes.go memory and validity of
// accesses, buffer.go store buffers, step.go the list of transitions, and
// access.go, mutex.go, sync.go, heap.go the operations.
package replay
