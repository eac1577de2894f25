// Package export prints programs: for other tools (SPIN, tools for Petri nets), and in the internal
// representation. It is the question of the commands export and show.
package export
