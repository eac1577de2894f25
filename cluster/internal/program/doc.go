// Package program makes explorations of programs from what travels between machines: the texts of all files
// that were read, headers included, and the options. Nothing of a program is executed but by the engine.
package program
