// Fencepost-cluster has programs checked by any number of machines. See internal/command.
package main

import (
	"os"

	"fencepost/cluster/internal/command"
)

func main() { os.Exit(command.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
