package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/internal/scratch"
	"fencepost/query"
)

// objectOf compiles a program with a command of the user's, such as g++ -O2 or rustc -O, and returns the object. For a
// Cargo.toml, the command is cargo's, such as cargo rustc --release.
func objectOf(ctx context.Context, command []string, file string) ([]byte, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, &query.UnavailableError{Message: fmt.Sprintf("there is no compiler %s here", command[0]), Hint: "install it, or name another one with --compile"}
	}
	dir, remove, err := scratch.Dir("fencepost-compile-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the object: %w", err)
	}
	defer remove()
	out := filepath.Join(dir, "out.o")
	args := slices.Clone(command[1:])
	switch strings.TrimSuffix(filepath.Base(command[0]), filepath.Ext(command[0])) {
	case "cargo":
		manifest, err := filepath.Abs(file)
		if err != nil {
			return nil, fmt.Errorf("finding %s: %w", file, err)
		}
		args = append(args, "--manifest-path", manifest, "--target-dir", dir, "--", "--emit=obj", "-C", "panic=abort", "-C", "codegen-units=1", "-g")
	case "rustc":
		args = append(args, "--emit=obj", "-C", "panic=abort", "-g", "-o", out, file)
	default:
		args = append(args, "-g", "-c", "-o", out, file)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, &compileError{Command: strings.Join(append([]string{command[0]}, args...), " "), Output: cmp.Or(strings.TrimSpace(string(text)), err.Error())}
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "*", "deps", "*.o")); len(made) == 1 {
		out = made[0]
	}
	object, err := os.ReadFile(out)
	if err != nil {
		return nil, &compileError{Command: strings.Join(append([]string{command[0]}, args...), " "), Output: "it made no object, or several"}
	}
	return object, nil
}

// compileError says that a compiler refused a program.
type compileError struct{ Command, Output string }

func (e *compileError) Error() string { return e.Command + " failed: " + e.Output }
