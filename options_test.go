package fencepost

import (
	"io"
	"reflect"
	"testing"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
)

// fill sets every field of a struct to something other than its zero value.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			fill(f)
		case reflect.String:
			f.SetString("x")
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(i + 1))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 2, 2))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), nil))
		case reflect.Interface:
			f.Set(reflect.ValueOf(io.Discard))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
}

// unset names the fields that have their zero value.
func unset(at string, v reflect.Value) []string {
	var out []string
	for i := range v.NumField() {
		name := at + v.Type().Field(i).Name
		switch f := v.Field(i); {
		case f.Kind() == reflect.Struct:
			out = append(out, unset(name+".", f)...)
		case f.IsZero():
			out = append(out, name)
		}
	}
	return out
}

// TestOptionsArrive: every option of the API reaches the question, so every option of the question is set.
// What the API does not have is listed here, with the reason.
func TestOptionsArrive(t *testing.T) {
	var common Options
	var checked CheckOptions
	var attacked RobustOptions
	for _, o := range []any{&common, &checked, &attacked} {
		fill(reflect.ValueOf(o).Elem())
	}
	for _, c := range []struct {
		name    string
		got     any
		without map[string]bool
	}{
		{"Options", common.internal(), map[string]bool{"Instances": true, "C.Fences": true}}, // of one instance of a template: param sets it; fences sets C.Fences
		{"CheckOptions", checked.internal(), map[string]bool{
			"Options.Instances": true, "Options.C.Fences": true, "BMC.Unroll": true, // Options.Unroll
			"Patience": true, // fences sets it
		}},
		{"RobustOptions", attacked.internal(), map[string]bool{"Options.Instances": true, "Options.C.Fences": true}},
	} {
		for _, name := range unset("", reflect.ValueOf(c.got)) {
			if !c.without[name] {
				t.Errorf("%s: %s does not arrive", c.name, name)
			}
		}
	}
	var _ pipeline.Options = common.internal()
	var _ check.Options = checked.internal()
	var _ robust.Options = attacked.internal()
}
