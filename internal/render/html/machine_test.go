package html_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

const machineText = `#include <assert.h>
#include <pthread.h>
int x, y, z;
volatile int go;
__attribute__((noinline)) void work(void) {
  z = 7;
  x = y + 1;
  y = 0;
  z = 8;
}
void *left(void *arg) {
  go = 1;
  work();
  return 0;
}
int main(void) {
  pthread_t t;
  y = 3;
  pthread_create(&t, 0, left, 0);
  while (!go) ;
  assert(y == 3);
  return 0;
}
`

// machineCode checks what gcc makes of a program.
func machineCode(t testing.TB) []verdict.Result {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no gcc here, so that there is no machine code")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(machineText), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-O2", "-g", "-c", "a.c")
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	object, err := os.ReadFile(filepath.Join(dir, "a.o"))
	if err != nil {
		t.Fatal(err)
	}
	opt := query.CheckOptions{Options: query.Options{Workers: 1}, Models: query.Models{query.SC}}
	opt.C.Include = func(name string) ([]byte, bool) { return []byte(machineText), name == "a.c" }
	a, err := fencepost.Check(context.Background(), query.Input{Name: "a.o", Text: object}, opt)
	if err != nil || a.HasErrors() || a.Results[0].Verdict != verdict.Unsafe {
		t.Fatal(err, a.Diagnostics)
	}
	return a.Results
}

// TestPanesOfMachineCode: the source and the assembly go along with the steps, and show what the compiler did. Words of the
// stack that the source does not name are in no list.
func TestPanesOfMachineCode(t *testing.T) {
	b := newBrowser(t)
	b.open("machine", machineCode(t))
	b.fits("machine code")
	source := `[...document.querySelectorAll(".source:not(.assembly) .line.now")].map(l => l.querySelector(".n").textContent).join()`
	assembly := `[...document.querySelectorAll(".assembly .line.now code")].map(l => l.textContent.trim()).join()`
	seen := map[string]bool{}
	for {
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
		line, instruction := eval[string](b, source), eval[string](b, assembly)
		if line != "" && !strings.Contains(instruction, "a.c:"+line+":") && !strings.Contains(instruction, "a.c:"+line+" in") {
			t.Errorf("the source is at line %s, the assembly at %q", line, instruction)
		}
		seen[line] = true
		if eval[bool](b, `document.querySelector("[data-go=forward]").disabled`) {
			break
		}
	}
	for _, line := range []string{"7", "8", "9", "12", "18", "21"} {
		if !seen[line] {
			t.Errorf("no step is at line %s: %v", line, seen)
		}
	}
	b.Do(chromedp.KeyEvent(kb.Home))
	for range 4 {
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
	}
	if notes := eval[string](b, `[...document.querySelectorAll(".source:not(.assembly) .line.changed")].map(l => l.textContent).join("|")`); !strings.HasPrefix(notes, "6  z = 7;") || !strings.Contains(notes, "no instruction") {
		t.Errorf("marks of the source: %q", notes)
	}
	if notes := eval[string](b, `[...document.querySelectorAll(".assembly .line.changed .note")].map(l => l.textContent).join("|")`); !strings.Contains(notes, "line 7 after 9") {
		t.Errorf("marks of the assembly: %q", notes)
	}
	if cells := eval[string](b, `[...document.querySelectorAll(".cells .memory-row span")].map(l => l.textContent).join()`); strings.Contains(cells, "frame@") {
		t.Errorf("memory: %s", cells)
	}
	for _, width := range []int{1400, 1800, 700, 400} {
		b.Size(int64(width), 1000)
		b.fits("machine code")
	}
}
