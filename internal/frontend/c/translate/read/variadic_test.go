package read

import "testing"

func TestVariadic(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"#define LOG(f, a...) printf(f, ##a)", "#define LOG(f, ...) printf(f, ##__VA_ARGS__)"},
		{"# define ALL(a...) f(#a, \"a\", 'a', aa, a.a)", "# define ALL(...) f(#__VA_ARGS__, \"a\", 'a', aa, __VA_ARGS__.__VA_ARGS__)"},
		{"#define LONG(f, \\\n  a ...) g(f, \\\n a)", "#define LONG(f, \\\n   ...) g(f, \\\n __VA_ARGS__)"},
		{"#define OPT(f, ...) g(f __VA_OPT__(,) __VA_ARGS__)", "#define OPT(f, ...) g(f ,  ##__VA_ARGS__)"},
		{"#define SUM(a, ...) a __VA_OPT__(+ f(a)) c", "#define SUM(a, ...) a __fp_opt(__fp_has_args(__VA_ARGS__))(+ f(a)) c"},
		{"#define JOIN(a, ...) a ## __VA_OPT__(b)", "#define JOIN(a, ...) a ## __VA_OPT__(b)"},
		{"#define PLAIN(f, ...) g(f, __VA_ARGS__)", "#define PLAIN(f, ...) g(f, __VA_ARGS__)"},
		{"#define OBJECT a...", "#define OBJECT a..."},
		{"#define CALL(f) (g(a...))", "#define CALL(f) (g(a...))"},
		{"#undef LOG", "#undef LOG"},
	} {
		if got := string(variadic([]byte(tt.text))); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
