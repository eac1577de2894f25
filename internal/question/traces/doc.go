// Package traces explores one execution for every Shasha-Snir trace of a program. It is the question of
// the command traces.
package traces
