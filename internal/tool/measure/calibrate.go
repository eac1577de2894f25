package main

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
)

// fixedProgram does a fixed amount of work of the kind that explorations do, and returns its CPU seconds: integers that
// depend on each other, branches that cannot be predicted, and reads all over a table that fits no first-level cache.
// Changing it makes calibrated files worthless.
func fixedProgram() float64 {
	start := cpuSeconds()
	table := make([]uint64, 1<<17)
	x := uint64(0x9e3779b97f4a7c15)
	for i := range 40_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		k := x & uint64(len(table)-1)
		if table[k]&1 == 0 {
			table[k] += x | 1
		} else {
			x += table[k] + uint64(i)
		}
	}
	slices.Sort(table)
	runtime.KeepAlive(table) // the compiler must not leave the work out
	return cpuSeconds() - start
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("BUG: " + err.Error()) // it fails for bad arguments only
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// calibrationLine is the line for a peer's file, in the order of columns that such files have.
func calibrationLine(seconds float64) string {
	return fmt.Sprintf("%s\t0\tmeasure\t-\t\tok\t0\t0\t0\t%.3f\t%.3f\t1", calibration, seconds, seconds)
}
