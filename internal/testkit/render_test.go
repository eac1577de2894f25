package testkit_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"testing"

	"fencepost/internal/question/verify"
	"fencepost/internal/render/dot"
	"fencepost/internal/render/html"
	"fencepost/internal/render/json"
	"fencepost/internal/render/relation"
	"fencepost/internal/render/sarif"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// TestRenderings: every violation and attack of the corpus survives storing and reading,
// replays from the stored form, and can be rendered in every format.
func TestRenderings(t *testing.T) {
	executions, enough := 0, 8
	if testkit.Slow() {
		enough = 100
	}
	for _, c := range testkit.PartOf(t, corpus(t), 20) {
		opt := c.Options
		results, err := c.Check(opt)
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
			continue
		}
		all := c.Robustly()
		all.KeepGoing = true
		if _, r, err := c.IsRobust(all); err != nil {
			t.Errorf("%s: %v", c.Path, err)
		} else if r != nil {
			results = append(results, *r)
		}
		n, err := renderings(c, results)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(c.Path), err)
		}
		executions += n
	}
	if executions < enough {
		t.Errorf("only %d executions: the corpus is not what it was", executions)
	}
	t.Logf("%d executions rendered and replayed", executions)
}

func renderings(c *testkit.Case, results []verdict.Result) (executions int, err error) {
	var stored bytes.Buffer
	if err := json.Report(&stored, results, nil); err != nil {
		return 0, err
	}
	back, err := json.Read(stored.Bytes())
	if err != nil {
		return 0, fmt.Errorf("what was written cannot be read: %w", err)
	}
	var again bytes.Buffer
	if err := json.Report(&again, back, nil); err != nil || again.String() != stored.String() {
		return 0, fmt.Errorf("written and read, the results have changed (%v)", err)
	}
	for i := range results {
		executions += len(results[i].Executions())
		if err := sameText(&results[i], &back[i]); err != nil {
			return executions, err
		}
	}
	answer, err := verify.Results(context.Background(), c.Input, back, query.Options{Workers: 1})
	if err != nil {
		return executions, err
	}
	replayed := 0
	for _, check := range answer.Checks {
		if check.Name != "sources" && check.Name != "answer" {
			replayed++
		}
		if check.Err != nil {
			return executions, fmt.Errorf("%s under %s: %w", check.Name, check.Model, check.Err)
		}
	}
	if replayed < executions {
		return executions, fmt.Errorf("%d of %d executions were replayed: %+v", replayed, executions, answer.Diagnostics)
	}
	return executions, drawings(back)
}

// sameText returns an error if a stored result renders differently from the original.
func sameText(a, b *verdict.Result) error {
	var one, other bytes.Buffer
	text.Result(&one, a, text.Options{})
	text.Result(&other, b, text.Options{})
	if one.String() != other.String() {
		return fmt.Errorf("the stored result renders differently:\n%s\n%s", one.String(), other.String())
	}
	return nil
}

func drawings(results []verdict.Result) error {
	var page, log, again bytes.Buffer
	if err := errors.Join(html.Report(&page, results, relation.HerdNames), html.Report(&again, results, relation.HerdNames), sarif.Report(&log, results, sarif.Options{})); err != nil {
		return err
	}
	if page.String() != again.String() {
		return errors.New("two pages of the same results differ")
	}
	for i := range results {
		list := results[i].Executions()
		var picture, graph bytes.Buffer
		if err := svg.File(&picture, "x", list, relation.HerdNames); err != nil {
			return err
		}
		if err := wellFormed(picture.Bytes()); err != nil {
			return fmt.Errorf("the SVG is not XML: %w", err)
		}
		for k := range list {
			dot.Execution(&graph, &list[k], relation.HerdNames)
			o := relation.Of(&list[k])
			if list[k].Attack != nil && len(o.Cycle) == 0 {
				return errors.New("an attack without a cycle")
			}
			if again := relation.Of(&list[k]); !reflect.DeepEqual(o, again) {
				return errors.New("two orders of the same execution differ")
			}
		}
	}
	return nil
}

func wellFormed(doc []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(doc))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
