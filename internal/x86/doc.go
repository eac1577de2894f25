// Package x86 has the meaning of the instructions of x86, once for every text that has some: machine code, inline
// assembly of C and litmus tests.
//
// Input: a Machine, which is the caller's view of one instruction, and the instruction's width. A Machine reads and
// writes operands, whatever they are for the caller, and takes the flags. Output: operations of ir that the Machine
// emits. What an instruction computes, which flags it sets and which of its steps are one are said here; how operands
// are written, and which of them are allowed, by the caller.
//
// Values are words of 64 bits: an operand of fewer bits is extended with zeros. A locked instruction is one RMW of ir
// or, where ir has none for it, an atomic section of a load and a store. Without a lock it is a load and a store. xchg
// with memory is locked in any case.
//
// Package lift compares its translations with the processor: every instruction here that the decoder knows runs with
// random registers, flags and memory.
package x86
