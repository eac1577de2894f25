package translate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// TestSequential: the assertions of programs that use one corner of C each hold here
// as they do when gcc has compiled the program.
func TestSequential(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "sequential.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Log("no gcc here: the programs themselves are not checked")
	}
	for _, f := range txtar.Parse(data).Files {
		t.Run(f.Name, func(t *testing.T) {
			if gcc != "" && testkit.InPart(t, f.Name, 3) {
				testkit.OutputOf(t, gcc, string(f.Data))
			}
			if got := testkit.CheckC(t, string(f.Data)); got != verdict.Safe {
				t.Errorf("%s, want safe", got)
			}
		})
	}
}
