package command

import (
	"bytes"
	"fmt"
	"strings"

	"fencepost/cluster/internal/store"
)

// metric is a number that Prometheus reads, with its samples.
type metric struct {
	name, help string
	samples    []sampleOf
}

type sampleOf struct {
	labels []string // names and values in turn
	value  float64
}

// add adds a sample.
func (m *metric) add(value float64, labels ...string) {
	m.samples = append(m.samples, sampleOf{labels, value})
}

// labelText writes a value of a label as the text format wants it.
var labelText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (m *metric) write(out *bytes.Buffer) {
	if len(m.samples) == 0 {
		return
	}
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", m.name, m.help, m.name)
	for _, s := range m.samples {
		out.WriteString(m.name)
		for i := 0; i < len(s.labels); i += 2 {
			mark := ","
			if i == 0 {
				mark = "{"
			}
			fmt.Fprintf(out, `%s%s="%s"`, mark, s.labels[i], labelText.Replace(strings.ToValidUTF8(s.labels[i+1], "?")))
		}
		if len(s.labels) > 0 {
			out.WriteByte('}')
		}
		fmt.Fprintf(out, " %v\n", s.value)
	}
}

// metricsOf returns the status in the text format of Prometheus. All numbers are gauges: a record that is lost is
// explored again, so that even executions can become fewer.
func metricsOf(status *clusterStatus, up bool) []byte {
	reached := metric{name: "fencepost_up", help: "1 if the server answers."}
	reached.add(truth(up))
	all := []*metric{&reached}
	if up {
		all = append(all, checkMetrics(status.Checks)...)
		all = append(all, workerMetrics(status.Workers)...)
	}
	var out bytes.Buffer
	for _, m := range all {
		m.write(&out)
	}
	return out.Bytes()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func checkMetrics(checks []jobStatus) []*metric {
	states := metric{name: "fencepost_checks", help: "Checks on the server, by state."}
	count := map[store.State]int{}
	for _, c := range checks {
		count[c.State]++
	}
	for _, s := range store.States {
		states.add(float64(count[s]), "state", string(s))
	}
	tasks := metric{name: "fencepost_check_tasks", help: "Tasks of a check that are known so far."}
	open := metric{name: "fencepost_check_tasks_left", help: "Known tasks of a check without a record."}
	waiting := metric{name: "fencepost_check_tasks_waiting", help: "Tasks of a check in the queue."}
	taken := metric{name: "fencepost_check_tasks_taken", help: "Tasks of a check with workers."}
	executions := metric{name: "fencepost_check_executions", help: "Executions of a check explored so far."}
	least := metric{name: "fencepost_check_executions_at_least", help: "How many executions an open check has in all, at least."}
	seconds := metric{name: "fencepost_check_seconds", help: "How long a check has gone on, or took."}
	for _, c := range checks {
		labels := []string{"check", c.ID, "program", c.Title, "model", c.Model, "state", string(c.State)}
		tasks.add(float64(c.Tasks), labels...)
		open.add(float64(c.Open), labels...)
		waiting.add(float64(c.Waiting), labels...)
		taken.add(float64(c.Taken), labels...)
		executions.add(float64(c.Executions), labels...)
		seconds.add(c.Seconds, labels...)
		if c.GoesOn() {
			least.add(float64(c.AtLeast), labels...)
		}
	}
	return []*metric{&states, &tasks, &open, &waiting, &taken, &executions, &least, &seconds}
}

func workerMetrics(workers []seenWorker) []*metric {
	slots := metric{name: "fencepost_worker_slots", help: "Tasks that a worker explores at the same time."}
	tasks := metric{name: "fencepost_worker_tasks", help: "Tasks that a worker has explored."}
	executions := metric{name: "fencepost_worker_executions", help: "Executions that a worker has explored."}
	seen := metric{name: "fencepost_worker_last_seen_seconds", help: "How long ago the server heard of a worker."}
	silent := metric{name: "fencepost_worker_silent", help: "1 if a worker is taken for gone."}
	for _, w := range workers {
		labels := []string{"worker", w.ID, "host", w.Host}
		slots.add(float64(w.Slots), labels...)
		tasks.add(float64(w.Tasks), labels...)
		executions.add(float64(w.Executions), labels...)
		seen.add(w.Ago, labels...)
		silent.add(truth(w.Silent), labels...)
	}
	return []*metric{&slots, &tasks, &executions, &seen, &silent}
}
