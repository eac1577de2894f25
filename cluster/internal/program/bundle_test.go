package program

import (
	"bytes"
	"reflect"
	"testing"

	"fencepost"
	"fencepost/query"
)

var safe = query.Input{Name: "safe.fp", Text: []byte("var x;\nthread t { reg r; x = 1; r = x; assert r == 1; }\n")}

// filled returns a value of a type in which nothing is zero that can be stored.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(elem)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.String:
		v.SetString("a")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	default:
		v.SetInt(1)
	}
}

// TestOptions: every option is in a bundle that is stored and read again.
func TestOptions(t *testing.T) {
	var opt query.CheckOptions
	fill(reflect.ValueOf(&opt).Elem())
	b := &Bundle{Input: safe, Options: opt}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Options, opt) {
		t.Errorf("stored  %+v\nread    %+v", opt, again.Options)
	}
}

// TestNoModel: a bundle that does not say which model is no question about the default one.
func TestNoModel(t *testing.T) {
	b, _, _, err := New(t.Context(), safe, query.PSO, query.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Options.Models = nil
	if _, err := b.Open(t.Context()); err == nil {
		t.Error("a bundle without a model was opened")
	}
}

// TestCertified: workers know that a proof is asked for, also where only the asker has a file for it, and that makes the
// same question of it.
func TestCertified(t *testing.T) {
	var file bytes.Buffer
	for _, proofs := range []query.Proofs{{}, {Certified: true}, {Certificate: &file}} {
		b, x, _, err := New(t.Context(), safe, query.SC, query.CheckOptions{Proofs: proofs})
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		there, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		y, err := there.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if different := x.Identity().Differs(y.Identity()); different != nil {
			t.Errorf("%+v: %v", proofs, different)
		}
		var none fencepost.Partial
		_, here := x.Proof(none)
		if _, ok := y.Proof(none); ok != here || ok != proofs.Wanted() {
			t.Errorf("%+v: the asker has a proof: %v, workers: %v", proofs, here, ok)
		}
	}
}
