// Package instrument decides robustness against TSO by instrumentation [BDM13 Thm 3]: it makes an
// instrumented program for every attack, and asks an engine for SC about each. The package takes flat
// programs and returns attacks with TSO executions of the program itself. docs/engines/instrument.md says
// why the instrumentation is right.
//
// Receivers:
//
//	in  Instrumenter     l  attackLister     s  shadow
//	v   weaver (of one attack)               w  threadWeaver, word
package instrument
