package server

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is the error of a file that another process has opened and does not share.
const sharingViolation = syscall.Errno(32)

// lockFile opens a file that no other process has locked: others can read it, but not open it for writing. The lock ends
// when the file is closed or the process ends.
func lockFile(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}
