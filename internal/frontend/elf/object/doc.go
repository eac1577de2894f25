// Package object reads x86-64 machine code: relocatable ELF objects, static archives of them, and
// linked executables that are not stripped.
//
// Input: the bytes of the files of one program. Output: an Image, which has the sections that the
// program has in memory, its symbols after linking, the relocations that are left, and what the
// debug information says about lines. Nothing is decoded here.
//
// Linking is that of the ELF specification: a strong definition wins over weak ones, one copy of
// each COMDAT group stays, and a member of an archive is taken when it defines a symbol that is
// still missing. Every section has an address of its own, so that code and data have
// addresses in an executable and in objects alike; an address only names here.
//
// What is deliberately absent: dynamic libraries, 32-bit code, other processors, and guesses about
// a file whose tables do not fit together. Each is an error that names the file.
package object
