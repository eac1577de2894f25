// A stack of Treiber whose owner frees the nodes: one thread pops while another one pushes. pop reads a node that the
// other one may have freed.
// expect: sc=unsafe tso=unsafe
#include <atomic>
#include <thread>

struct Node {
  int value;
  Node *next;
};
static std::atomic<Node *> top;

static void push(int value) {
  Node *n = new Node{value, top.load()};
  while (!top.compare_exchange_weak(n->next, n))
    ;
}

static void pop() {
  Node *n = top.load();
  while (n && !top.compare_exchange_weak(n, n->next))
    ;
  delete n;
}

int main() {
  push(1);
  std::thread other(pop);
  pop();
  other.join();
}
