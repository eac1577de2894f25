// Package verdict is what fencepost answers, as plain data.
//
// Everything a person or a program may want to know about an answer is in
// Result, with its own copy of positions and source text, so that a result can
// be stored as JSON and rendered again without the program or the engines. The
// package imports nothing of ours. Fields are added, never renamed, within one
// schema.
package verdict
