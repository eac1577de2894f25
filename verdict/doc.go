// Package verdict holds fencepost's answers as plain data.
//
// A Result contains everything that a person or a program may want to know about an
// answer, with its own copy of positions and source text. It can be stored as JSON and
// rendered again without the program or the engines. The package imports nothing of ours.
// The JSON layout has a version, Schema: fields are added to it, never renamed.
package verdict
