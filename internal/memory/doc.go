// Package memory is SC, TSO and PSO as one transition system over flat ir
// programs: a State, the steps Enabled in it, Apply with Undo, and Encode and
// Decode between states and byte strings.
//
// A System is the compiled program under one model; it is immutable and shared
// by workers. A State is one worker's mutable scratch state. The inner loops
// allocate nothing, follow no maps and compare no strings.
//
// The rules are those of docs/models.md; they extend [BCDM15 Fig. 2, 13],
// [BDM13 Table 1] and, for PSO, [AAAJLS15 App. C]. Package replay implements the
// same rules a second time, plainly; the tests hold the two against each other.
//
// Deliberately absent: search, reduction, and verdicts.
package memory
