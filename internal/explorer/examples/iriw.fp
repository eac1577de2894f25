// Independent reads of independent writes: two readers watch two writers.
// Can the readers see the writes in different orders?
var x, y;

thread w1 { x = 1; }
thread w2 { y = 1; }

thread r1 {
  reg a, b;
  a = x;
  b = y;
}

thread r2 {
  reg c, d;
  c = y;
  d = x;
}

never r1:a == 1 && r1:b == 0 && r2:c == 1 && r2:d == 0;
