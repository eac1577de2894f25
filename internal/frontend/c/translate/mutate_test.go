package translate_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var token = regexp.MustCompile(`#[^\n]*\n|"[^"\n]*"|[A-Za-z_]\w*|\d+|[-+*/%&|^<>=!]=?|[^\s\w]|\s+`)

// TestMutated: programs with tokens dropped, doubled, exchanged or cut off are translated
// to something the verifier and the passes take, or refused with a diagnostic;
// nothing panics.
func TestMutated(t *testing.T) {
	var paths []string
	for _, dir := range []string{filepath.Join("..", "..", "..", "..", "testdata", "corpus"), filepath.Join("..", "testdata", "corpus")} {
		found, err := filepath.Glob(filepath.Join(dir, "c-*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 60 {
		t.Fatalf("only %d C programs", len(paths))
	}
	var programs [][]string
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, token.FindAllString(string(txtar.Parse(data).Files[0].Data), -1))
	}
	data, err := os.ReadFile(filepath.Join("testdata", "sequential.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		programs = append(programs, token.FindAllString(string(f.Data), -1))
	}
	rounds := 100
	if testkit.Slow() {
		rounds = 500
	}
	if s := os.Getenv("FENCEPOST_C_MUTATIONS"); s != "" {
		fmt.Sscan(s, &rounds)
	}
	r := rand.New(rand.NewSource(1))
	accepted := 0
	for range rounds {
		words := append([]string(nil), programs[r.Intn(len(programs))]...)
		for range 1 + r.Intn(2) {
			i, j := r.Intn(len(words)), r.Intn(len(words))
			switch r.Intn(7) {
			case 6:
				words = words[:i+1]
			case 0, 3:
				words = append(words[:i], words[i+1:]...)
			case 1, 4:
				words[i] = words[j]
			case 2, 5:
				words[i], words[j] = words[j], words[i]
			}
		}
		if translates(t, strings.Join(words, "")) {
			accepted++
		}
	}
	t.Logf("%d of %d accepted", accepted, rounds)
	if accepted == 0 || accepted == rounds {
		t.Errorf("%d of %d accepted: the mutations test nothing", accepted, rounds)
	}
}

func translates(t *testing.T, text string) bool {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic: %v\n%s", r, text)
		}
	}()
	unit, diags := translate.Program([]*source.File{source.NewFile("m.c", []byte(text))}, library.New(), translate.Options{})
	if diags.HasErrors() {
		if len(diags.All) == 0 {
			t.Errorf("refused without a word:\n%s", text)
		}
		return false
	}
	if errs := ir.Verify(unit.Program); len(errs) > 0 {
		t.Fatalf("a broken program: %v\n%s", errs, text)
	}
	if _, err := transform.Run(unit.Program, transform.Options{Unroll: 2}, nil); err != nil {
		t.Logf("the passes refuse: %v", err)
	}
	return true
}
