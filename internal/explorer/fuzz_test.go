package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"
)

// FuzzAsk: every request gets an answer that has a JSON form, or a failure with words; no request is an internal error.
func FuzzAsk(f *testing.F) {
	const sb = "var x, y;\nthread a { reg r; x = 1; r = y; }\nthread b { reg s; y = 1; s = x; }\nnever a:r == 0 && b:s == 0;\n"
	kinds := make([]string, 0, len(handlers))
	for kind := range handlers {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for i := range kinds {
		for _, name := range []string{"a.fp", "a.c", "a.litmus", "../a.txt", ""} {
			body, err := json.Marshal(Request{Name: name, Text: sb, Model: "tso", Run: []string{"0", "1"}})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), body)
		}
		f.Add(uint8(i), []byte(`{"name":"a.c","text":"#include \"/etc/passwd\"\nint main(void) { return 0; }\n"}`))
		f.Add(uint8(i), []byte(`{"text":1e999}`))
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		limits := Limits{Timeout: 200 * time.Millisecond, Memory: 16 << 20}
		answer, err := Ask(context.Background(), kinds[int(kind)%len(kinds)], body, limits, nil)
		if err != nil {
			failure := (*Failure)(nil)
			if !errors.As(err, &failure) || failure.Message == "" || failure.Kind == Internal {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
	})
}
