package inputfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO has no writer here: a reader that opens it would wait for ever.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", at("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("fifo"), 0o644); err != nil {
		t.Skip("no FIFOs here:", err)
	}
	if err := os.Symlink("fifo", at("linkToFifo")); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(at("large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(MaxSize+1), large.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("binary"), []byte("\x89PNG\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want error
	}{
		{at("file"), nil}, {at("link"), nil}, {at("fifo"), ErrNotRegular}, {at("linkToFifo"), ErrNotRegular}, {"/dev/zero", ErrNotRegular},
		{dir, ErrDirectory}, {at("none"), fs.ErrNotExist}, {at("large"), ErrTooLarge}, {at("binary"), ErrBinary},
	} {
		text, err := Read(c.name)
		if !errors.Is(err, c.want) || c.want == nil && (err != nil || string(text) != "text") {
			t.Errorf("%s: %q, %v, want %v", c.name, text, err, c.want)
		}
		if pathErr := (*fs.PathError)(nil); err != nil && !errors.As(err, &pathErr) {
			t.Errorf("%s: %v is no PathError", c.name, err)
		}
	}
}
