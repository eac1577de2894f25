package verify

import (
	"fmt"
	"reflect"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// The texts that a result carries.

// sources compares the texts of a result with the texts of the files that its executions are in, and what it says of the
// listing of machine code.
func (v *verifier) sources(stored map[string]string, r *verdict.Result) error {
	if err := sameSources(stored, pipeline.SourcesOf(v.now.Program, r)); err != nil {
		return err
	}
	var listing *verdict.Listing
	if v.now.MadeOf != nil {
		listing = v.now.MadeOf(r)
	}
	if !reflect.DeepEqual(r.Listing, listing) {
		return fmt.Errorf("what the lines of the listing were made of differs from what the result says")
	}
	return nil
}

// sameSources compares the stored texts with the expected texts.
func sameSources(stored, want map[string]string) error {
	for name, text := range want {
		if got, ok := stored[name]; !ok {
			return fmt.Errorf("the result has no text of %s", name)
		} else if got != text {
			return fmt.Errorf("the text of %s differs from the text in the result", name)
		}
	}
	for name := range stored {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("%s is not part of the program, or no step of the answer is in it", name)
		}
	}
	return nil
}
