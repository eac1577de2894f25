package html

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// repair is an answer about fences: the fences, what each prevents, and the changed text.
type repair struct {
	Cost      string
	Fences    []fenceRow
	Orders    []orderRow
	OrderCost string
	Elsewhere []fenceRow // a set that would do if all of the text could be changed
	Redundant []fenceRow
	Optimal   []string // sets of the same cost
	Patches   []patch
}

type fenceRow struct {
	Number  int
	Where   string
	Kind    string
	Beside  string // before or after
	Before  string // the text beside it, or its own
	Cost    int64
	Copies  string // of machine code: that it is before several instructions
	Without string // what is possible without it
	Address string // of the execution, or ""
}

// orderRow is an access with the order that is written and the one that is needed.
type orderRow struct {
	Number                         int
	Where, Access, Written, Needed string
	Cost, Text, Without, Address   string
}

// orderRows returns the table of accesses, and what they cost on each processor.
func orderRows(r *verdict.Result, address map[string]string) (rows []orderRow, costs string) {
	for i := range r.Repair.Orders {
		o := &r.Repair.Orders[i]
		row := orderRow{
			Number: i + 1, Where: positionText(o.Pos), Access: o.Access, Written: o.Written, Needed: o.Order,
			Cost: fmt.Sprint(o.Cost), Text: o.Label, Address: address[fmt.Sprintf("without order %d", i+1)],
		}
		if o.Cost != o.CostWritten {
			row.Cost = fmt.Sprintf("%d → %d", o.CostWritten, o.Cost)
		}
		if hasWitness(o.Without) {
			row.Without = o.Without.Reason()
		}
		rows = append(rows, row)
	}
	var list []string
	for _, c := range r.Repair.Processors {
		list = append(list, fmt.Sprintf("%s %d → %d", c.Name, c.Before, c.After))
	}
	return rows, strings.Join(list, ", ")
}

// patch is a changed file, side by side.
type patch struct {
	File string
	Rows []diffRow
}

// diffRow is a line before and after. A gap stands between two parts of the file.
type diffRow struct {
	Gap            bool
	Old, New       int // line numbers, 0: none
	Before, After  string
	Removed, Added bool
}

// repair sets the answer about fences.
func (v *result) repair(r *verdict.Result, all []verdict.Execution) {
	v.Word, v.Under = strings.TrimPrefix(text.Headline(r), r.Program+": "), ""
	if head, rest, ok := strings.Cut(v.Word, ": "); ok {
		v.Word = head
		if r.Verdict != verdict.Safe {
			v.Reason = rest
		}
	}
	address := map[string]string{}
	for i := range all {
		address[all[i].Name] = fmt.Sprintf("#%se%d", v.ID, i+1)
	}
	one := &repair{}
	if len(r.Fences) > 0 {
		one.Cost = fmt.Sprintf("%s, cost %d. No cheaper set suffices.", plural(len(r.Fences), "fence"), r.Cost)
		if r.Verdict != verdict.Safe {
			one.Cost = fmt.Sprintf("%s, cost %d.", plural(len(r.Fences), "fence"), r.Cost)
		}
	}
	for i := range r.Fences {
		row := newFenceRow(r, &r.Fences[i], i)
		row.Address = address[fmt.Sprintf("without fence %d", i+1)]
		one.Fences = append(one.Fences, row)
	}
	one.Orders, one.OrderCost = orderRows(r, address)
	for i := range r.Repair.Elsewhere {
		one.Elsewhere = append(one.Elsewhere, newFenceRow(r, &r.Repair.Elsewhere[i], i))
	}
	for i := range r.Repair.Redundant {
		one.Redundant = append(one.Redundant, newFenceRow(r, &r.Repair.Redundant[i], i))
	}
	if len(r.Repair.Optimal) > 1 {
		for _, set := range r.Repair.Optimal {
			one.Optimal = append(one.Optimal, text.SetText(set))
		}
		if r.Repair.More {
			one.Optimal = append(one.Optimal, "and more")
		}
	}
	for _, p := range r.Repair.Patches {
		one.Patches = append(one.Patches, patch{p.File, sideBySide(p.Diff)})
	}
	v.Repair = one
}

func newFenceRow(r *verdict.Result, f *verdict.Fence, i int) fenceRow {
	word, statement := text.FenceBeside(r, f)
	row := fenceRow{Number: i + 1, Where: positionText(f.Pos), Kind: f.Kind, Beside: word, Before: statement, Cost: f.Cost, Copies: text.InstructionsText(f)}
	if f.Kind == "ss" {
		row.Kind = "store-store"
	}
	if b := f.Without; b != nil && (b.Attack != nil || b.Violation != nil) {
		row.Without = b.Reason()
	}
	return row
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", text.Count(int64(n)), what)
}

// sideBySide turns a unified difference into lines beside each other: lines that were replaced stand beside
// their replacements, in order.
func sideBySide(diff string) []diffRow {
	var rows []diffRow
	old, now := 0, 0
	var removed, added []diffRow
	flush := func() {
		for i := range max(len(removed), len(added)) {
			var row diffRow
			if i < len(removed) {
				row.Old, row.Before, row.Removed = removed[i].Old, removed[i].Before, true
			}
			if i < len(added) {
				row.New, row.After, row.Added = added[i].New, added[i].After, true
			}
			rows = append(rows, row)
		}
		removed, added = nil, nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			flush()
			old, now = hunkStart(line)
			if len(rows) > 0 {
				rows = append(rows, diffRow{Gap: true})
			}
		case old == 0: // the names of the files
		case strings.HasPrefix(line, "-"):
			removed = append(removed, diffRow{Old: old, Before: line[1:]})
			old++
		case strings.HasPrefix(line, "+"):
			added = append(added, diffRow{New: now, After: line[1:]})
			now++
		case strings.HasPrefix(line, " "), line == "":
			flush()
			line = strings.TrimPrefix(line, " ")
			rows = append(rows, diffRow{Old: old, New: now, Before: line, After: line})
			old, now = old+1, now+1
		}
	}
	flush()
	return rows
}

// hunkStart returns the line numbers in "@@ -12,7 +12,8 @@".
func hunkStart(line string) (old, now int) {
	for _, field := range strings.Fields(line) {
		number, _, _ := strings.Cut(strings.TrimLeft(field, "-+"), ",")
		n, err := strconv.Atoi(number)
		switch {
		case err != nil:
		case strings.HasPrefix(field, "-"):
			old = max(1, n)
		case strings.HasPrefix(field, "+"):
			now = n
		}
	}
	return old, now
}
