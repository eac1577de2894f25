// Package herd writes small programs as litmus tests for herd7. The tool knows the memory model;
// the tests read the litmus tests again and compare their final states.
//
// Input is a flat ir program with its properties; Write returns the text, or refusals.
//
// Receivers: w is the litmusTest that is being written, c is a column of it.
package herd
