// Package instrument decides robustness against TSO by instrumentation [BDM13 Thm 3]: it makes an
// instrumented program for every attack, and asks an engine for SC about each. The package takes flat
// programs and returns attacks with TSO executions of the program itself. The instrumentation is in
// package transform; docs/engines/instrument.md says why it is right.
package instrument
