package supervise

import (
	"context"
	"sync"
	"time"
)

// scope remembers abandoned work.
type scope struct {
	mu        sync.Mutex
	abandoned []<-chan struct{} // each is closed when its work has ended
}

type scopeKey struct{}

// WithScope returns a context with a scope: the one that it has already, or a new one.
func WithScope(ctx context.Context) context.Context {
	if ctx.Value(scopeKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, scopeKey{}, &scope{})
}

// Wait returns when no abandoned work of the context's scope runs any more.
func Wait(ctx context.Context) {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	if s == nil {
		return
	}
	s.mu.Lock()
	list := s.abandoned
	s.abandoned = nil
	s.mu.Unlock()
	for _, ended := range list {
		<-ended
	}
}

// abandon leaves work to itself. The work closes ended when it has ended.
func abandon(ctx context.Context, ended <-chan struct{}) {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	if s == nil {
		return
	}
	select {
	case <-ended:
		return
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = append(s.abandoned, ended)
}

// TimeLimit sets the time limit of a question; 0: none. The caller calls the function that it returns at the end.
func TimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// Grace returns how long a stage may take to notice the end of its context: as long as the time limit again, but not much
// more than a second.
func Grace(limit time.Duration) time.Duration {
	if limit <= 0 {
		return time.Second
	}
	return min(limit, time.Second) + time.Second
}
