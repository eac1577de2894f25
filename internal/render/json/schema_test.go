package json_test

import (
	"encoding"
	stdjson "encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"

	"fencepost/verdict"
)

const schemaFile = "../../../docs/results.schema.json"

// describer writes Go types as JSON Schema. Objects may have more fields: versions add some.
type describer struct{ defs map[string]any }

func (d *describer) of(t reflect.Type) map[string]any {
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Struct:
		if _, ok := d.defs[t.Name()]; !ok {
			d.defs[t.Name()] = nil // types may contain themselves
			d.defs[t.Name()] = d.object(t)
		}
		return map[string]any{"$ref": "#/definitions/" + t.Name()}
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": d.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": d.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": d.of(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	default:
		panic("no schema for " + t.String())
	}
}

func (d *describer) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		properties[name] = d.of(f.Type)
		if !strings.Contains(options, "omitempty") && f.Type.Kind() != reflect.Pointer {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// fill gives every field of a value something that is written: one element in each slice and map, down to a depth, since
// types may contain themselves.
func fill(v reflect.Value, depth int) {
	if depth <= 0 && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth-1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth-1)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth-1)
		fill(value, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	}
}

// resultsSchema is the schema of what --json prints.
func resultsSchema() ([]byte, error) {
	d := &describer{defs: map[string]any{}}
	result, traces := d.of(reflect.TypeFor[verdict.Result]()), d.of(reflect.TypeFor[verdict.TraceSet]())
	doc := map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"title":   "Results of fencepost, " + verdict.Schema,
		"type":    "object",
		"properties": map[string]any{
			"schema":      map[string]any{"const": verdict.Schema},
			"results":     map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{result, traces}}},
			"diagnostics": map[string]any{"type": "array", "items": d.of(reflect.TypeFor[verdict.Diagnostic]())},
			"tests":       map[string]any{"type": "array"},
			"summary":     map[string]any{"type": "object"},
		},
		"required": []string{"schema", "results"},
	}
	doc["definitions"] = d.defs
	text, err := stdjson.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}

// TestSchemaFile: the schema in docs is that of the types, accepts what was written before, and
// refuses a result without a verdict.
func TestSchemaFile(t *testing.T) {
	want, err := resultsSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil || string(have) != string(want) {
		t.Fatalf("docs/results.schema.json is not the schema of the types (go test ./internal/render/json -update): %v", err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(have))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name, text string, valid bool) {
		t.Helper()
		res, err := schema.Validate(gojsonschema.NewStringLoader(text))
		if err != nil || res.Valid() != valid {
			t.Errorf("%s: valid %v, %v, %v", name, res != nil && res.Valid(), err, res.Errors())
		}
	}
	check("no result", `{"schema": "fencepost/1", "results": []}`, true)
	check("no verdict", `{"schema": "fencepost/1", "results": [{"program": "x", "model": "tso"}]}`, false)
	var result verdict.Result
	fill(reflect.ValueOf(&result).Elem(), 12)
	full, err := stdjson.Marshal(map[string]any{"schema": verdict.Schema, "results": []any{result}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(full), `"pairs":[[1,1]]`) {
		t.Error("the proof of a full result has no pairs")
	}
	check("every field", string(full), true)
	check("another schema", `{"schema": "fencepost/0", "results": []}`, false)
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		text, err := os.ReadFile("testdata/" + f.Name())
		if err == nil && strings.HasSuffix(f.Name(), ".json") {
			check(f.Name(), string(text), true)
			seen++
		}
	}
	if seen == 0 {
		t.Error("no stored result was tried")
	}
}
