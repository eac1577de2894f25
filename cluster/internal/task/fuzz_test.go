package task

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzRecord: any bytes are a record or refused, and a record that is read can be written and read again.
func FuzzRecord(f *testing.F) {
	for _, r := range []*Record{
		{}, {Executions: 3, Share: 0.5, Fingerprint: "ab", Part: json.RawMessage(`{"Graphs":1}`)}, {Over: true, Pending: [][]byte{[]byte("task"), {}}},
	} {
		data, err := r.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeRecord(data)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same, err := DecodeRecord(again)
		if err != nil {
			t.Fatal(err)
		}
		if same.Executions != r.Executions || same.Over != r.Over || same.Share != r.Share || len(same.Pending) != len(r.Pending) {
			t.Fatalf("%+v is read back as %+v", r, same)
		}
		for i := range r.Pending {
			if !bytes.Equal(r.Pending[i], same.Pending[i]) {
				t.Fatalf("task %d differs", i)
			}
		}
		NewTree("root").Add("root", r)
		if parts, err := Split(data); err == nil && len(parts) == 0 {
			t.Fatal("an empty group is accepted")
		}
	})
}
