package server

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// warnings takes the messages of NATS, and hands on the ones about failures.
type warnings struct {
	warn func(string)
	mu   sync.Mutex
	last map[string]time.Time
}

// harmless are parts of warnings that are no reason to worry here.
var harmless = []string{
	"Plaintext passwords", "Maximum payload",
	// A client that is no client of ours, or has no right to be one.
	"Client parser ERROR", "Authorization Violation", "authentication error", "TLS handshake", "Readloop",
	// What NATS computes again after it was killed.
	"Stream state",
}

// writeError reports whether a message is about something that could not be written.
func writeError(text string) bool {
	return strings.Contains(text, "write error") || strings.Contains(text, "no space left")
}

// sayAgain is how long the same message is not repeated.
const sayAgain = 8 * time.Second

func (w *warnings) hand(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	if !writeError(text) {
		for _, part := range harmless {
			if strings.Contains(text, part) {
				return
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil || len(w.last) > 100 {
		w.last = map[string]time.Time{}
	}
	if time.Since(w.last[text]) < sayAgain {
		return
	}
	w.last[text] = time.Now()
	w.warn("NATS: " + text)
}

func (w *warnings) Warnf(format string, args ...any)  { w.hand(format, args...) }
func (w *warnings) Errorf(format string, args ...any) { w.hand(format, args...) }
func (w *warnings) Fatalf(format string, args ...any) { w.hand(format, args...) }
func (w *warnings) Noticef(string, ...any)            {}
func (w *warnings) Debugf(string, ...any)             {}
func (w *warnings) Tracef(string, ...any)             {}
