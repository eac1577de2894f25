package lin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Mutants: the code with one memory order weaker, one fence less, or one read-modify-write that is a load and a store.
//
// A mutant that no client notices is either right, and then the order or fence is not needed, or the clients are too small.
// Mutants are made in the text, so a programmer could have written each of them; mutants that do not compile do not count.

// mutant is a change of a file.
type mutant struct {
	file     int // 0: the first file, then More
	from, to int // the text that is replaced
	by       string
	what     string
	access   string // the kind of access; "torn": a read-modify-write that is none any more
	order    string // that the access had; "": seq_cst
}

// matters reports whether the memory model knows the difference: on x86, and so under TSO, only full fences and the stores with seq_cst
// differ from the others.
func (m *mutant) matters(model memory.Model) bool {
	strong := m.order == "" || m.order == "seq_cst"
	switch {
	case m.access == "torn" || model == memory.C11:
		return true
	case model == memory.TSO:
		return strong && (m.access == "store" || m.access == "fence")
	case model == memory.PSO:
		return m.access == "store" || m.access == "fence"
	}
	return false
}

var (
	orderWord    = lazyregexp.New(`\b(?:memory_order_|__ATOMIC_)(\w+)\b`)
	implicitCall = lazyregexp.New(`\batomic_(?:load|store|exchange|fetch_\w+?|compare_exchange_(?:strong|weak)|flag_test_and_set|flag_clear)\s*\(`)
	fenceCall    = lazyregexp.New(`\b(?:atomic_thread_fence|__atomic_thread_fence|__sync_synchronize)\s*\(|\b(?:__asm__|__asm|asm)\b[\s\w]*\("(?:mfence|lock)`)
	updateCall   = lazyregexp.New(`\b(?:atomic_(?:exchange|fetch_(?:add|sub|or|and|xor)|compare_exchange_(?:strong|weak))(?:_explicit)?|__sync_bool_compare_and_swap|__atomic_compare_exchange_n)\s*\(`)
	wordBefore   = lazyregexp.New(`(\w+)\s*$`)
)

// weaker has the orders that are one step weaker, by the kind of access.
var weaker = map[string]map[string][]string{
	"load":   {"seq_cst": {"acquire"}, "acquire": {"relaxed"}, "consume": {"relaxed"}},
	"store":  {"seq_cst": {"release"}, "release": {"relaxed"}},
	"update": {"seq_cst": {"acq_rel"}, "acq_rel": {"acquire", "release"}, "acquire": {"relaxed"}, "release": {"relaxed"}},
	"fence":  {"seq_cst": {"acq_rel"}, "acq_rel": {"acquire", "release"}},
}

// mutants lists the mutants of a text.
func mutants(file int, text string) []mutant {
	code := blank(text)
	var out []mutant
	add := func(from, to int, by, what, access, order string) {
		if strings.Contains(text[from:to], "\n#") || strings.Contains(by, "\n#") {
			return // directives inside
		}
		out = append(out, mutant{file, from, to, by, what, access, order})
	}
	for _, m := range orderWord.FindAllSubmatchIndex([]byte(code), -1) {
		word, name := code[m[0]:m[1]], strings.ToLower(code[m[2]:m[3]])
		access := accessOf(code, m[0])
		for _, to := range weaker[access][name] {
			by := strings.TrimSuffix(word, code[m[2]:m[3]]) + to
			if strings.HasPrefix(word, "__") {
				by = strings.ToUpper(by)
			}
			add(m[0], m[1], by, name+" becomes "+to, access, name)
		}
	}
	for _, m := range implicitCall.FindAllIndex([]byte(code), -1) {
		args, end := arguments(code, m[1])
		name := strings.TrimSpace(strings.TrimSuffix(code[m[0]:m[1]], "("))
		if end < 0 {
			continue
		}
		for _, to := range weaker[kindOf(name)]["seq_cst"] {
			orders := ", memory_order_" + to
			if len(args) == 3 {
				orders += ", memory_order_acquire"
			}
			add(m[0], end, name+"_explicit("+text[m[1]:end-1]+orders+")", name+" becomes "+to, kindOf(name), "")
		}
	}
	for _, m := range fenceCall.FindAllIndex([]byte(code), -1) {
		open := m[0] + strings.IndexByte(code[m[0]:], '(')
		if _, end := arguments(code, open+1); end >= 0 {
			order := ""
			if o := orderWord.FindStringSubmatch(code[open:end]); o != nil {
				order = strings.ToLower(o[1])
			}
			add(m[0], end, "(void)0", "without the fence", "fence", order)
		}
	}
	for _, m := range updateCall.FindAllIndex([]byte(code), -1) {
		name := strings.TrimSpace(strings.TrimSuffix(code[m[0]:m[1]], "("))
		spans, end := arguments(code, m[1])
		var args []string
		for _, s := range spans {
			args = append(args, strings.TrimSpace(text[s[0]:s[1]]))
		}
		if by := torn(name, args); end >= 0 && by != "" {
			add(m[0], end, by, name+" becomes a load and a store", "torn", "")
		}
	}
	slices.SortStableFunc(out, func(a, b mutant) int { return a.from - b.from })
	return out
}

// blank returns C with spaces instead of comments and of what is between quotation marks, but for the beginning of assembly.
func blank(text string) string {
	out := []byte(text)
	erase := func(from, to int) {
		for i := from; i < min(to, len(out)); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest+"\n", '\n')
			erase(i, i+end)
			i += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:]+"*/", "*/") + 4
			erase(i, i+end)
			i += end - 1
		case rest[0] == '"' || rest[0] == '\'':
			end := 1
			for end < len(rest) && rest[end] != rest[0] && rest[end] != '\n' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if !strings.HasPrefix(rest, `"mfence`) && !strings.HasPrefix(rest, `"lock`) {
				erase(i+1, i+end)
			} else {
				erase(i+5, i+end)
			}
			i += end
		}
	}
	return string(out)
}

// kindOf returns what a function does to memory, by its name.
func kindOf(name string) string {
	switch {
	case strings.Contains(name, "fence"):
		return "fence"
	case strings.Contains(name, "load"):
		return "load"
	case strings.Contains(name, "store"), strings.Contains(name, "flag_clear"):
		return "store"
	}
	return "update"
}

// accessOf returns the kind of access that a memory order at an offset belongs to. The second order of a compare-exchange is
// that of a load.
func accessOf(code string, at int) string {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch code[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth >= 0 {
				continue
			}
			m := wordBefore.FindStringSubmatch(code[:i])
			if m == nil {
				return "update"
			}
			if strings.Contains(m[1], "compare_exchange") && orderWord.MatchString(code[i:at]) {
				return "load"
			}
			return kindOf(m[1])
		case ';', '{', '}':
			return "update"
		}
	}
	return "update"
}

// arguments returns where the arguments of a call are, whose opening parenthesis ends at an offset, and its end; -1: none.
func arguments(code string, from int) (spans [][2]int, end int) {
	depth, begin := 0, from
	for i := from; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return append(spans, [2]int{begin, i}), i + 1
			}
			depth--
		case ',':
			if depth == 0 {
				spans, begin = append(spans, [2]int{begin, i}), i+1
			}
		}
	}
	return nil, -1
}

// torn returns a load and a store that do what a read-modify-write does if no other thread comes between; "": there is no text for it.
func torn(name string, args []string) string {
	load, store := "atomic_load_explicit(%s, memory_order_seq_cst)", "atomic_store_explicit(%s, %s, memory_order_seq_cst)"
	if strings.HasPrefix(name, "__") {
		load, store = "__atomic_load_n(%s, 5)", "__atomic_store_n(%s, %s, 5)"
	}
	if len(args) < 2 || strings.ContainsAny(strings.Join(args, ""), "\n") || strings.Contains(strings.Join(args, " "), "++") || strings.Contains(strings.Join(args, " "), "--") {
		return ""
	}
	read := fmt.Sprintf(load, args[0])
	write := func(v string) string { return fmt.Sprintf(store, args[0], v) }
	switch operation := strings.TrimSuffix(strings.TrimPrefix(name, "atomic_"), "_explicit"); operation {
	case "compare_exchange_strong", "compare_exchange_weak", "__atomic_compare_exchange_n":
		if len(args) < 3 {
			return ""
		}
		return fmt.Sprintf("(%s == *(%s) ? (%s, 1) : (*(%s) = %s, 0))", read, args[1], write(args[2]), args[1], read)
	case "__sync_bool_compare_and_swap":
		if len(args) != 3 {
			return ""
		}
		return fmt.Sprintf("(%s == (%s) ? (%s, 1) : 0)", read, args[1], write(args[2]))
	case "exchange":
		return fmt.Sprintf("({ __auto_type lin_old = %s; %s; lin_old; })", read, write(args[1]))
	default:
		sign := map[string]string{"fetch_add": "+", "fetch_sub": "-", "fetch_or": "|", "fetch_and": "&", "fetch_xor": "^"}[operation]
		return fmt.Sprintf("({ __auto_type lin_old = %s; %s; lin_old; })", read, write(fmt.Sprintf("lin_old %s (%s)", sign, args[1])))
	}
}

// mutateCalls bounds the calls of clients for mutants, where the user does not.
const mutateCalls = 3

// mutate asks about every mutant, and returns what became of it.
func (q *question) mutate(ctx context.Context, s *search, calls int) ([]verdict.Mutant, error) {
	files := append([]query.File{{Name: q.in.Name, Text: q.in.Text}}, q.in.More...)
	var list []mutant
	for i, f := range files {
		list = append(list, mutants(i, string(f.Text))...)
	}
	list = slices.DeleteFunc(list, func(m mutant) bool { return !m.matters(s.model) })
	var out []verdict.Mutant
	for i, m := range list {
		f := files[m.file]
		line := strings.Count(string(f.Text[:m.from]), "\n")
		column := m.from - strings.LastIndexByte("\n"+string(f.Text[:m.from]), '\n') + 1
		one := verdict.Mutant{Pos: verdict.Pos{File: f.Name, Line: line + 1, Col: column}, Change: m.what}
		text := []byte(string(f.Text[:m.from]) + m.by + string(f.Text[m.to:]))
		in := query.Input{Name: q.in.Name, Text: q.in.Text, More: slices.Clone(q.in.More)}
		if m.file == 0 {
			in.Text = text
		} else {
			in.More[m.file-1].Text = text
		}
		if err := q.askMutant(ctx, s, in, calls, len(list)-i, &one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// askMutant asks about one mutant, for its part of the time that is left.
func (q *question) askMutant(ctx context.Context, s *search, in query.Input, calls, left int, one *verdict.Mutant) error {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = supervise.TimeLimit(ctx, time.Until(end)/time.Duration(left))
		defer cancel()
	}
	theirs := &question{run: pipeline.Open(in), in: in, opt: q.opt, object: q.object, drains: q.drains}
	theirs.opt.Mutate, theirs.opt.Calls = false, calls
	search, err := theirs.search(ctx, s.model)
	var res *verdict.Result
	if err == nil {
		res, err = theirs.clients(ctx, search)
	}
	switch {
	case theirs.refuse(err) == pipeline.ErrRefused:
		one.Fate = verdict.MutantRefused
		return nil
	case err != nil:
		if open, ok := err.(*openError); ok {
			one.Fate, one.Why = verdict.MutantUnknown, open.why
			return nil
		}
		return err
	case res.Verdict == verdict.Unsafe:
		one.Fate, one.Why = verdict.MutantNoticed, res.Reason
		if search.last != nil {
			one.Client = search.last.String()
		}
	case res.Verdict == verdict.Safe:
		one.Fate = verdict.MutantUnnoticed
	default:
		one.Fate, one.Why = verdict.MutantUnknown, res.Reason
	}
	return nil
}
