package explorer

import (
	"fencepost/internal/lesson"
	"fencepost/query"
)

// TaskAnswer says whether a program keeps to its task. What the task expects of the memory models is asked with check.
type TaskAnswer struct {
	Words   string   `json:"words"`
	Problem string   `json:"problem"` // "": it keeps to the task
	Models  []string `json:"models"`  // under which it must be safe
}

func (a *asking) task() (any, error) {
	task, ok := lesson.Read(a.Task)
	if !ok {
		return nil, &Failure{Kind: BadRequest, Message: "the task needs comments with task: and fences: at most N"}
	}
	answer := &TaskAnswer{Words: task.Words, Problem: task.Problem(a.Text), Models: []string{}}
	for _, m := range []query.Model{query.SC, query.TSO, query.PSO} {
		if task.Expects(string(m) + "=safe") {
			answer.Models = append(answer.Models, string(m))
		}
	}
	return answer, nil
}
