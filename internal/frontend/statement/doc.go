// Package automaton is the front end for the languages of labelled instructions:
// .fp, in which the papers write their programs [BDM13 Fig. 1, BEMT18 Fig. 4],
// with structured statements beside the labels; and, as they are, the languages
// of two other tools, Trencher's .txt and Memorax's .rmm. docs/languages has a
// page for each, which is its definition.
//
// Input: one source file. Output: a structured ir program, the properties asked
// of it, and diagnostics. The stages of .fp are lex and parse (syntax only, with
// recovery), declare (constants, variables), analyse (labels and registers of a
// thread) and lower (one automaton per thread instance). The other two have
// their own parsers and share the rest: Trencher's transitions are .fp statements
// between given locations, Memorax's processes are .fp threads with statements
// that know domains, after a stage of text macros.
//
// Limits: nesting is at most maxDepth, shared memory at most maxMemory bytes,
// templates at most maxInstances, the whole program at most maxEdges edges; past
// each stands a diagnostic. Time is linear in the input and the edges made.
//
// What is deliberately absent: any simplification that loses a step a user
// wrote and a thread can reach, and any knowledge of memory models.
package statement
