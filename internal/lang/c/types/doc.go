// Package types has the types of C, and their layout on x86-64 Linux as gcc lays them out.
//
// A Type is not changed once it is complete. Qualifiers are part of a type: Unqualified
// returns the type without them. Structs, unions and enums are records, which all types of
// one tag share, so that a tag can be completed after its first use. A leaf.
package types
