// Each thread reads its own store from its buffer, before other threads can.
// Can both threads see their own store first?
var x, y;

thread t1 {
  reg a, b;
  x = 1;
  a = x;
  b = y;
}

thread t2 {
  reg c, d;
  y = 1;
  c = y;
  d = x;
}

never t1:a == 1 && t1:b == 0 && t2:c == 1 && t2:d == 0;
