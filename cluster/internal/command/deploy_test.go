package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestDeploy: the units and manifests of ../../../deploy start commands that there are, with options that they have.
func TestDeploy(t *testing.T) {
	p := &tool{}
	commands := map[string]*cobra.Command{"serve": p.serveCommand(), "worker": p.workerCommand(), "monitor": p.monitorCommand()}
	line := regexp.MustCompile(`^\s*(?:ExecStart=\S+/fencepost-cluster |(?:command|args): \[)(\w+)(.*)$`)
	option := regexp.MustCompile(`--([a-z-]+)`)
	found := map[string]int{}
	for _, name := range []string{"fencepost-cluster-server.service", "fencepost-cluster-worker.service", "fencepost-cluster-monitor.service", "compose.yaml", "kubernetes.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(text)) {
			m := line.FindStringSubmatch(strings.TrimRight(l, "\n"))
			if m == nil {
				continue
			}
			found[name]++
			cmd := commands[m[1]]
			if cmd == nil {
				t.Errorf("%s: there is no command %s", name, m[1])
				continue
			}
			for _, o := range option.FindAllStringSubmatch(m[2], -1) {
				if cmd.Flags().Lookup(o[1]) == nil {
					t.Errorf("%s: %s has no option --%s", name, m[1], o[1])
				}
			}
		}
	}
	for name, want := range map[string]int{"fencepost-cluster-server.service": 1, "fencepost-cluster-worker.service": 1, "fencepost-cluster-monitor.service": 1, "compose.yaml": 3, "kubernetes.yaml": 3} {
		if found[name] != want {
			t.Errorf("%s starts %d commands, want %d", name, found[name], want)
		}
	}
}
