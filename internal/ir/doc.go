// Package ir is the program representation that front ends produce and engines take.
//
// A program is a set of functions and threads over one byte-addressed memory. A function is an
// automaton: locations, and edges labelled by operations [BCDM15 §2, BDM13 §2]. Several edges may
// leave one location; with assume they express branching. A location without outgoing edges ends
// its thread, or returns from a function that was called.
//
// There are two forms, each with a verifier: the structured form that front ends emit (calls,
// spawns of functions), and the flat form (one automaton per thread, no calls) that
// transform.Flatten makes of it.
//
// Values are 64-bit words. Every operation names its width and signedness (Type); its result is
// cut to the width and extended back to 64 bits, so that comparisons always compare whole words.
// Numbers of floating point are held as their bits; the operators on them are their own (float.go).
//
// The text form of programs is package irtext, with Print and Parse; tests below the front ends are written in
// it. Static facts about programs are in package analysis.
//
// Deliberately absent: source languages, memory models, analyses, properties other than
// assertions.
package ir
