package translate_test

import (
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestExtern: functions without a body can be declared harmless or a fence.
func TestExtern(t *testing.T) {
	f := source.NewFile("x.c", []byte("void quiet(int);\nvoid barrier(void);\nint x;\nint main(void) { quiet(x); barrier(); return 0; }\n"))
	p := testkit.TranslateC(t, translate.Options{COptions: query.COptions{ExternPure: []string{"quiet"}, ExternFence: []string{"barrier"}}}, f).Program
	var kinds []string
	for i := range p.Funcs[0].Edges {
		kinds = append(kinds, p.Funcs[0].Edges[i].Op.Kind.String())
	}
	if got := strings.Join(kinds, " "); got != "load fence return" {
		t.Errorf("got %s", got)
	}
}
