package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fencepost"
)

// Work that does not listen is abandoned; work that does has the last word.
func TestImpatient(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	heard := 0
	got, err := impatient(ctx, time.Hour, func() { heard++ }, func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 7, nil
	})
	if got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	forever := make(chan int)
	defer close(forever)
	if _, err = impatient(ctx, 0, func() { heard++ }, func(context.Context) (int, error) { return <-forever, nil }); !errors.Is(err, errDeaf) || heard == 0 {
		t.Errorf("got %v, heard %d times", err, heard)
	}
	defer func() {
		if r := recover(); r != "as it was" {
			t.Errorf("recovered %v", r)
		}
	}()
	impatient(context.Background(), 0, func() {}, func(context.Context) (int, error) { panic("as it was") })
}

// What was abandoned is unknown, and said so.
func TestInterruptedWhileDeaf(t *testing.T) {
	s := realServices()
	s.check = func(context.Context, fencepost.Input, fencepost.CheckOptions) (fencepost.Answer, error) {
		return fencepost.Answer{}, errDeaf
	}
	var out, errs bytes.Buffer
	code := run(s, []string{"check", "-", "--lang", "fp"}, strings.NewReader(""), &out, &errs)
	if code != exitUnknown || out.Len() > 0 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d, %q, %q", code, &out, &errs)
	}
}
