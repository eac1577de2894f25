// Package scratch makes temporary files and directories, and removes the leftovers of runs that were killed.
//
// The process that uses one holds a lock on it, which ends with the process. What no process holds is left over. The
// number of a process would not do: another machine on the same file system, or a later process, may have it too.
package scratch
