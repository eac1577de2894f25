package native

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"fencepost/internal/stress"
	"fencepost/query"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ system, processor, path, want string }{
		{"linux", "arm64", "/usr/bin", "needs x86-64 and Linux, but this machine is linux/arm64"},
		{"darwin", "amd64", "/usr/bin", "needs x86-64 and Linux, but this machine is darwin/amd64"},
		{"linux", "amd64", "/no/such/directory", "no C compiler found: looked for gcc, clang, cc"},
	} {
		t.Setenv("PATH", c.path)
		_, err := find(c.system, c.processor, 1)
		if un := (*query.UnavailableError)(nil); !errors.As(err, &un) || !strings.Contains(un.Message, c.want) || un.Hint == "" {
			t.Errorf("%s/%s with %s: %v", c.system, c.processor, c.path, err)
		}
	}
}

func compiler(t *testing.T) *Compiler {
	t.Helper()
	c, err := Find(0.05)
	if err != nil {
		t.Skip(err)
	}
	return c
}

func TestRun(t *testing.T) {
	c := compiler(t)
	p := stress.Program{Text: "#include <stdio.h>\nint main(int n, char **v) { printf(\"%s\\n\", v[1]); return 0; }\n"}
	out, err := c.Run(context.Background(), p)
	if err != nil || string(out) != "0.05\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestRunFails(t *testing.T) {
	c := compiler(t)
	_, err := c.Run(context.Background(), stress.Program{Text: "int main() { return nothing; }\n"})
	if refused := (*stress.CompileError)(nil); !errors.As(err, &refused) || !strings.Contains(refused.Message, "nothing") {
		t.Errorf("%v", err)
	}
	_, err = c.Run(context.Background(), stress.Program{Text: "int main() { return 3; }\n"})
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Errorf("%v", err)
	}
	// A program that does not end is ended with the context.
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(2*time.Second, cancel)
	_, err = c.Run(ctx, stress.Program{Text: "#include <unistd.h>\nint main() { for (;;) pause(); }\n"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
