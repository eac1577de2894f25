// Fencepost checks concurrent programs under SC, TSO and PSO. See internal/cli.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"fencepost/internal/cli"
)

func main() {
	collectLater()
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// collectLater delays the first garbage collection from 4 MiB of heap to 32 MiB: the answer about a small program is
// out before, and a fifth of its time went into collections. From the first collection on, the usual pace holds.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const usual, first = 100, 800
	debug.SetGCPercent(first)
	collected := new(*int64) // a pointer, since small values without pointers share blocks
	runtime.SetFinalizer(collected, func(**int64) {
		if pace := debug.SetGCPercent(usual); pace != first { // set by a command
			debug.SetGCPercent(pace)
		}
	})
}
