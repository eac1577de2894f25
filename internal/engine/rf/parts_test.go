package rf_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

var divided = flag.Int("fp.divided", 150, "random programs that are explored in parts")

var identity = sha256.Sum256([]byte("a program"))

func parts(t testing.TB, task *engine.Task) *rf.Parts {
	t.Helper()
	p, err := rf.NewParts(task, identity)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// whole explores everything at once.
func whole(t testing.TB, task *engine.Task) *rf.Found {
	t.Helper()
	p := parts(t, task)
	var cells []rf.Span
	for {
		found, left, err := p.Explore(context.Background(), [][]byte{p.Root(cells)}, rf.Limit{})
		if err != nil || len(left) > 0 {
			t.Fatal(err, len(left))
		}
		if !found.Torn {
			return found
		}
		cells = found.Cells
	}
}

// piecewise explores in portions with random limits, of random tasks, each with an exploration of its own as another
// process would have it. It adds up what they found in a random order.
func piecewise(t testing.TB, task *engine.Task, rng *rand.Rand) (*rf.Found, int) {
	t.Helper()
	portions := 0
	var cells []rf.Span
again:
	pending, all := [][]byte{parts(t, task).Root(cells)}, []*rf.Found{}
	names := map[string]bool{}
	for len(pending) > 0 {
		p := parts(t, task)
		var some [][]byte
		for range 1 + rng.IntN(min(3, len(pending))) {
			i := rng.IntN(len(pending))
			some, pending = append(some, pending[i]), slices.Delete(pending, i, i+1)
		}
		limit := rf.Limit{Graphs: 1 + rng.Int64N(40), Workers: 1 + rng.IntN(3)}
		if rng.IntN(3) == 0 {
			limit.Graphs, limit.Executions = 0, 1+rng.Int64N(10)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if rng.IntN(8) == 0 {
			cancel() // noticed after some graphs
			limit.Graphs, limit.Executions = 0, 0
		}
		found, left, err := p.Explore(ctx, some, limit)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		portions++
		all = append(all, stored(t, found))
		if found.Stopped {
			break
		}
		for _, data := range left {
			if name := string(data[len(data)-32:]); names[name] {
				t.Fatal("two tasks have one name")
			} else {
				names[name] = true
			}
		}
		pending = append(pending, left...)
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	sum := &rf.Found{}
	for _, f := range all {
		sum.Add(f)
	}
	if sum.Torn {
		cells = sum.Cells
		goto again
	}
	return sum, portions
}

// stored writes what was found down and reads it again.
func stored(t testing.TB, f *rf.Found) *rf.Found {
	t.Helper()
	text, err := json.Marshal(f)
	var back rf.Found
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &back
}

// differs says in what two explorations of everything differ, "" if in nothing.
func differs(a, b *rf.Found) string {
	if d := math.Abs(a.Part-1) + math.Abs(b.Part-1); d > 1e-6 && !a.Stopped && !b.Stopped {
		return fmt.Sprintf("the parts are %g and %g of the exploration", a.Part, b.Part)
	}
	keys := func(f *rf.Found) string {
		var all []string
		for _, v := range f.Violations {
			all = append(all, v.Key)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	if keys(a) != keys(b) {
		return fmt.Sprintf("violations: %s; %s", keys(a), keys(b))
	}
	c, d := *a, *b
	c.Part, c.Bytes, c.Violations, d.Part, d.Bytes, d.Violations = 0, 0, nil, 0, 0, nil
	if x, y := fmt.Sprintf("%+v", c), fmt.Sprintf("%+v", d); x != y {
		return x + "\n" + y
	}
	return ""
}

// compare explores a task at once, in pieces and by the engine.
func compare(t testing.TB, task *engine.Task, rng *rand.Rand) (what string, portions int) {
	t.Helper()
	want := whole(t, task)
	got, portions := piecewise(t, task, rng)
	switch {
	case strings.Contains(want.Unknown, "rf does not take") && got.Unknown == want.Unknown:
		return "", 0
	case want.Unknown != "":
		return "not explored: " + want.Unknown, 0
	}
	if d := differs(want, got); d != "" {
		return d, portions
	}
	one, err := rf.Engine.Run(context.Background(), task)
	if err != nil {
		return err.Error(), portions
	}
	out, err := parts(t, task).Outcome(got)
	if err != nil {
		return err.Error(), portions
	}
	one.Stats.Seconds, one.Stats.Bytes, out.Stats.Bytes = 0, 0, 0
	for _, o := range []*engine.Outcome{one, out} {
		slices.SortFunc(o.Violations, func(a, b engine.Violation) int { return strings.Compare(violation(a), violation(b)) })
		for i := range o.Violations {
			o.Violations[i].Witness = nil
			if o.Violations[i].Kind == engine.DataRace { // the first one that was met
				o.Violations[i].StoreStep, o.Violations[i].LoadStep = 0, 0
			}
		}
	}
	if !reflect.DeepEqual(one, out) {
		return fmt.Sprintf("one run %+v\nin parts %+v", one, out), portions
	}
	return "", portions
}

func violation(v engine.Violation) string {
	return fmt.Sprint(v.Kind, v.Class, v.Edge, v.Goal, v.Final)
}

// TestParts: an exploration that is divided at random points finds exactly what one run finds, on random programs of
// all kinds.
func TestParts(t *testing.T) {
	total, taken := 0, 0
	profiles := slices.Concat([]testkit.Profile{{Name: "spins", Spins: true}, {Name: "goal", Goal: true}, {Name: "overlap", Overlap: true}, {Name: "heap", Heap: true}}, testkit.Rare, testkit.Profiles)
	for i := range fewer(*divided) {
		seed := uint64(*firstSeed + i)
		pr := profiles[seed%uint64(len(profiles))]
		flat, props := testkit.Generate(seed, pr).Flat()
		if (&engine.Task{Program: flat, Props: props, Model: memory.SC}).GoalsByLocation("rf") != nil {
			props.Goals = nil
		}
		for k, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true, Finals: seed%2 == 0, Limits: engine.Limits{Unroll: 2}}
			if rf.Engine.Supports(task) != nil {
				continue
			}
			what, portions := compare(t, task, rand.New(rand.NewPCG(seed, uint64(k))))
			if what != "" {
				t.Fatalf("profile %s, seed %d, %s: %s\n%s", pr.Name, seed, m, what, irtext.Print(flat))
			}
			total += portions
			taken++
		}
	}
	t.Logf("%d portions of %d explorations", total, taken)
	if total < 2*taken && !testing.Short() {
		t.Error("hardly anything was divided")
	}
}

// TestPartsOfFamilies: the same on programs whose number of classes is known.
func TestPartsOfFamilies(t *testing.T) {
	for _, f := range families(4) {
		p := program(t, f.threads...)
		for k, m := range testkit.Models {
			task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
			if what, _ := compare(t, task, rand.New(rand.NewPCG(1, uint64(k)))); what != "" {
				t.Errorf("%s under %s: %s", f.name, m, what)
			}
			if n := whole(t, task).All(); n != f.want[k] {
				t.Errorf("%s under %s: %d classes, want %d", f.name, m, n, f.want[k])
			}
		}
	}
}

// TestSplit: splitting a task is deterministic, gives at least as many tasks as were asked for if there are that many,
// and loses nothing.
func TestSplit(t *testing.T) {
	for _, f := range families(4) {
		p := program(t, f.threads...)
		task := &engine.Task{Program: p, Props: &property.Set{}, Model: memory.TSO, KeepGoing: true}
		want := whole(t, task)
		for _, n := range []int{1, 2, 7, 16, 1000} {
			sum, tasks, err := parts(t, task).Split(context.Background(), parts(t, task).Root(nil), n)
			_, again, err2 := parts(t, task).Split(context.Background(), parts(t, task).Root(nil), n)
			if err != nil || err2 != nil || !slices.EqualFunc(tasks, again, bytes.Equal) {
				t.Fatalf("%s: %v %v, or split in another way", f.name, err, err2)
			}
			if len(tasks) > 0 && len(tasks) < n {
				t.Errorf("%s: %d tasks of %d", f.name, len(tasks), n)
			}
			for _, one := range tasks {
				more, left, err := parts(t, task).Explore(context.Background(), [][]byte{one}, rf.Limit{})
				if err != nil || len(left) > 0 {
					t.Fatal(err)
				}
				sum.Add(more)
			}
			if d := differs(want, sum); d != "" {
				t.Errorf("%s in %d: %s", f.name, n, d)
			}
		}
	}
}

// TestDamagedTasks: every changed byte, every shorter task and every task of another exploration is refused.
func TestDamagedTasks(t *testing.T) {
	task := &engine.Task{Program: program(t, families(3)[3].threads...), Props: &property.Set{}, Model: memory.TSO}
	p := parts(t, task)
	_, tasks, err := p.Split(context.Background(), p.Root(nil), 5)
	if err != nil {
		t.Fatal(err)
	}
	data := tasks[len(tasks)-1]
	refused := func(what string, bad []byte) {
		t.Helper()
		found, left, err := p.Explore(context.Background(), [][]byte{bad}, rf.Limit{})
		if !errors.Is(err, rf.ErrTask) || found != nil || left != nil || !errors.Is(p.Check(bad), rf.ErrTask) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if err := p.Check(data); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		refused(fmt.Sprintf("byte %d", i), bad)
		refused(fmt.Sprintf("the first %d bytes", i), data[:i])
	}
	refused("a longer one", append(bytes.Clone(data), 0))
	other, err := rf.NewParts(task, sha256.Sum256([]byte("another program")))
	if err != nil {
		t.Fatal(err)
	}
	refused("of another exploration", other.Root(nil))
}

// TestForgedTasks: a task with a right checksum, whatever it says, is explored or refused. Only what the exploration itself
// notices, by a broken invariant, is another error.
func TestForgedTasks(t *testing.T) {
	task := &engine.Task{Program: program(t, families(3)[3].threads...), Props: &property.Set{}, Model: memory.TSO, Limits: engine.Limits{Unroll: 2}}
	p := parts(t, task)
	_, tasks, err := p.Split(context.Background(), p.Root(nil), 5)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 3000 {
		bad := bytes.Clone(tasks[rng.IntN(len(tasks))])
		bad = bad[:len(bad)-32]
		for range 1 + rng.IntN(3) {
			bad[69+rng.IntN(len(bad)-69)] = byte(rng.Uint32())
		}
		sum := sha256.Sum256(bad)
		bad = append(bad, sum[:]...)
		_, _, err := p.Explore(context.Background(), [][]byte{bad}, rf.Limit{Graphs: 100})
		if err != nil {
			refused++
		}
	}
	t.Logf("%d of 3000 refused", refused)
	if refused < 1000 {
		t.Errorf("only %d refused", refused)
	}
}
