package command

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fencepost/internal/cli"
)

// tokenVariable is the environment variable with the token of the server.
const tokenVariable = "FENCEPOST_TOKEN"

// defaultDir is where a server keeps everything by default.
const defaultDir = "fencepost-cluster.data"

// tokenFile returns the file with the token of a server, in its directory.
func tokenFile(dir string) string { return filepath.Join(dir, "token") }

// givenToken returns the token from a file that the user names, or from the environment; "": none is given.
func givenToken(file string) (string, error) {
	if file != "" {
		return readToken(file)
	}
	t := os.Getenv(tokenVariable)
	if t != "" && strings.TrimSpace(t) == "" {
		return "", cli.UsageError(tokenVariable+" has blanks only", "set it to a token, or unset it")
	}
	return t, nil
}

func readToken(file string) (string, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // reading a pipe could wait for ever
		return "", cli.UsageError(file+" is no regular file", "name a file that has the token and nothing else")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", cli.UsageError(err.Error(), "name a file that has the token and nothing else")
	}
	t := strings.TrimSpace(string(text))
	if t == "" {
		return "", cli.UsageError(file+" is empty", "write a token of your choice into it")
	}
	return t, nil
}

// clientToken returns the token that a client shows a server: the one that is given, or the one in the directory of a server on this machine.
func (a *access) clientToken() (string, error) {
	t, err := givenToken(a.tokenFile)
	if t != "" || err != nil {
		return t, err
	}
	if a.dir != "" {
		return readToken(tokenFile(a.dir))
	}
	// A server elsewhere is not shown the token of the one here.
	if _, err := os.Stat(tokenFile(defaultDir)); err != nil || !a.Local() {
		return "", nil
	}
	return readToken(tokenFile(defaultDir))
}

// serverToken returns the token of a server. It stands in a file of the directory, which only this user can read. A
// server that is given none makes one the first time.
func serverToken(dir, file string) (string, error) {
	given, err := givenToken(file)
	if err != nil {
		return "", err
	}
	name := tokenFile(dir)
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return "", cli.UsageError(fmt.Sprintf("%s is no regular file", name), "remove it: the server makes a file with its token there")
	case err == nil && info.Mode().Perm()&0o077 != 0:
		return "", cli.UsageError(fmt.Sprintf("others can read the token in %s", name), "remove the file: the server makes another token")
	case err == nil && given == "":
		return readToken(name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if given == "" {
		random := make([]byte, 32)
		if _, err := rand.Read(random); err != nil {
			return "", err
		}
		given = hex.EncodeToString(random)
	}
	return given, writeToken(name, given)
}

// writeToken replaces the file of a token.
func writeToken(name, token string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".token-*") // only this user can read it
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), name)
}
