package preprocess_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/gcc"
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/preprocess"
)

// headerDir has our headers.
const headerDir = "../../../frontend/c/translate/read/include"

// compiler returns gcc.
func compiler(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: nothing to compare with")
	}
	return path
}

// output is the result of a preprocessor.
type output struct {
	tokens  []string
	pragmas []string
	failed  bool
	says    string
}

// ours preprocesses a file below dir.
func ours(t testing.TB, dir, name string, flags []string) output {
	t.Helper()
	s, err := gcc.Parse(flags)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) ([]byte, bool) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil, false
		}
		text, err := os.ReadFile(name)
		return text, err == nil
	}
	opt := preprocess.ForGCC(s)
	opt.Read = read
	text, ok := read(name)
	if !ok {
		t.Fatalf("no file %s", name)
	}
	r := preprocess.Run(name, text, opt)
	out := output{failed: r.HasErrors()}
	for i := range r.Tokens {
		switch tok := &r.Tokens[i]; tok.Kind {
		case lex.EOF:
		case lex.Pragma:
			out.pragmas = append(out.pragmas, strings.Join(spelled(r, r.Pragmas[tok.Name]), " "))
		default:
			out.tokens = append(out.tokens, split(canonical(r, tok), opt.Standard.Version > 1989 && !opt.Standard.Strict)...)
		}
	}
	for _, p := range r.Problems {
		out.says += r.Space.Position(p.Pos).String() + ": " + p.Message + "\n"
	}
	return out
}

func spelled(r *preprocess.Result, tokens []lex.Token) []string {
	var out []string
	for i := range tokens {
		out = append(out, split(string(r.Space.Text(&tokens[i])), false)...)
	}
	return out
}

// theirs asks gcc.
func theirs(t testing.TB, dir, name string, flags []string) output {
	t.Helper()
	cmd := exec.Command(compiler(t), append(append([]string{"-E", "-P", "-nostdinc", "-w"}, flags...), name)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=0", "LC_ALL=C")
	var text, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &errs
	out := output{failed: cmd.Run() != nil, says: errs.String()}
	var rest strings.Builder
	for line := range strings.Lines(text.String()) {
		switch {
		case strings.HasPrefix(line, "#pragma"):
			out.pragmas = append(out.pragmas, strings.Join(split(line[7:], false), " "))
		case strings.HasPrefix(line, "#ident"):
		default:
			rest.WriteString(line)
		}
	}
	out.tokens = split(rest.String(), rawStrings(flags))
	return out
}

// rawStrings reports whether there are raw strings with some flags.
func rawStrings(flags []string) bool {
	for _, f := range flags {
		if std, ok := strings.CutPrefix(f, "-std="); ok {
			return strings.HasPrefix(std, "gnu") && std != "gnu89"
		}
	}
	return true
}

// canonical returns the spelling of a token as gcc prints it: characters outside ASCII in
// identifiers become escapes.
func canonical(r *preprocess.Result, t *lex.Token) string {
	if t.Kind != lex.Identifier {
		return string(r.Space.Text(t))
	}
	var b strings.Builder
	for _, c := range r.Names.String(t.Name) {
		if c < 0x80 {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "\\U%08x", c)
		}
	}
	return b.String()
}

// split splits a text into tokens, without the lexer that is tested.
func split(text string, rawStrings bool) []string {
	var out []string
	for i := 0; i < len(text); {
		n := tokenLength(text[i:], rawStrings)
		if n < 0 {
			i -= n
			continue
		}
		out = append(out, text[i:i+n])
		i += n
	}
	return out
}

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

// tokenLength returns the length of the first token, or minus that of white space.
func tokenLength(s string, rawStrings bool) int {
	c := s[0]
	isWord := func(c byte) bool { return strings.IndexByte(wordBytes, c) >= 0 || c >= 0x80 }
	switch {
	case strings.IndexByte(" \t\n\r\f\v\x00", c) >= 0:
		return -1
	case c >= '0' && c <= '9' || c == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		n := 1
		for n < len(s) && (isWord(s[n]) || s[n] == '.' || (s[n] == '+' || s[n] == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0) {
			n++
		}
		return n
	case isWord(c):
		n := 1
		for n < len(s) && isWord(s[n]) {
			n++
		}
		if raw := []string{"u8R", "uR", "UR", "LR", "R"}; n < len(s) && s[n] == '"' && rawStrings && slices.Contains(raw, s[:n]) {
			open := strings.IndexByte(s[n:], '(')
			end := ")" + s[n+1:n+open] + "\""
			if at := strings.Index(s[n:], end); at >= 0 {
				return n + at + len(end)
			}
		}
		return n
	case c == '"' || c == '\'':
		for n := 1; n < len(s) && s[n] != '\n'; n++ {
			if s[n] == '\\' {
				n++
			} else if s[n] == c {
				return n + 1
			}
		}
		return 1
	}
	for _, p := range []string{"...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##"} {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 1
}

// compare reports the first difference, "" if there is none.
func compare(a, b output) string {
	if a.failed != b.failed {
		return "ours:\n" + a.says + "gcc:\n" + b.says
	}
	if a.failed {
		return ""
	}
	if d := firstDifference(a.tokens, b.tokens); d != "" {
		return "tokens: " + d
	}
	if d := firstDifference(a.pragmas, b.pragmas); d != "" {
		return "pragmas: " + d
	}
	return ""
}

func firstDifference(a, b []string) string {
	for i := 0; i < len(a) || i < len(b); i++ {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			from := max(0, i-8)
			return "ours ... " + strings.Join(a[from:min(len(a), i+6)], " ") + " ..., gcc ... " + strings.Join(b[from:min(len(b), i+6)], " ") + " ..."
		}
	}
	return ""
}

// agree compares one text with gcc.
func agree(t testing.TB, dir, text string, flags ...string) bool {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if d := compare(ours(t, dir, "a.c", flags), theirs(t, dir, "a.c", flags)); d != "" {
		t.Errorf("%s\nflags %v:\n%s\n", d, flags, text)
		return false
	}
	return true
}
