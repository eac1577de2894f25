// Package trencher is the front end for the language of Trencher, the robustness checker
// of [BDM13]. docs/languages/trencher.md is its definition.
//
// Input: one source file. Output: a structured ir program, the goal that every thread is
// in a final state, and diagnostics. States become locations, and transitions become the
// instructions of package statement between them.
package trencher
