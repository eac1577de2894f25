// Package dialect changes the C of litmus tests into C as a compiler takes it. herd takes more: names
// of registers that no declaration has, registers with numbers that are addresses, and the
// atomics of the Linux kernel, whose functions have names that C11 has too.
//
// Input is the text between the initial state and the condition. DeclareRegisters returns it with
// declarations and macros, and what it inserted, so that MoveEdits can move changes of that text back to
// the file. AtomicWords and SpeaksKernel say which atomics a test has. What the C means is the business of
// translate; where it ends is that of package litmus.
package dialect
