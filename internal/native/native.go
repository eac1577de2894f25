package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"fencepost/internal/scratch"
	"fencepost/internal/stress"
	"fencepost/query"
)

// Compiler runs stress programs.
type Compiler struct {
	path string
	// Seconds is for how long each program runs.
	Seconds float64
}

// compilers are looked for in this order.
var compilers = []string{"gcc", "clang", "cc"}

// Find returns a compiler at hand. The error is a *query.UnavailableError.
func Find(seconds float64) (*Compiler, error) {
	return find(runtime.GOOS, runtime.GOARCH, seconds)
}

func find(system, processor string, seconds float64) (*Compiler, error) {
	if system != "linux" || processor != "amd64" {
		return nil, &query.UnavailableError{
			Message: fmt.Sprintf("stress needs x86-64 and Linux, but this machine is %s/%s", system, processor),
			Hint:    "`fencepost litmus` says on any machine what the model allows",
		}
	}
	for _, name := range compilers {
		if path, err := exec.LookPath(name); err == nil {
			return &Compiler{path: path, Seconds: seconds}, nil
		}
	}
	return nil, &query.UnavailableError{Message: "no C compiler found: looked for " + strings.Join(compilers, ", "), Hint: "install gcc or clang, for instance with `apt-get install gcc libc6-dev`"}
}

// Run compiles a program, runs it and returns what it prints. If the compiler refuses
// the program the error is a *stress.CompileError.
func (c *Compiler) Run(ctx context.Context, p stress.Program) ([]byte, error) {
	dir, remove, err := scratch.Dir("fencepost-stress-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the stress program: %w", err)
	}
	defer remove()
	if err := os.WriteFile(filepath.Join(dir, "stress.c"), []byte(p.Text), 0o600); err != nil {
		return nil, fmt.Errorf("writing the stress program: %w", err)
	}
	if err := c.compile(ctx, dir); err != nil {
		return nil, err
	}
	return c.execute(ctx, filepath.Join(dir, "stress"))
}

// compile makes the program. The accesses of a test are volatile or assembler, so the
// compiler may optimize what is between them. A program at an address of its own in each
// run gives nothing away to a test that goes wrong.
func (c *Compiler) compile(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, c.path, "-O2", "-std=gnu11", "-w", "-pthread", "-fPIE", "-pie", "-fno-stack-protector", "-fcf-protection=none",
		"-Wl,-z,relro,-z,now", "-o", "stress", "stress.c")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		return &stress.CompileError{Message: firstError(out)}
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", c.path, errors.Join(err, ctx.Err()))
	}
	return nil
}

// firstError is the first line of a compiler's output that speaks of an error.
func firstError(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, l := range lines {
		if _, message, ok := strings.Cut(l, "rror: "); ok {
			return message
		}
	}
	return lines[0]
}

func (c *Compiler) execute(ctx context.Context, path string) ([]byte, error) {
	// The program ends itself after twice its time and ten seconds, and has a limit of
	// processor time. What is still there much later hangs.
	limit := time.Duration((2*c.Seconds + 600) * float64(time.Second))
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, strconv.FormatFloat(c.Seconds, 'f', -1, 64))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if len(out) > 0 && ctx.Err() == nil { // it says itself what went wrong
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("running the stress program: %w", errors.Join(err, ctx.Err()))
	}
	return out, nil
}
