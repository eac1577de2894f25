// Package scratch makes temporary files and directories, and removes those that a run left behind which was killed.
//
// Whoever uses one holds a lock on it, which ends with the process. What nobody holds is left over. The package
// has no use for names of processes, which another machine on the same file system, or a later process, may have too.
package scratch
