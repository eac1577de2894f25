// Package automaton is the front end for .fp, the language of labelled
// instructions in which the papers write their programs [BDM13 Fig. 1,
// BEMT18 Fig. 4], with structured statements beside the labels.
// docs/languages/fp.md is its definition.
//
// Input: one source file. Output: a structured ir program, the properties asked
// of it, and diagnostics. The stages are lex and parse (syntax only, with
// recovery), declare (constants, variables), analyse (labels and registers of a
// thread) and lower (one automaton per thread instance).
//
// Limits: nesting is at most maxDepth, shared memory at most maxMemory bytes,
// templates at most maxInstances, the whole program at most maxEdges edges; past
// each stands a diagnostic. Time is linear in the input and the edges made.
//
// What is deliberately absent: any simplification that loses a step a user
// wrote, and any knowledge of memory models.
package automaton
