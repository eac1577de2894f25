// std::call_once and a static variable of a function: both are made once, whoever comes first.
// expect: sc=safe tso=safe
#include <cassert>
#include <mutex>
#include <thread>

static int made;
static std::once_flag once;

struct Table {
  int size = 4;
  Table() { made++; }
};

static Table &table() {
  static Table t;
  return t;
}

static void use() {
  std::call_once(once, [] { made++; });
  assert(table().size == 4);
}

int main() {
  std::thread other(use);
  use();
  other.join();
  assert(made == 2);
}
