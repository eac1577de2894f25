// Package robust answers whether a program is robust against TSO or PSO: whether every execution with store
// buffers has the happens-before relation of an SC execution [BDM13]. It is the question of the command
// robust, which also takes a stronger criterion, triangular-race freedom [O10], and a weaker one, equal
// final states.
package robust
