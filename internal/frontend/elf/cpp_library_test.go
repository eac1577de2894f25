package elf_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCppLibrary: the functions of runtime_cpp.txt for trees, lists, texts and hashes do on the processor what those of
// the library do, also in memory that has other things in it.
func TestCppLibrary(t *testing.T) {
	for _, tool := range []string{"gcc", "g++"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here, so that the library is not compared", tool)
		}
	}
	dir := t.TempDir()
	object, program := filepath.Join(dir, "runtime.o"), filepath.Join(dir, "library")
	arguments := []string{"-O1", "-w", "-D_GNU_SOURCE", "-Dfp_method=long", "-x", "c", "-c", "-o", object}
	for _, header := range []string{"errno.h", "pthread.h", "stdlib.h", "string.h", "time.h", "unistd.h"} {
		arguments = append(arguments, "-include", header)
	}
	for _, command := range [][]string{
		append(append([]string{"gcc"}, arguments...), "runtime_cpp.txt"),
		{"g++", "-std=c++20", "-O1", "-o", program, filepath.Join("testdata", "library.cc"), object},
		{program},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", command, err, out)
		}
	}
}
