// Treiber's stack. A node is used once, so there is no ABA. BROKEN pops with a store.
#include <atomic>
class Stack {
  struct Node {
    Node *next;
    int value;
  };
  std::atomic<Node *> top;
  std::atomic<int> used;
  Node nodes[8];

public:
  Stack();
  void push(int v);
  int pop();
};
Stack::Stack() : top(nullptr), used(0) {}
void Stack::push(int v) {
  Node *n = &nodes[used.fetch_add(1)];
  n->value = v;
  n->next = top.load();
  while (!top.compare_exchange_strong(n->next, n)) {
  }
}
int Stack::pop() {
  Node *t = top.load();
#ifdef BROKEN
  if (t)
    top.store(t->next);
#else
  while (t && !top.compare_exchange_strong(t, t->next)) {
  }
#endif
  return t ? t->value : 0;
}
