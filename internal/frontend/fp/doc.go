// Package fp is the front end for .fp, the language in which the papers write their
// programs [BDM13 Fig. 1, BEMT18 Fig. 4], with structured statements beside the labels.
// docs/languages/fp.md is its definition.
//
// Input: one source file. Output: a structured ir program, the properties asked of it,
// and diagnostics. The stages are parse (syntax only, with recovery) and declare
// (constants, variables, threads); package statement translates the threads.
package fp
