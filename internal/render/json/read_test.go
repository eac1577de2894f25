package json_test

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"fencepost/internal/render/dot"
	"fencepost/internal/render/html"
	"fencepost/internal/render/json"
	"fencepost/internal/render/relation"
	"fencepost/internal/render/sarif"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// attacked is a report with everything in it and nothing wrong.
func attacked() []verdict.Result {
	all := full()
	all[1].Attacks[0].Witness.Threads = []string{"t1", "t2"}
	return all
}

func written(t testing.TB, results []verdict.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Report(&out, results, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRead(t *testing.T) {
	got, err := json.Read([]byte(written(t, attacked())))
	if err != nil || !reflect.DeepEqual(got, attacked()) {
		t.Errorf("read %+v, %v", got, err)
	}
	if got, err := json.Read([]byte(written(t, nil))); err != nil || len(got) != 0 {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestReadErrors(t *testing.T) {
	good := written(t, attacked())
	change := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s to change in\n%s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ text, want string }{
		{"", "1:1: the file is empty"},
		{"\n ", "1:1: the file is empty"},
		{"var x;", "1:1: not JSON: invalid character 'v' looking for beginning of value"},
		{good[:len(good)/2], "the text ends in the middle of the report"},
		{good + "\n{}", "text after the end of the report"},
		{"{}", "1:1: no schema: this is not a report of fencepost"},
		{"[]", "1:1: found array, want an object"},
		{`{"schema":"fencepost/1"}`, "1:1: there are no results in it"},
		{change(`"fencepost/1"`, `"fencepost/9"`), `2:13: schema "fencepost/9": this version reads "fencepost/1"`},
		{change(`"verdict": "unsafe"`, `"verdict": "bad"`), `8:18: unknown verdict "bad"`},
		{change(`"verdict": "unsafe"`, `"verdict": "unset"`), `results[0].verdict: missing`},
		{change(`"kind": "load"`, `"kind": "lod"`), `unknown step kind "lod"`},
		{change(`"thread": 0`, `"thread": "a"`), `thread: found string, want a number that fits`},
		{change(`"thread": 0`, `"thread": 7`), `results[0].witness.steps[0].thread: there is no thread 7`},
		{change(`"of": 0`, `"of": 1`), `results[0].witness.steps[2].of: step 1 is no earlier buffered store of the thread`},
		{change(`"from": 1`, `"from": -1`), `results[0].witness.steps[1].from: step -2 is no earlier`},
		{change(`"size": 8`, `"size": 2000000000`), `results[0].witness.steps[0].size: 2000000000 bytes in one access`},
		{change(`"to": 1`, `"to": 2`), `results[1].attacks[0].nodes: an edge from 0 to 2, but there are 2 nodes`},
		{change(`"load_step": 1`, `"load_step": 9`), `results[1].attacks[0].store_step: steps 0 and 9, but the witness has 4`},
	} {
		_, err := json.Read([]byte(c.text))
		read := (*json.ReadError)(nil)
		if !errors.As(err, &read) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q...: error %v, want %s", c.text, err, c.want)
		}
	}
	// The position is that of the value.
	_, err := json.Read([]byte(change(`"of": 0`, `"of": 1`)))
	if read := (*json.ReadError)(nil); !errors.As(err, &read) || !strings.Contains(strings.Split(good, "\n")[read.Line-1], `"of": 0`) {
		t.Errorf("%v is not the position of the value", err)
	}
}

// renderAll draws results in every way there is.
func renderAll(t testing.TB, results []verdict.Result) {
	t.Helper()
	var out bytes.Buffer
	for i := range results {
		text.Result(&out, &results[i], text.Options{Color: true, Width: 80})
		executions := results[i].Executions()
		for k := range executions {
			dot.Execution(&out, &executions[k], relation.HerdNames)
		}
		if err := svg.File(&out, "title", executions, relation.HerdNames); err != nil {
			t.Fatal(err)
		}
	}
	if err := html.Report(&out, results, relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	if err := sarif.Report(&out, results, sarif.Options{}); err != nil {
		t.Fatal(err)
	}
}

// FuzzRead: whatever the bytes, an error with a position or results that every
// rendering can draw.
func FuzzRead(f *testing.F) {
	f.Add([]byte(written(f, attacked())))
	for _, name := range []string{"dekker.json", "dekker-robust.json"} {
		text, err := os.ReadFile("../html/testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"schema":"fencepost/1","results":[{"verdict":"unsafe","model":"tso","witness":{"threads":["a"],"steps":[{"kind":"store","buffered":true,"size":64,"addr":18446744073709551615},{"kind":"flush","of":0}]}}]}`))
	f.Add([]byte(`{"schema":"fencepost/1","results":[{"verdict":"unsafe","question":"robustness","attacks":[{"witness":{"threads":[],"steps":[]}}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		results, err := json.Read(text)
		if err != nil {
			if read := (*json.ReadError)(nil); !errors.As(err, &read) || read.Line < 1 || read.Col < 1 {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		renderAll(t, results)
	})
}
