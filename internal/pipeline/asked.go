package pipeline

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"fencepost/internal/property"
	"fencepost/query"
	"fencepost/verdict"
)

// What was asked. A result carries the command and its options, so that a stored answer can be asked
// for again without the command line that gave it. Options are stored by name, except options
// with their zero value, so that new options need nothing here.

// NewAsked returns a command and its options, a struct.
func NewAsked(command string, options any) *verdict.Asked {
	a := &verdict.Asked{Command: command, Options: map[string]any{}}
	storeOptions(a.Options, reflect.ValueOf(options))
	return a
}

// remember notes in every result what was asked. Where a search ended at the first execution, its
// coverage only says how far it had come by chance, and is removed.
func remember(answer *query.Answer, command string, options any) {
	for i := range answer.Results {
		r := &answer.Results[i]
		r.Asked = NewAsked(command, options)
		if EndsEarly(r) {
			r.Coverage = verdict.Coverage{}
		}
		r.Next = Next(r)
	}
}

// EndsEarly reports whether the search for an answer ended when it had found an execution.
func EndsEarly(r *verdict.Result) bool {
	if r.Asked.Options["keep_going"] != nil || r.Asked.Options["finals"] != nil {
		return false
	}
	return r.Verdict == verdict.Unsafe || r.Verdict == verdict.Observed && r.Question == verdict.Question(property.Exists.String())
}

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
			into[name] = stored(f)
		}
	})
}

// stored returns the value of an option as results have it: a word of a type of its own is a text, and so is a list of
// such words.
func stored(f reflect.Value) any {
	if list, ok := f.Interface().(encoding.TextMarshaler); ok {
		if text, err := list.MarshalText(); err == nil {
			return string(text)
		}
	}
	if f.Kind() == reflect.String {
		return f.String()
	}
	return f.Interface()
}

// eachOption visits the fields of a struct that can be stored. A tag `asked` gives a field another name; "-" leaves it out.
func eachOption(v reflect.Value, visit func(name string, embedded bool, f reflect.Value)) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("asked")
		switch k := f.Type.Kind(); {
		case !f.IsExported(), name == "-", k == reflect.Func, k == reflect.Interface:
		case name != "":
			visit(name, false, v.Field(i))
		default:
			visit(snake(f.Name), f.Anonymous, v.Field(i))
		}
	}
}

// Recall sets the fields of a struct of options to what is stored.
func Recall(from map[string]any, into any) error {
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
