// Fencepost checks concurrent programs under SC, TSO and PSO. See internal/cli.
package main

import (
	"os"

	"fencepost/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
