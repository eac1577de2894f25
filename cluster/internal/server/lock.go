package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked says that another server uses a directory.
var ErrLocked = errors.New("another server uses the directory")

// Lock makes the directory of a server, if it does not exist, and keeps other servers from using it, until it is
// unlocked or this process ends.
func Lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "lock")
	f, err := lockFile(name)
	if errors.Is(err, ErrLocked) {
		other := "?"
		if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
			other = strings.TrimSpace(string(text))
		}
		return nil, fmt.Errorf("%w: process %s uses %s", ErrLocked, other, dir)
	}
	if err != nil {
		return nil, err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
