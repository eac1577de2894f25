// Package elf is the front end for x86-64 machine code in relocatable ELF objects, static archives, and linked
// executables that are not stripped.
// docs/languages/x86.md says what is accepted.
//
// Input: the files of one program. Output: a structured ir program that begins at main, or in functions that
// the user names, the properties asked of it, and diagnostics. Package object reads and links the files, package lift translates single
// instructions; here functions are found, their stack is taken apart, and calls are translated.
//
// Functions of the C library are not modelled a second time: for each call of one, a function in C is
// made up that calls it, with constants and names of functions as the code has them, and the translation
// of C does the rest (stubs.go). The functions of the machine code are functions of that C text, too,
// whose bodies this package makes.
//
// Positions are lines of a listing of the code, which stands for the text of the program: function and
// offset, the line of the source, the instruction.
//
// Exceptions of C++ go the ways that the tables of the files say (exceptions.go).
//
// What is deliberately absent: floating point, system calls. What an execution reaches of these is not
// supported, with a position.
package elf
