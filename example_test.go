package fencepost_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

var storeBuffering = query.Input{Name: "sb.fp", Text: []byte(`var x, y;
thread t1 { reg r; x = 1; r = y; }
thread t2 { reg r; y = 1; r = x; }
never t1:r == 0 && t2:r == 0;
`)}

// Does the final condition hold under each memory model?
func ExampleCheck() {
	answer, err := fencepost.Check(context.Background(), storeBuffering, query.CheckOptions{Models: query.AllModels()})
	if err != nil {
		panic(err)
	}
	for _, r := range answer.Results {
		fmt.Println(r.Model, r.Verdict)
	}
	// Output:
	// sc safe
	// tso unsafe
	// pso unsafe
}

// A wrong option is an error that says what is wanted.
func ExampleCheck_wrongModel() {
	_, err := fencepost.Check(context.Background(), storeBuffering, query.CheckOptions{Models: []query.Model{"arm"}})
	var wrong *query.OptionError
	fmt.Println(errors.As(err, &wrong), err)
	// Output: true unknown memory model "arm", want sc, tso or pso
}

// Which store can be delayed past which load?
func ExampleRobust() {
	answer, err := fencepost.Robust(context.Background(), storeBuffering, query.RobustOptions{KeepGoing: true, Options: query.Options{Workers: 1}})
	if err != nil {
		panic(err)
	}
	for _, a := range answer.Results[0].Attacks {
		fmt.Println(a.String())
	}
	// Output:
	// t1 can delay its store x = 1 (sb.fp:2) past its load of y (sb.fp:2)
	// t2 can delay its store y = 1 (sb.fp:3) past its load of x (sb.fp:3)
}

// The fewest fences that make a program robust, as a patch.
func ExampleFences() {
	answer, err := fencepost.Fences(context.Background(), storeBuffering, query.FenceOptions{})
	if err != nil {
		panic(err)
	}
	r := &answer.Results[0]
	fmt.Println(r.Verdict, len(r.Fences), "fences")
	fmt.Print(r.Repair.Patches[0].Text)
	// Output:
	// safe 2 fences
	// var x, y;
	// thread t1 { reg r; x = 1; fence; r = y; }
	// thread t2 { reg r; y = 1; fence; r = x; }
	// never t1:r == 0 && t2:r == 0;
}

// Every trace of a small program.
func ExampleTraces() {
	cyclic := 0
	answer, err := fencepost.Traces(context.Background(), storeBuffering, query.TraceOptions{
		Each: func(t *verdict.Trace) {
			if t.Cycle != nil {
				cyclic++
			}
		},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Set.Count, "traces,", cyclic, "with a cycle")
	// Output: 4 traces, 1 with a cycle
}

// A litmus test, as herd reports it.
func ExampleLitmus() {
	test, err := fencepost.Litmus(context.Background(), query.Input{Name: "SB.litmus", Text: []byte(`X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
`)}, query.LitmusOptions{Models: []query.Model{query.SC, query.TSO}})
	if err != nil {
		panic(err)
	}
	for _, r := range test.Results {
		fmt.Println(r.Model, r.Litmus.Observation)
	}
	// Output:
	// sc Never
	// tso Sometimes
}

// An answer can be stored, and checked by a reader who does not want to trust the search.
func ExampleVerify() {
	ctx := context.Background()
	answer, err := fencepost.Check(ctx, storeBuffering, query.CheckOptions{})
	if err != nil {
		panic(err)
	}
	verified, err := fencepost.Verify(ctx, storeBuffering, answer.Results, query.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range verified.Checks {
		fmt.Println(c.Name, c.Err)
	}
	// Output:
	// violation <nil>
	// sources <nil>
	// answer <nil>
}

// A mistake in the program is a diagnostic.
func ExampleCheck_diagnostics() {
	answer, err := fencepost.Check(context.Background(), query.Input{Name: "bad.fp", Text: []byte("thread t { x = 1; }\n")}, query.CheckOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.HasErrors(), len(answer.Results))
	render.Diagnostics(os.Stdout, answer.Diagnostics[:1], render.TextOptions{})
	// Output:
	// true 0
	// bad.fp:1:12: error: 'x' is not declared [FP0201]
	//   thread t { x = 1; }
	//              ^
	//   help: declare it: `reg x;` in the thread, or `var x;` outside for a shared variable
}

// checkQueue is the code of the package documentation.
func checkQueue(ctx context.Context, text []byte) error {
	answer, err := fencepost.Check(ctx, query.Input{Name: "queue.c", Text: text}, query.CheckOptions{
		Options: query.Defaults(),
		Models:  query.Models{query.TSO},
	})
	if err != nil {
		return err // fencepost failed, or an option was wrong
	}
	if answer.HasErrors() {
		return render.Diagnostics(os.Stderr, answer.Diagnostics, render.TextOptions{}) // the program was refused
	}
	return render.Text(os.Stdout, answer.Results, render.TextOptions{})
}

// TestDocumentedCode: the code of the package documentation is compiled, and works.
func TestDocumentedCode(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var code []string
	for line := range strings.Lines(string(doc)) {
		if c, ok := strings.CutPrefix(line, "//\t"); ok {
			code = append(code, "\t"+c)
		}
	}
	here, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(code) == 0 || !strings.Contains(string(here), "error {\n"+strings.Join(code, "")+"}\n") {
		t.Errorf("doc.go's code is not that of checkQueue:\n%s", strings.Join(code, ""))
	}
	if err := checkQueue(t.Context(), []byte("int main(void) { return 0; }\n")); err != nil {
		t.Error(err)
	}
}
