package read_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// TestAnnotations: comments //@ are found outside literals and other comments, and
// belong to what follows.
func TestAnnotations(t *testing.T) {
	text := `//@ of x
int x;
const char *s = "//@ no"; /* //@ no */ char c = '"'; //@ of main
int main(void) { // //@ no
  //@ one
  //@ two
  x = 1;
  if (x) //@ branch
    x = 2;
  /*
  //@ no */ return 0; //@ nothing follows
}
`
	unit := testkit.TranslateC(t, translate.Options{}, source.NewFile("x.c", []byte(text)))
	var got []string
	for _, a := range unit.Annotations {
		got = append(got, fmt.Sprintf("%d:%d %s -> %d:%d", a.At.Line, a.At.Col, a.Text, a.Next.Line, a.Next.Col))
	}
	want := []string{
		"1:1 of x -> 2:1", "3:54 of main -> 4:1", "5:3 one -> 7:3", "6:3 two -> 7:3", "8:10 branch -> 9:5", "11:23 nothing follows -> 0:0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
