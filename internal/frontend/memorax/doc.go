// Package memorax is the front end for the language of Memorax, which decides
// reachability under TSO and PSO. docs/languages/memorax.md is its definition.
//
// Input: one source file. Output: a structured ir program, a goal for each list of
// forbidden states, and diagnostics. The stages are macros (on tokens), parse, and
// compile. Processes become threads of package statement; this package translates the
// statements over variables and registers that have domains.
package memorax
