package pipeline

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"fencepost/internal/property"
	"fencepost/verdict"
)

// What was asked. A result carries the command and its options, so that a stored answer can
// be asked for again without the command line that gave it. Options are stored by name, those
// with their zero value left out, so that new options need nothing here.

// The commands that answer with results.
const (
	askedCheck       = "check"
	askedCheckParam  = "check --param"
	askedRobust      = "robust"
	askedRobustParam = "robust --param"
	askedFences      = "fences"
	askedProve       = "prove"
	askedLitmus      = "litmus"
	askedTraces      = "traces"
)

// newAsked is a command and its options.
func newAsked(command string, options ...any) *verdict.Asked {
	a := &verdict.Asked{Command: command, Options: map[string]any{}}
	for _, o := range options {
		storeOptions(a.Options, reflect.ValueOf(o))
	}
	return a
}

// remember notes in every result what was asked, and takes out of it what only says how
// far a search had come by chance when it was over.
func remember(answer *Answer, command string, options ...any) {
	for i := range answer.Results {
		r := &answer.Results[i]
		r.Asked = newAsked(command, options...)
		if endsEarly(r) {
			r.Coverage = verdict.Coverage{}
		}
	}
}

// endsEarly reports whether the search for an answer was over when it had found an
// execution.
func endsEarly(r *verdict.Result) bool {
	if r.Asked.Options["keep_going"] != nil || r.Asked.Options["finals"] != nil {
		return false
	}
	return r.Verdict == verdict.Unsafe || r.Verdict == verdict.Observed && r.Question == verdict.Question(property.Exists.String())
}

// leftOut are options that change no answer.
var leftOut = map[string]bool{"Workers": true}

// storeOptions adds the fields of a struct that are set.
func storeOptions(into map[string]any, v reflect.Value) {
	eachOption(v, func(name string, embedded bool, f reflect.Value) {
		switch {
		case embedded:
			storeOptions(into, f)
		case f.IsZero():
		case f.Kind() == reflect.Struct:
			inner := map[string]any{}
			storeOptions(inner, f)
			into[name] = inner
		default:
			into[name] = f.Interface()
		}
	})
}

// eachOption visits the fields of a struct that can be stored.
func eachOption(v reflect.Value, visit func(name string, embedded bool, f reflect.Value)) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		switch k := f.Type.Kind(); {
		case !f.IsExported(), leftOut[f.Name], k == reflect.Func, k == reflect.Interface:
		default:
			visit(snake(f.Name), f.Anonymous, v.Field(i))
		}
	}
}

// recall sets the fields of a struct to what is stored.
func recall(from map[string]any, into any) error {
	return loadOptions(from, reflect.ValueOf(into).Elem())
}

func loadOptions(from map[string]any, v reflect.Value) error {
	var failed error
	eachOption(v, func(name string, embedded bool, f reflect.Value) {
		value, ok := from[name]
		switch inner, isMap := value.(map[string]any); {
		case failed != nil:
		case embedded:
			failed = loadOptions(from, f)
		case !ok:
			f.SetZero()
		case f.Kind() == reflect.Struct && isMap:
			failed = loadOptions(inner, f)
		default:
			text, err := json.Marshal(value)
			if err == nil {
				f.SetZero()
				err = json.Unmarshal(text, f.Addr().Interface())
			}
			if err != nil {
				failed = fmt.Errorf("asked.options.%s: %v", name, err)
			}
		}
	})
	return failed
}

// snake writes a name of Go as JSON has names.
func snake(name string) string {
	var out strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			begins := i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
			if begins {
				out.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
