package suite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"fencepost/internal/inputfile"
	"fencepost/internal/lesson"
	"fencepost/query"
	"fencepost/verdict"
)

// Key is a question that programs may have an expectation about.
type Key struct {
	Name    string
	Answers []string // that are possible; nil: any number
	// Ask answers, in the words of Answers or with something else if there is no such
	// answer, such as unknown. nil: nothing here can.
	Ask func(context.Context, Program) (Reply, error)
}

// Program is the argument of Ask.
type Program struct {
	Name    string
	Text    []byte
	Options query.CheckOptions
}

// Reply is an answer.
type Reply struct {
	Answer  string
	Exactly string // a narrower answer than Answer, which an expectation may name instead; "": none
	Detail  string // in a line
	Refused bool   // there is no answer: Detail says why the program is not read
	Result  *verdict.Result
}

func (k Key) allows(want string) bool {
	if k.Answers != nil {
		return slices.Contains(k.Answers, want)
	}
	if want == "" {
		return false
	}
	return strings.Trim(want, "0123456789") == ""
}

func (k Key) answers() string {
	if k.Answers == nil {
		return "a number"
	}
	return strings.Join(k.Answers, ", ")
}

// Programs is a set of programs with expectations to run.
type Programs struct {
	Paths      []string // files and directories
	Extensions []string // of programs in directories
	Keys       []Key
	Tasks      string        // directory with the tasks that the programs are answers to, "": they are none
	Timeout    time.Duration // per program, 0: none
	Workers    int           // programs side by side, 0: one per core
	// Done takes the programs in order. Progress is told how many are done, if not
	// nil. Both are called one at a time.
	Done     func(*verdict.ProgramTest)
	Progress func(done, total int)
}

// found is a program with an expectation, or with something wrong about it.
type found struct {
	path   string
	name   string // as messages about the program name it
	text   []byte
	expect []Expectation
	opt    query.CheckOptions
	err    error
	task   *lesson.Task // that it is an answer to, nil: none
}

// RunAll runs the programs. An error is an *query.InputError, before anything ran.
func (p *Programs) RunAll(ctx context.Context) (verdict.TestSummary, error) {
	start := time.Now()
	var sum verdict.TestSummary
	list, without, err := p.find()
	if err != nil {
		return sum, err
	}
	sum.Without = without
	workers := p.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	inOrder(len(list), workers, func(i int) *verdict.ProgramTest {
		if ctx.Err() != nil {
			return nil
		}
		t := p.one(ctx, &list[i])
		if ctx.Err() != nil && slices.ContainsFunc(t.Outcomes, func(o verdict.TestOutcome) bool { return o.Got == "unknown" }) {
			return nil // because of the interruption, whatever is expected
		}
		return t
	}, func(done int) {
		if p.Progress != nil {
			p.Progress(done, len(list))
		}
	}, func(_ int, t *verdict.ProgramTest) {
		if t == nil {
			sum.NotRun++
			return
		}
		sum.Add(t)
		p.Done(t)
	})
	sum.Seconds = time.Since(start).Seconds()
	return sum, nil
}

// find reads the programs and their expectations. A file that was named must have one.
func (p *Programs) find() (list []found, without int, err error) {
	tests, err := findIn(p.Paths, func(file string) bool {
		return slices.ContainsFunc(p.Extensions, func(ext string) bool { return strings.EqualFold(filepath.Ext(file), ext) })
	}, query.NothingFound(strings.Join(p.Extensions, ", ")))
	if err != nil {
		return nil, 0, err
	}
	for _, t := range tests {
		f := found{path: t.Path, name: t.Path}
		if f.text, f.err = inputfile.Read(t.Path); f.err != nil {
			f.err = fmt.Errorf("cannot be read: %w", reason(f.err))
		} else if p.Tasks == "" && strings.EqualFold(filepath.Ext(t.Path), ArchiveExtension) {
			f.open(p.Keys)
		} else {
			f.expect, f.opt, f.err = p.expected(&f)
		}
		if f.err == nil && len(f.expect) == 0 {
			if t.Found {
				without++
				continue
			}
			f.err = errors.New("no expect: comment")
		}
		list = append(list, f)
	}
	return list, without, nil
}

// expected finds what is expected of a program: by itself, or by the task that it is an answer to.
func (p *Programs) expected(f *found) ([]Expectation, query.CheckOptions, error) {
	if p.Tasks == "" {
		return Expectations(string(f.text), p.Keys)
	}
	name := filepath.Join(p.Tasks, filepath.Base(f.path))
	text, err := inputfile.Read(name)
	if err != nil {
		return nil, query.CheckOptions{}, fmt.Errorf("there is no task %s: %w", name, reason(err))
	}
	task, ok := lesson.Read(string(text))
	expect, opt, err := Expectations(string(text), p.Keys)
	switch {
	case err != nil:
		return nil, opt, fmt.Errorf("the task %s: %v", name, err) // the line is not one of the answer
	case !ok || len(expect) == 0:
		return nil, opt, fmt.Errorf("%s is no task: it needs comments with task:, fences: at most N, and expect: lines", name)
	}
	for i := range expect {
		expect[i].Line = 0 // as above
	}
	f.task = &task
	return expect, opt, nil
}

// asAsked says whether an answer keeps to its task.
func (f *found) asAsked() verdict.TestOutcome {
	o := verdict.TestOutcome{Key: "task", Want: "kept", Got: "kept", Status: verdict.TestPassed}
	if problem := f.task.Problem(string(f.text)); problem != "" {
		o.Got, o.Detail, o.Status = "not kept", problem, verdict.TestFailed
	}
	return o
}

// open reads an archive.
func (f *found) open(keys []Key) {
	a, err := ReadArchive(f.text)
	if f.err = err; err != nil {
		return
	}
	f.name, f.text, f.opt = a.Name, a.Text, a.Options
	f.expect, f.err = a.expectations(keys)
}

func (p *Programs) one(ctx context.Context, f *found) *verdict.ProgramTest {
	start := time.Now()
	t := &verdict.ProgramTest{File: f.path}
	defer func() { t.Seconds = time.Since(start).Seconds() }()
	if f.err != nil {
		t.Problem = f.err.Error()
		if at := (*LineError)(nil); errors.As(f.err, &at) {
			t.Problem, t.Line = at.Message, at.Line
		}
		return t
	}
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Timeout)
		defer cancel()
	}
	if f.task != nil {
		t.Outcomes = append(t.Outcomes, f.asAsked())
	}
	for _, e := range f.expect {
		t.Outcomes = append(t.Outcomes, p.ask(ctx, f, e))
	}
	return t
}

func (p *Programs) ask(ctx context.Context, f *found, e Expectation) verdict.TestOutcome {
	start := time.Now()
	o := verdict.TestOutcome{Key: e.Key, Want: e.Want, Line: e.Line}
	key := p.Keys[slices.IndexFunc(p.Keys, func(k Key) bool { return k.Name == e.Key })]
	if key.Ask == nil {
		o.Status = verdict.TestNotChecked
		return o
	}
	reply, err := key.Ask(ctx, Program{Name: f.name, Text: f.text, Options: f.opt})
	o.Seconds = time.Since(start).Seconds()
	o.Got, o.Detail, o.Result = reply.Answer, reply.Detail, reply.Result
	if reply.Exactly != "" && e.Want == reply.Exactly {
		o.Got = reply.Exactly
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		o.Got, o.Detail, o.Status = "unknown", "time limit reached or interrupted", verdict.TestFailed
	case err != nil:
		o.Detail, o.Status = err.Error(), verdict.TestBroken
	case reply.Refused:
		o.Status = verdict.TestRefused
	case o.Got == e.Want:
		o.Status = verdict.TestPassed
	default:
		o.Status = verdict.TestFailed
	}
	return o
}
