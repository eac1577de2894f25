package inputfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxSize is the size past which a file is taken for a mistake.
const MaxSize = 64 << 20

// The errors about files that are refused. Read wraps them in *fs.PathError.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrDirectory  = errors.New("is a directory")
	ErrTooLarge   = fmt.Errorf("larger than %d MiB", MaxSize>>20)
)

// Read returns the content of a regular file. Symbolic links are followed. Its
// errors are *fs.PathErrors.
func Read(name string) ([]byte, error) {
	// Stat comes first, because opening a FIFO blocks.
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrDirectory}
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err == nil && len(text) > MaxSize {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
