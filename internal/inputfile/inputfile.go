package inputfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// MaxSize is the size past which a file is taken for a mistake.
const MaxSize = 64 << 20

// The errors about files that are refused. Read wraps them in *fs.PathError.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrDirectory  = errors.New("is a directory")
	ErrTooLarge   = fmt.Errorf("larger than %d MiB", MaxSize>>20)
	ErrBinary     = errors.New("a binary file")
)

// sniffed is how many bytes of a file decide whether it is a text.
const sniffed = 8 << 10

// IsBinary reports whether a file that begins like this is no text: it has a zero byte.
func IsBinary(text []byte) bool {
	return bytes.IndexByte(text[:min(len(text), sniffed)], 0) >= 0
}

// IsObject reports whether a file is machine code, which is no text: it has the name of an object or of an archive,
// or begins as an ELF file does.
func IsObject(name string, head []byte) bool {
	return path.Ext(name) == ".o" || path.Ext(name) == ".a" || path.Ext(name) == ".rlib" || bytes.HasPrefix(head, []byte("\x7fELF"))
}

// ReadBelow returns the content of a regular file in a directory or in one below it. A name or a symbolic link that
// leads out of the directory is an error.
func ReadBelow(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := readable(name, info); err != nil {
		return nil, err
	}
	return root.ReadFile(name)
}

// readable returns an error for what is no regular file, or too large.
func readable(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: name, Err: ErrDirectory}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	case info.Size() > MaxSize:
		return &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	return nil
}

// Read returns the content of a regular file. Symbolic links are followed. Its
// errors are *fs.PathErrors.
func Read(name string) ([]byte, error) {
	// Stat comes first, because opening a FIFO blocks.
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := readable(name, info); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if IsBinary(head[:n]) && !IsObject(name, head[:n]) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrBinary}
	}
	text, err := io.ReadAll(io.MultiReader(bytes.NewReader(head[:n]), io.LimitReader(f, MaxSize+1-int64(n))))
	if err == nil && len(text) > MaxSize {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
