package inputfile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// ExecutableHash returns a hash of the program file of this process, or "" where it cannot be read.
func ExecutableHash() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
