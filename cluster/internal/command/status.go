package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fencepost/cluster/internal/store"
	"fencepost/internal/cli"
	"fencepost/internal/render/text"
	"fencepost/query"

	"github.com/spf13/cobra"
)

// answerTime is how long a server may take to answer a small question.
const answerTime = 30 * time.Second

func (p *tool) statusCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "status", Short: "List checks and workers", Args: cobra.NoArgs,
		Long:    "List the checks on a server, with their tasks, rate and an estimate, and the workers.",
		Example: "  fencepost-cluster status --server nats://127.0.0.1:4222",
		RunE:    func(*cobra.Command, []string) error { return p.status(asJSON) },
	}
	p.access.flags(cmd.Flags(), "server", "the server to ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// jobStatus is how far a check is.
type jobStatus struct {
	ID      string      `json:"id"`
	State   store.State `json:"state"`
	Reason  string      `json:"reason,omitempty"`
	Title   string      `json:"title"`
	Model   string      `json:"model"`
	Created time.Time   `json:"created"`
	Seconds float64     `json:"seconds"`
	// Tasks are known so far; Open of them have no record, Waiting are in the queue, Taken are with workers.
	Tasks      int     `json:"tasks"`
	Open       int     `json:"open"`
	Waiting    int     `json:"waiting"`
	Taken      int     `json:"taken"`
	Executions int64   `json:"executions"`
	Rate       float64 `json:"executions_per_second"`
	AtLeast    int64   `json:"at_least_executions"` // of the whole check; how many there are is known at the end
}

// GoesOn reports whether the check goes on.
func (j *jobStatus) GoesOn() bool { return j.State == store.Open }

// clusterStatus has the checks and the workers of a server.
type clusterStatus struct {
	Checks  []jobStatus  `json:"checks"`
	Workers []seenWorker `json:"workers"`
	Trouble string       `json:"-"` // of the server; "": none
}

func newClusterStatus() *clusterStatus {
	return &clusterStatus{Checks: []jobStatus{}, Workers: []seenWorker{}}
}

func (c *clusterStatus) json(out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(c)
}

func (p *tool) status(asJSON bool) error {
	status, err := p.snapshot(context.Background(), "status")
	if err != nil {
		return err
	}
	if status.Trouble != "" {
		p.say(status.Trouble)
	}
	if asJSON {
		return status.json(p.stdout)
	}
	p.printStatus(status.Checks, status.Workers)
	return nil
}

// snapshot asks the server how far everything is, for a command.
func (p *tool) snapshot(ctx context.Context, command string) (*clusterStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	s, closeStore, err := p.connect(ctx, command, 0)
	if errors.Is(err, store.ErrEmpty) {
		return newClusterStatus(), nil
	}
	if err != nil {
		return nil, err
	}
	defer closeStore()
	jobs, err := s.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	out := newClusterStatus()
	for _, job := range jobs {
		one, err := statusOf(ctx, s, job)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil { // the others are still shown
			one.Reason = strings.TrimPrefix(one.Reason+"; "+store.Message(err), "; ")
		}
		out.Checks = append(out.Checks, one)
	}
	workers, last, err := s.Workers(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.Probe(ctx, command)
	if err != nil { // the server stores nothing: its clock is not known
		out.Trouble = store.Message(err)
		now = last
	}
	out.Workers = seenAt(workers, now)
	return out, nil
}

// seenWorker is a worker, with how long ago the server heard of it.
type seenWorker struct {
	store.Worker
	Ago    float64 `json:"seconds_since_seen"`
	Silent bool    `json:"silent"` // it is taken for gone
}

func seenAt(workers []store.Worker, now time.Time) []seenWorker {
	out := []seenWorker{}
	for _, w := range workers {
		ago := max(now.Sub(w.Seen), 0)
		out = append(out, seenWorker{w, ago.Seconds(), ago > store.Silence})
	}
	return out
}

func statusOf(ctx context.Context, s *store.Store, job *store.Job) (jobStatus, error) {
	end := job.Ended
	if end.IsZero() {
		end = time.Now()
	}
	out := jobStatus{ID: job.ID, State: job.State, Reason: job.Reason, Title: job.Title, Model: job.Model, Created: job.Created, Seconds: end.Sub(job.Created).Seconds()}
	tree, err := s.Tree(ctx, job)
	if err != nil {
		return out, err
	}
	out.Tasks, out.Open = tree.Tasks()
	out.Executions, out.AtLeast = tree.Executions(), tree.AtLeast()
	if out.Seconds > 0 {
		out.Rate = float64(out.Executions) / out.Seconds
	}
	if job.State == store.Open {
		out.Waiting, out.Taken, err = s.Queue(ctx, job)
	}
	return out, err
}

func (p *tool) printStatus(list []jobStatus, workers []seenWorker) {
	if len(list) == 0 {
		fmt.Fprintln(p.stdout, "no checks")
	} else {
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "CHECK\tSTATE\tPROGRAM\tMODEL\tTASKS\tLEFT\tEXECUTIONS\tPER SECOND\tIN ALL\tTIME")
		for _, j := range list {
			all := "-"
			if j.GoesOn() {
				all = "at least " + text.Count(j.AtLeast)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%v\n", j.ID, j.State, j.Title, j.Model,
				text.Count(int64(j.Tasks)), text.Count(int64(j.Open)), text.Count(j.Executions), text.Count(int64(j.Rate)), all, time.Duration(j.Seconds*float64(time.Second)).Round(time.Second))
		}
		w.Flush()
		for _, j := range list {
			if j.Reason != "" {
				fmt.Fprintf(p.stdout, "%s: %s\n", j.ID, j.Reason)
			}
		}
	}
	fmt.Fprintln(p.stdout)
	if len(workers) == 0 {
		fmt.Fprintln(p.stdout, "no workers: start one with `fencepost-cluster worker --join URL --token-file FILE`")
		return
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WORKER\tHOST\tSLOTS\tTASKS\tEXECUTIONS\tLAST SEEN\tVERSION")
	for _, k := range workers {
		seen := fmt.Sprintf("%.0f s ago", k.Ago)
		if k.Silent {
			seen += ", silent"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", k.ID, k.Host, k.Slots, text.Count(k.Tasks), text.Count(k.Executions), seen, k.Version)
	}
	w.Flush()
	for _, k := range workers {
		if k.Trouble != "" {
			fmt.Fprintf(p.stdout, "%s: %s\n", k.ID, k.Trouble)
		}
	}
}

func (p *tool) resultCommand(printer cli.Printer) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "result CHECK", Short: "Print the answer of a check", Args: cobra.ExactArgs(1),
		Long:    "Print the answer of a check that was submitted with --detach or --keep. Violations are\nreplayed here. The answer of a check that goes on is unknown.",
		Example: "  fencepost-cluster result JpVRq0gIhGp6kqgDRHLvCY",
		RunE: func(_ *cobra.Command, args []string) error {
			return printer(asJSON, func(ctx context.Context, _ func(query.Progress)) (query.Answer, error) {
				s, closeStore, err := p.connect(ctx, "result", 0)
				if err != nil {
					return query.Answer{}, unknownCheck(err)
				}
				defer closeStore()
				p.ask.Store = s
				answer, err := p.ask.Result(ctx, args[0])
				return answer, p.failure(unknownCheck(err))
			})
		},
	}
	p.access.flags(cmd.Flags(), "server", "the server to ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results as JSON")
	return cmd
}

// unknownCheck makes a mistake of the user of an error about a name.
func unknownCheck(err error) error {
	if errors.Is(err, store.ErrUnknownJob) || errors.Is(err, store.ErrEmpty) {
		return cli.UsageError(err.Error(), "`fencepost-cluster status` lists the checks")
	}
	return err
}

func (p *tool) cancelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "cancel CHECK", Short: "Give up a check, or forget one that has ended", Args: cobra.ExactArgs(1),
		Long:    "Give up a check: workers stop to explore it, and its asker gets what is known\nso far. A check that has ended is removed from the server.",
		Example: "  fencepost-cluster cancel JpVRq0gIhGp6kqgDRHLvCY",
		RunE:    func(_ *cobra.Command, args []string) error { return p.cancel(args[0]) },
	}
	p.access.flags(cmd.Flags(), "server", "the server of the check")
	return cmd
}

func (p *tool) cancel(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	s, closeStore, err := p.connect(ctx, "cancel", 0)
	if err != nil {
		return unknownCheck(err)
	}
	defer closeStore()
	job, err := s.Job(ctx, id)
	if err != nil {
		return unknownCheck(err)
	}
	if job.State != store.Open {
		if err := s.Remove(ctx, id); err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s is removed\n", id)
		return nil
	}
	if _, err := s.End(ctx, id, store.Cancelled, "by `cancel`"); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s is cancelled; `cancel` again removes it\n", id)
	return nil
}
