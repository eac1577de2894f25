// Manual writes the man pages and the completion scripts of fencepost, for packages:
//
//	go run ./internal/tool/manual -man DIR -completions DIR
//
// The pages come from the same descriptions as `fencepost help`. SOURCE_DATE_EPOCH sets
// their date, so that a package can be built again with the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"fencepost"
	"fencepost/internal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func main() {
	man := flag.String("man", "", "directory for the man pages; none are written if not given")
	completions := flag.String("completions", "", "directory for the completion scripts; none are written if not given")
	flag.Parse()
	if err := write(*man, *completions); err != nil {
		fmt.Fprintf(os.Stderr, "manual: %v\n", err)
		os.Exit(1)
	}
}

func write(man, completions string) error {
	root := cli.Commands()
	if man != "" {
		if err := os.MkdirAll(man, 0o755); err != nil {
			return err
		}
		root.DisableAutoGenTag = true
		header := &doc.GenManHeader{Title: "FENCEPOST", Section: "1", Source: "fencepost " + fencepost.Version(), Manual: "fencepost"}
		if err := doc.GenManTree(root, header, man); err != nil {
			return fmt.Errorf("writing the man pages: %w", err)
		}
	}
	if completions == "" {
		return nil
	}
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(*cobra.Command, string) error{
		"fencepost.bash": func(c *cobra.Command, f string) error { return c.GenBashCompletionFileV2(f, true) },
		"_fencepost":     (*cobra.Command).GenZshCompletionFile,
		"fencepost.fish": func(c *cobra.Command, f string) error { return c.GenFishCompletionFile(f, true) },
	} {
		if err := write(root, filepath.Join(completions, name)); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
