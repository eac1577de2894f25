// The queue of Michael and Scott, whose nodes are used once. BROKEN links a node without a compare-exchange.
#include <atomic>
namespace lib {
struct Node {
  std::atomic<Node *> next;
  int value;
};
class Queue {
  std::atomic<Node *> head, tail;
  std::atomic<int> used;
  Node nodes[8];

public:
  Queue();
  void enqueue(int v);
  int dequeue();
};
Queue::Queue() : head(&nodes[0]), tail(&nodes[0]), used(1) {
  for (Node &n : nodes)
    n.next = nullptr;
}
void Queue::enqueue(int v) {
  Node *n = &nodes[used.fetch_add(1)];
  n->value = v;
  for (;;) {
    Node *t = tail.load(), *next = t->next.load();
    if (next) {
      tail.compare_exchange_strong(t, next);
      continue;
    }
#ifdef BROKEN
    t->next.store(n);
#else
    if (!t->next.compare_exchange_strong(next, n))
      continue;
#endif
    tail.compare_exchange_strong(t, n);
    return;
  }
}
int Queue::dequeue() {
  for (;;) {
    Node *h = head.load(), *t = tail.load(), *next = h->next.load();
    if (!next)
      return 0;
    if (h == t) {
      tail.compare_exchange_strong(t, next);
      continue;
    }
    int v = next->value;
    if (head.compare_exchange_strong(h, next))
      return v;
  }
}
} // namespace lib
