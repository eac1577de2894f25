package translate_test

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// TestMutatedFences: whatever tokens are dropped, doubled or exchanged in a text full of
// statements of all kinds: with a fence at every fence site, the text is read again, and has
// as many more fences as the sites have steps.
func TestMutatedFences(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testkit", "testdata", "fence_sites", "tricky.c"))
	if err != nil {
		t.Fatal(err)
	}
	program := token.FindAllString(string(text), -1)
	r := rand.New(rand.NewSource(2))
	accepted, rounds := 0, 30
	if testkit.Slow() {
		rounds = 800
	}
	for range rounds {
		words := append([]string(nil), program...)
		for range 1 + r.Intn(3) {
			i, j := r.Intn(len(words)), r.Intn(len(words))
			switch r.Intn(3) {
			case 0:
				words = append(words[:i], words[i+1:]...)
			case 1:
				words[i] = words[j]
			case 2:
				words[i], words[j] = words[j], words[i]
			}
		}
		if fencesEverywhere(t, strings.Join(words, "")) {
			accepted++
		}
	}
	t.Logf("%d of %d accepted", accepted, rounds)
	if accepted < rounds/20 {
		t.Errorf("%d of %d accepted: the mutations test nothing", accepted, rounds)
	}
}

func fencesEverywhere(t *testing.T, text string) bool {
	t.Helper()
	file := source.NewFile("m.c", []byte(text))
	plain, diags := translate.Program([]*source.File{file}, library.New(), translate.Options{})
	if diags.HasErrors() {
		return false
	}
	u, diags := translate.Program([]*source.File{file}, library.New(), translate.Options{Sites: true})
	if diags.HasErrors() {
		t.Fatalf("refused with fence sites: %v\n%s", diags.All, text)
	}
	want := fenceSteps(plain.Program)
	var all []ir.FenceAt
	for i, p := range u.Sites {
		if p.ReadOnly {
			continue
		}
		all = append(all, ir.FenceAt{Site: ir.SiteID(i), Kind: ir.FullFence})
		want += len(p.Edges)
	}
	changed := source.Apply(file, u.Write(all, translate.C11))
	again, diags := translate.Program([]*source.File{source.NewFile("m.c", changed)}, library.New(), translate.Options{})
	if diags.HasErrors() {
		t.Fatalf("refused: %v\n%s", diags.All, changed)
	}
	if got := fenceSteps(again.Program); got != want {
		t.Fatalf("%d fences, want %d\n%s\n%s", got, want, text, changed)
	}
	return true
}

func fenceSteps(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Fence {
				n++
			}
		}
	}
	return n
}
