package rf_test

import (
	"reflect"
	"testing"

	"fencepost/internal/engine/rf"
)

// TestEncoding: a task has all fields of operations. A new field must be added to the test.
func TestEncoding(t *testing.T) {
	want, got, err := rf.RoundTrip()
	if err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%v\n%+v\n%+v", err, want, got)
	}
	v := reflect.ValueOf(want)
	for i := range v.NumField() {
		if f := v.Type().Field(i); v.Field(i).IsZero() {
			t.Errorf("the test sets no field %s", f.Name)
		}
	}
}
