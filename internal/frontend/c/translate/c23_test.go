package translate_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// What C23 shares with C++: gcc 12 has neither constexpr nor enums with a type in C, and its compiler of C++ is the
// second opinion.
const c23Shared = `#include <assert.h>
constexpr int N = 5;
constexpr double D = 2.5;
constexpr unsigned char C = 255;
struct point { int x, y; };
constexpr struct point P = { 3, 7 };
static int list[N];
enum E : unsigned char { A, B = 200, X };
enum F : long { L = 1L << 40 };
enum G : short;
enum G : short { GM = -3 };
static_assert(sizeof(enum E) == 1 && sizeof(enum F) == 8 && sizeof(enum G) == 2, "");
static_assert(sizeof(A) == 1 && sizeof(L) == 8 && sizeof(true) == 1 && sizeof(bool) == 1, "");
static_assert(N == 5 && P.y == 7 && D > 2 && C + 1 == 256 && GM < 0 && B + X == 401, "");
static int which(int n) {
  constexpr int k = N * 2;
  switch (n) {
  case N: return 1;
  case k: return 2;
  case P.y: return 3;
  }
  return 0;
}
static int sum(void) {
  static constexpr int z = 4;
  auto q = 3.5;
  static auto w = 7;
  constexpr auto e = 6ull;
  return z + (int)q + w + (int)e + (int)sizeof q;
}
int main(void) {
  assert(sizeof list == 20 && which(5) == 1 && which(10) == 2 && which(7) == 3 && which(1) == 0);
  assert(sum() == 28 && -A == 0 && ~A == -1);
  enum E e = (enum E)(X + 100);
  assert(e == (unsigned char)301);
  int *none = nullptr;
  assert(!none && 1'000 + 0b11 == 1003);
  return 0;
}
`

// What only C23 has.
const c23Only = `#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
constexpr struct p { int x, y; unsigned b : 3; } P = { .y = 7, .b = 5 };
static_assert(P.x == 0 && P.y == 7 && P.b == 5);
enum E : unsigned char { A, B = 200, X };
static_assert(_Generic(true, bool: 1, default: 0) && _Generic(B, unsigned char: 1, default: 0));
struct s { enum E e; enum : int { IN = 3 } f; enum E g : 5; };
static_assert(sizeof(struct s) == 12 && sizeof(nullptr_t) == 8);
static int *counter(void) { return &(static int){ 41 }; }
static int never(int n) { if (n) return 1; unreachable(); }
int main(void) {
  *counter() += 1;
  assert(*counter() == 42 && never(1) == 1);
  struct s s = { X, IN, 7 };
  assert(s.e == 201 && s.f == 3 && s.g == 7 && (constexpr int){ 3 } == 3);
  int b[(constexpr int){ 2 }] = {};
  enum E e = X;
  e += 100;
  assert(sizeof b == 8 && b[1] == 0 && e == 45);
  return 0;
}
`

// TestC23: constants, enums and literals of C23.
func TestC23(t *testing.T) {
	if gcc, err := exec.LookPath("g++"); err == nil {
		bin := filepath.Join(t.TempDir(), "a")
		cmd := exec.Command(gcc, "-std=c++20", "-x", "c++", "-o", bin, "-")
		cmd.Stdin = strings.NewReader(c23Shared)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if out, err := exec.Command(bin).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	} else {
		t.Log("no g++ here: the program itself is not checked")
	}
	for _, text := range []string{c23Shared, c23Only} {
		if got := testkit.CheckCAs(t, "c23", text); got != verdict.Safe {
			t.Errorf("%s, want safe\n%s", got, text)
		}
	}
}
