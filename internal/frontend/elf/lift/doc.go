// Package lift turns x86-64 instructions into operations of ir.
//
// Input: the bytes of an instruction, its address, and a Resolver, which knows what the addresses in
// it mean. Output: an Inst: operations on the registers of the processor, in order, and where the
// execution goes next. What has no translation is a *Refusal with the bytes and the mnemonic.
//
// The registers of ir stand for the registers of the processor under fixed numbers: 16 general ones
// of 64 bits, 16 vector registers as two halves each, and the flags CF, PF, ZF, SF and OF as numbers
// that are 0 or 1. Two more hold the operands of the last comparison, so that a conditional jump
// compares numbers instead of combining flags. A register holds its 64 bits, whatever their sign.
//
// Every operand in memory is one access of its width; package elf splits an access that crosses a
// boundary of 8 bytes. What Intel's manual promises no single access for is several: a move of 16 bytes is two
// accesses of 8 bytes [SDM vol. 3A §9.1.1]. An instruction with a lock prefix, or xchg with memory, is
// one RMW; without the prefix it is a load and a store.
//
// Flags that the manual leaves undefined keep their values or get others; nothing may depend on
// them. The flag AF is not modelled: no instruction that is read depends on it.
package lift
