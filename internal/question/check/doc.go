// Package check answers a program's own questions under memory models: do its assertions hold, are its
// goals reachable, does its final condition hold, can it deadlock? It is the question of the command
// check, which also takes data races and robustness by traces.
//
// The portfolio (portfolio.go) chooses the engines. docs/engines/portfolio.md says why its answers are right.
package check
