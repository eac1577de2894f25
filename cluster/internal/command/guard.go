package command

import (
	"context"
	"log"
	"time"

	"fencepost/cluster/internal/server"
	"fencepost/cluster/internal/store"
	"fencepost/internal/cli"
)

// guard finds out whether a server still stores what it is given, says so if it does not, and starts NATS again when
// there is room.
type guard struct {
	tool    *tool
	server  *server.Server
	log     *log.Logger
	dir     string
	store   *store.Store
	close   func()
	wrong   string // what was last told; "": all is well
	told    time.Time
	restart bool // NATS must be started again
}

// Times between two questions of a guard to its server.
const (
	guardPause = time.Second
	// probeTime is how long the server may take to store something small.
	probeTime = 6 * time.Second
)

// open makes the store of the server, so that workers find it.
func (g *guard) open(ctx context.Context) error {
	g.tool.access.URL = g.server.URL()
	nc, err := g.server.Connect()
	if err != nil {
		return cli.UsageError(err.Error(), "see `fencepost-cluster serve --help`")
	}
	s, err := store.Connect(ctx, nc, 1, func(err error) { g.tell(store.Message(err)) })
	if err != nil && ctx.Err() == nil {
		nc.Close()
		return g.tool.unusable(err)
	}
	g.store, g.close = s, nc.Close
	return nil
}

// watch guards the server until the context ends.
func (g *guard) watch(ctx context.Context) {
	g.store.Sweep(ctx)
	tick := time.NewTicker(guardPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			g.inspect(ctx)
		}
	}
}

// inspect finds out whether the server stores anything, and starts NATS again if that helps.
func (g *guard) inspect(ctx context.Context) {
	if !g.restart {
		probing, cancel := context.WithTimeout(ctx, probeTime)
		_, err := g.store.Probe(probing, "server")
		cancel()
		health := g.server.Health()
		switch {
		case ctx.Err() != nil:
			return
		case health != "":
			g.restart = true
			g.tell(health)
		case err != nil && store.KindOf(err) == store.Lost:
			if err = g.store.Repair(ctx); err != nil {
				g.tell(store.Message(err))
			}
		case err != nil:
			g.tell(store.Message(err))
		default:
			g.well()
		}
		return
	}
	if err := g.server.Room(); err != nil {
		g.tell("the disk of " + g.dir + " is full: make room, and the server goes on by itself: " + err.Error())
		return
	}
	g.close()
	err := g.server.Restart()
	if err == nil {
		err = g.open(ctx)
	}
	if err != nil {
		g.close = func() {}
		g.tell("NATS cannot be started again: " + err.Error())
		return
	}
	g.restart = false
}

// tell prints what is wrong, the same not too often.
func (g *guard) tell(what string) {
	if g.wrong == what && time.Since(g.told) < sayAgain {
		return
	}
	g.wrong, g.told = what, time.Now()
	g.log.Print(what)
}

// well says that what was wrong is over.
func (g *guard) well() {
	if g.wrong != "" {
		g.log.Print("going on: the server stores again what it is given")
	}
	g.wrong = ""
}
