package translate_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// TestForeignBarriers: barriers of other processors become the fences they need.
func TestForeignBarriers(t *testing.T) {
	for text, want := range map[string]string{
		"sync": "full", "dmb ish": "full", "dmb sy": "full", "dsb": "full", "dsb ish": "full", "DMB ISH": "full",
		"lwsync": "ss", "eieio": "ss", "dmb ishst": "ss", "stbar": "ss",
		"isync": "", "isb": "", "dmb ishld": "",
		"membar #StoreLoad": "full", "membar #Sync": "full", "membar #StoreStore": "ss", "membar #LoadLoad": "",
		"membar #LoadLoad|#StoreStore": "ss", "membar #LoadStore | #StoreLoad": "full",
		"lwsync; isync": "ss",
	} {
		f := source.NewFile("x.c", []byte(fmt.Sprintf("int main(void) {\n  asm volatile(%q ::: \"memory\");\n  return 0;\n}\n", text)))
		unit, diags := translate.Program([]*source.File{f}, library.New(), translate.Options{})
		if unit.Program == nil || len(diags.All) != 1 || diags.All[0].Code != "C0805" {
			t.Errorf("%s: %s", text, testkit.Messages(diags))
			continue
		}
		var got []string
		for i := range unit.Program.Funcs[0].Edges {
			if op := &unit.Program.Funcs[0].Edges[i].Op; op.Kind == ir.Fence {
				got = append(got, op.Fence.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: fences %v, want %q", text, got, want)
		}
	}
}
