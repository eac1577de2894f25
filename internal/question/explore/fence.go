package explore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// maxTries is how many fence sites are tried.
const maxTries = 12

// NoFenceError says why no fence can be written.
type NoFenceError struct{ Why string }

func (e *NoFenceError) Error() string { return e.Why }

// InsertFence returns the program with a fence that forbids the execution of a run: a fence between the delayed store
// and the access that overtakes it. The run was tried again on the program with the fence.
func InsertFence(ctx context.Context, in query.Input, opt query.ExploreOptions) (text string, diags []verdict.Diagnostic, err error) {
	state, diags, err := Run(ctx, in, opt)
	if err != nil || state == nil {
		return "", diags, err
	}
	if state.Cause == nil || state.Cause.Fence == nil {
		return "", diags, &NoFenceError{"the happens-before relation of the run has no cycle, so there is no execution to forbid"}
	}
	run := pipeline.Open(in)
	var changed [][]byte
	err = run.Do(ctx, func(ctx context.Context) error {
		if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
			return err
		}
		if run.Litmus != nil && !run.Litmus.InC() {
			changed = [][]byte{rowWithFence(in.Text, state.Cause.Fence)}
			return nil
		}
		if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options, Sites: true, FenceStyle: pipeline.FenceStyles()[0]}); err != nil {
			return err
		}
		if run.Write == nil {
			return run.Refuse(verdict.Diagnostic{
				Code: "FP0921", Message: "fences cannot be written into machine code",
				Notes: []string{"ask about the source, or check the object again after you have changed it"},
			})
		}
		kind := ir.FullFence
		if state.Cause.Fence.Kind == "store-store" && slices.Contains(run.Kinds, ir.StoreStoreFence) {
			kind = ir.StoreStoreFence
		}
		for _, site := range likelySites(run.Sites, in.Name, state.Cause.Fence) {
			edits := run.Write([]ir.FenceAt{{Site: site, Kind: kind}})
			if !slices.ContainsFunc(edits, func(e source.Edit) bool { return e.File != in.Name }) {
				changed = append(changed, source.Apply(source.NewFile(in.Name, in.Text), edits))
			}
		}
		return nil
	})
	if err != nil || query.HasErrors(run.Diagnostics) {
		return "", run.Diagnostics, err
	}
	opt.Run, opt.Witness, opt.Add, opt.Lenient = state.Run, nil, "", true
	for _, text := range changed {
		in.Text = text
		after, _, err := Run(ctx, in, opt)
		if err != nil {
			return "", diags, err
		}
		if after != nil && !samePair(state, after) {
			return string(text), diags, nil
		}
	}
	return "", diags, &NoFenceError{fmt.Sprintf("no fence that can be written between %s and %s forbids this execution", posText(state.Cause.Fence.After), posText(state.Cause.Fence.Before))}
}

// rowWithFence returns a litmus test for X86 with one more row before the row of the second access. The row has a fence
// in the column of the thread, and nothing in the others.
func rowWithFence(text []byte, hint *verdict.FenceHint) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := hint.Before
	if at == nil || at.Line < 1 || at.Line > len(lines) {
		return text
	}
	row := lines[at.Line-1]
	cells := bytes.Split(bytes.TrimRight(row, " \t\r\n;"), []byte("|"))
	column := min(bytes.Count(row[:min(max(at.Col-1, 0), len(row))], []byte("|")), len(cells)-1)
	const fence = "MFENCE"
	for i, cell := range cells {
		name := ""
		if i == column {
			name = fence
		}
		cells[i] = fmt.Appendf(nil, " %-*s", max(len(cell)-1, len(name)), name)
	}
	added := append(bytes.Join(cells, []byte("|")), " ;\n"...)
	return bytes.Join(slices.Insert(lines, at.Line-1, added), nil)
}

func posText(p *verdict.Pos) string {
	if p == nil {
		return "the accesses"
	}
	return p.String()
}

// samePair reports whether the same two accesses are out of order in both states.
func samePair(a, b *verdict.State) bool {
	if b.Cause == nil {
		return false
	}
	pair := func(s *verdict.State) string {
		c := s.Cause
		return c.Thread + "\x00" + s.Witness.Steps[c.First].EntryText() + "\x00" + s.Witness.Steps[c.Second].Cell()
	}
	return pair(a) == pair(b)
}

// likelySites returns the sites to try: those between the two accesses in the text first, the nearest to the second
// access first, then those after the store.
func likelySites(sites []ir.FenceSite, file string, hint *verdict.FenceHint) []ir.SiteID {
	if hint.After == nil || hint.Before == nil || hint.After.File != file {
		return nil
	}
	after, before := hint.After, hint.Before
	// rank is the number of lines and columns from the store, less for sites between the accesses.
	rank := func(p source.Pos) int {
		distance := (p.Line-after.Line)*1000 + p.Col - after.Col
		between := distance > 0 && (p.Line < before.Line || p.Line == before.Line && p.Col <= before.Col)
		switch {
		case between:
			return -distance
		case distance > 0:
			return distance
		default:
			return 1_000_000_000 - distance
		}
	}
	var out []ir.SiteID
	for i := range sites {
		if !sites[i].ReadOnly && sites[i].Pos.File == file {
			out = append(out, ir.SiteID(i))
		}
	}
	slices.SortStableFunc(out, func(a, b ir.SiteID) int {
		return cmp.Compare(rank(sites[a].Pos.Pos), rank(sites[b].Pos.Pos))
	})
	return out[:min(len(out), maxTries)]
}
