// Package prove tries to prove, by reduction and abstraction [BEMT18], that a program reaches the same
// shared states with and without store buffers, for any number of threads where it has templates. It is
// the question of the command prove; the proofs are made by package engine/mover.
package prove
