// Package command is the command line of fencepost-cluster: serve, worker, check, status, result, cancel.
//
// The command check is the one of fencepost, with its flags and outputs, and another party that answers.
package command
