package smt

import (
	"syscall"
	"unsafe"
)

// rlimitAS is the limit of the memory of a process.
const rlimitAS = 9

// bound limits the memory of a process. A solver with an option for it meets that first; this is for those without.
func bound(pid int, bytes int64) {
	limit := syscall.Rlimit{Cur: uint64(bytes) + programBytes, Max: uint64(bytes) + programBytes}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), rlimitAS, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

// programBytes is the memory for the program itself and its libraries.
var programBytes uint64 = 256 << 20
