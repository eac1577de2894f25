// Compares the functions of runtime_cpp.txt, compiled by a compiler of C, with those of the library of C++ (TestCppLibrary).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <list>
#include <set>
#include <string>
#include <vector>

using tree = std::_Rb_tree_node_base;
using link = std::__detail::_List_node_base;
extern "C" {
tree *fp_tree_next(tree *);
tree *fp_tree_before(tree *);
void fp_tree_insert(bool, tree *, tree *, tree *);
tree *fp_tree_erase(tree *, tree *);
void fp_list_hook(link *, link *);
void fp_list_unhook(link *);
void fp_list_transfer(link *, link *, link *);
std::string *fp_string_append(std::string *, const char *, size_t);
std::string *fp_string_replace(std::string *, size_t, size_t, const char *, size_t);
void fp_string_assign(std::string *, const std::string *);
void fp_string_reserve(std::string *, size_t);
int fp_string_compare(const std::string *, const char *);
void fp_string_copy(void *, const std::string *);
void fp_string_make(void *, const char *);
void fp_string_ends(std::string *);
unsigned long fp_hash(const void *, unsigned long, unsigned long);
}

static void must(bool b, const char *what) {
  if (!b) {
    std::printf("%s\n", what);
    std::exit(1);
  }
}

struct number : tree { int value; };

// trees inserts and erases numbers at random. What nobody writes of a node is garbage, as in memory that was used before.
static void trees() {
  std::set<int> real;
  number header;
  std::memset((void *)&header, 0xa5, sizeof header);
  header._M_color = std::_S_red;
  header._M_parent = nullptr;
  header._M_left = header._M_right = &header;
  for (int i = 0; i < 20000; i++) {
    int value = std::rand() % 40;
    tree *parent = &header, *at = header._M_parent;
    while (at && static_cast<number *>(at)->value != value) {
      parent = at;
      at = value < static_cast<number *>(at)->value ? at->_M_left : at->_M_right;
    }
    must((at != nullptr) == real.count(value), "tree: find");
    if (at && std::rand() % 2) {
      must(fp_tree_erase(at, &header) == at, "tree: erase");
      delete static_cast<number *>(at);
      real.erase(value);
    } else if (!at) {
      number *n = new number;
      std::memset((void *)n, 0xa5, sizeof *n);
      n->value = value;
      fp_tree_insert(parent == &header || value < static_cast<number *>(parent)->value, n, parent, &header);
      real.insert(value);
    }
    tree *n = header._M_left;
    for (int v : real) {
      must(n != &header && static_cast<number *>(n)->value == v, "tree: next");
      n = fp_tree_next(n);
    }
    must(n == &header, "tree: the end");
    for (auto v = real.rbegin(); v != real.rend(); ++v) {
      n = fp_tree_before(n);
      must(static_cast<number *>(n)->value == *v, "tree: before");
    }
    must(n == header._M_left, "tree: the beginning");
  }
}

static void lists() {
  std::list<int> real, model; // the nodes of model are moved by the functions that are tried
  for (int i = 0; i < 30; i++) {
    real.push_back(i);
    model.push_back(i);
  }
  for (int i = 0; i < 5000; i++) {
    int at = std::rand() % 31, from = std::rand() % 31, to = from + std::rand() % (31 - from);
    if (at > from && at < to)
      at = to;
    auto node = [](std::list<int> &l, int n) { return std::next(l.begin(), n); };
    if (at != from) { // the library leaves out that case in the header
      real.splice(node(real, at), real, node(real, from), node(real, to));
      if (from != to)
        fp_list_transfer(node(model, at)._M_node, node(model, from)._M_node, node(model, to)._M_node);
    }
    if (i % 3 == 0) {
      link *n = node(model, from % 30)._M_node;
      fp_list_unhook(n);
      fp_list_hook(n, model.begin()._M_node);
      real.splice(real.begin(), real, node(real, from % 30));
    }
    must(real == model, "list: order");
    must(std::equal(real.rbegin(), real.rend(), model.rbegin(), model.rend()), "list: the order from behind");
  }
}

static void strings() {
  std::string real, model;
  std::string text = "fencepost, a text that is longer than the buffer";
  for (int i = 0; i < 20000; i++) {
    size_t at = std::rand() % (real.size() + 1), gone = std::rand() % (real.size() - at + 1), n = std::rand() % text.size();
    switch (std::rand() % 7) {
    case 0:
      real.append(text.data(), n);
      must(fp_string_append(&model, text.data(), n) == &model, "string: append");
      break;
    case 1:
      real.replace(at, gone, text.data(), n);
      must(fp_string_replace(&model, at, gone, text.data(), n) == &model, "string: replace");
      break;
    case 2: // a part of itself
      real.replace(at, gone, real.data() + at / 2, gone / 2);
      fp_string_replace(&model, at, gone, model.data() + at / 2, gone / 2);
      break;
    case 3:
      real.append(real.data() + at, gone);
      fp_string_append(&model, model.data() + at, gone);
      break;
    case 4:
      real.reserve(n);
      fp_string_reserve(&model, n);
      break;
    case 5: {
      std::string other(text, 0, n);
      real = other;
      fp_string_assign(&model, &other);
      break;
    }
    case 6:
      if (real.size() > 60 || i % 50 == 0) {
        std::string a, b;
        real.swap(a);
        model.swap(b);
      }
    }
    must(real == model && model.c_str()[model.size()] == 0, "string: text");
    must(real.capacity() == model.capacity(), "string: room");
    const char *other = text.c_str() + n;
    int c = real.compare(other), d = fp_string_compare(&model, other);
    must((c < 0) == (d < 0) && (c > 0) == (d > 0), "string: compare");
    alignas(std::string) char room[sizeof(std::string)];
    fp_string_copy(room, &real);
    must(*(std::string *)room == real, "string: copy");
    fp_string_ends((std::string *)room);
    fp_string_make(room, other);
    must(*(std::string *)room == other, "string: make");
    fp_string_ends((std::string *)room);
  }
}

static void hashes() {
  std::string text = "fencepost, a text that is longer than the buffer\xff\x80";
  for (size_t n = 0; n <= text.size(); n++)
    for (unsigned long seed : {0ul, 0xc70f6907ul, ~0ul})
      must(fp_hash(text.data(), n, seed) == std::_Hash_bytes(text.data(), n, seed), "hash");
}

int main() {
  trees();
  lists();
  strings();
  hashes();
}
