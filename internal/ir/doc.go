// Package ir is the one program representation: front ends end here, engines
// start here.
//
// A program is a set of functions and threads over one byte-addressed memory. A
// function is an automaton: locations, and edges labelled by operations
// [BCDM15 §2, BDM13 §2]. Several edges may leave one location; together with
// assume that is branching. A location without outgoing edges ends its thread, or
// returns from a function that was called.
//
// Two forms exist, each with a verifier: the structured form that front ends
// emit (calls, spawns of functions), and the flat form (one automaton per
// thread, no calls) that transform.Flatten makes of it.
//
// Values are 64-bit words. Every operation names its width and signedness
// (Type); its result is cut to the width and extended back to 64 bits, so that
// comparisons can always look at whole words.
//
// The printed form (Print, Parse) round-trips and is what tests below the front
// ends are written in. Static facts about programs are in package analysis.
//
// What is deliberately absent: source languages, memory models, properties
// other than assertions.
package ir
