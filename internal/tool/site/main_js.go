package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"
	"time"

	"fencepost/internal/explorer"
)

// searchTime is the limit of a search for each model. The page cancels a search by ending its worker.
const searchTime = 5 * time.Minute

// pace is the least time between two reports of progress.
const pace = 200 * time.Millisecond

func main() {
	js.Global().Set("fencepostAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		kind, body, send := args[0].String(), args[1].String(), args[2]
		go answer(kind, body, send)
		return nil
	}))
	js.Global().Call("fencepostReady")
	select {} // requests come as events
}

// line is an answer, progress or a failure, as the server sends them.
type line struct {
	Progress *explorer.Progress `json:"progress,omitempty"`
	Answer   any                `json:"answer,omitempty"`
	Failure  *explorer.Failure  `json:"failure,omitempty"`
}

func answer(kind, body string, send js.Value) {
	last := time.Now()
	report := func(p explorer.Progress) {
		if time.Since(last) >= pace {
			last = time.Now()
			send.Invoke(encode(line{Progress: &p}))
		}
	}
	found, err := explorer.Ask(context.Background(), kind, []byte(body), explorer.Limits{Timeout: searchTime, Workers: 1}, report)
	if failed := (*explorer.Failure)(nil); errors.As(err, &failed) {
		send.Invoke(encode(line{Failure: failed}))
		return
	}
	send.Invoke(encode(line{Answer: found}))
}

func encode(l line) string {
	text, err := json.Marshal(l)
	if err != nil {
		panic(fmt.Sprintf("BUG: an answer has no JSON form: %v", err))
	}
	return string(text)
}
