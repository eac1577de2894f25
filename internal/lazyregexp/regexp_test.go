package lazyregexp

import (
	"reflect"
	"regexp"
	"testing"
)

// TestMethods: every method gives what that of the compiled expression gives, and nothing is compiled before.
func TestMethods(t *testing.T) {
	const text, pattern = "one 12, two 345 $2", `(\w+) (\d+)`
	lazy, eager := New(pattern), regexp.MustCompile(pattern)
	New(`(`) // wrong, and never used
	l, e := reflect.ValueOf(lazy), reflect.ValueOf(eager)
	for i := range l.NumMethod() {
		name := l.Type().Method(i).Name
		var args []reflect.Value
		for k := range l.Method(i).Type().NumIn() {
			switch in := l.Method(i).Type().In(k); in.String() {
			case "[]uint8":
				args = append(args, reflect.ValueOf([]byte(text)))
			case "string":
				args = append(args, reflect.ValueOf(text))
			case "[]int":
				args = append(args, reflect.ValueOf(eager.FindStringSubmatchIndex(text)))
			case "int":
				args = append(args, reflect.ValueOf(-1))
			case "func([]uint8) []uint8":
				args = append(args, reflect.ValueOf(func(b []byte) []byte { return append([]byte("<"), b...) }))
			case "func(string) string":
				args = append(args, reflect.ValueOf(func(s string) string { return "<" + s }))
			default:
				t.Fatalf("%s has a parameter of type %s", name, in)
			}
		}
		got, want := l.Method(i).Call(args)[0].Interface(), e.MethodByName(name).Call(args)[0].Interface()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestWrong: a wrong expression panics when it is used.
func TestWrong(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(`(`).MatchString("")
}
