// Package stress turns a litmus test into a C program that runs it on the processor
// many times and counts how it ends, and reads what that program prints.
//
// Input: a Test, which the litmus front end makes: instructions in AT&T's notation or
// a program of package ir, the locations, and what is observed. Output: a Program, the
// text of one C file, and, from what the program printed, a Run. The text has no word of
// the test: instructions and operations are printed from what was decoded, and names are
// numbers, so a test can do nothing but access its locations.
// The package starts no process and accesses no file.
//
// The program is for x86-64 with gcc or clang. It runs rounds in batches: every round
// has locations of its own, each on a cache line of its own at a random offset, and the
// threads begin a round at about the same time by the processor's clock, shifted by
// random delays. Between batches the threads count the outcomes and set the locations
// back, each thread a random part of them, so that cache lines begin a round in
// different caches.
package stress
