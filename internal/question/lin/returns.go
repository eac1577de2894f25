package lin

import (
	"context"

	"fencepost/internal/memory"
	"fencepost/query"
)

// When has a call returned? Under TSO and PSO its stores can wait in a buffer then. Three answers:
//
//   - as programs can know (the default): when its stores have reached memory, since a thread that says in memory that the
//     call has returned says so after these stores;
//   - drains: every call ends with a full fence, which makes a difference to later calls of its thread;
//   - open: at once, which a clock outside of the program can tell.
//
// What is right as open is right by default, and what is right by default is right as drains. A client imposes open
// orders without draining a buffer: a flag, which another thread sets, lets the later call begin, and the earlier
// one has seen after its end that the flag was not set. Loads leave stores in the buffer.

// returnHints says of a client that goes wrong whether it goes wrong with the other answers, too.
func (q *question) returnHints(ctx context.Context, s *search, c *client) []string {
	if s.model != memory.TSO && s.model != memory.PSO {
		return nil
	}
	switch q.opt.Return {
	case query.ReturnOpen:
		if fails, known := q.failsIf(ctx, s.model, "", c); known && !fails {
			return []string{"only a clock outside of the program sees this: as far as programs can know when calls have returned, this client is right"}
		}
	case "":
		if fails, known := q.failsIf(ctx, s.model, query.ReturnDrains, c); known && !fails {
			return []string{"with a full fence at the end of every call (--return drains), this client is right"}
		}
	}
	return nil
}

// openHint says whether clients with two calls go wrong if calls return with their stores in the buffer.
func (q *question) openHint(ctx context.Context, s *search) []string {
	if q.opt.Return != "" || s.model != memory.TSO && s.model != memory.PSO || s.kind != nil {
		return nil
	}
	for _, c := range clients(q.object, 2, 0, q.drains) {
		fails, known := q.failsIf(ctx, s.model, query.ReturnOpen, c)
		if !known {
			return nil
		}
		if fails {
			return []string{"a clock outside of the program can see a call return before its stores are in memory, and then " + c.String() + " goes wrong (--return open)"}
		}
	}
	return nil
}

// failsIf reports whether a client goes wrong where calls return in another way, and whether that is known.
func (q *question) failsIf(ctx context.Context, model memory.Model, returns query.Return, c *client) (fails, known bool) {
	s, err := q.searchIf(ctx, model, returns)
	if err != nil {
		return false, false
	}
	wrong, failed, err := s.inClient(ctx, c)
	return wrong != nil || failed, err == nil
}
