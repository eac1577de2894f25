package translate_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// TestLargeTable: a table of 100,000 numbers and one of 20,000 structs are taken, each
// in one line of text, and hold what the text says.
func TestLargeTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("#include <assert.h>\nstruct e { short k; const char *v; };\nstatic const int numbers[] = {")
	for i := range 40_000 {
		fmt.Fprintf(&b, "%d,", i*7%1000)
	}
	b.WriteString("};\nstatic struct e pairs[] = {")
	for i := range 8_000 {
		fmt.Fprintf(&b, "{%d,\"v%d\"},", i, i%10)
	}
	b.WriteString("};\nint main(void) {\n  assert(sizeof numbers == 160000 && numbers[39999] == 993 && pairs[7999].k == 7999 && pairs[13].v[1] == '3');\n  return 0;\n}\n")
	if got := testkit.CheckC(t, b.String()); got != verdict.Safe {
		t.Errorf("%s, want safe", got)
	}
}
