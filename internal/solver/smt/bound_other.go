//go:build !linux

package smt

// bound limits the memory of a process, which only Linux lets others do.
func bound(int, int64) {}

var programBytes uint64
