// Lamport's non-blocking write: a writer with a version before and after the data, any
// number of readers that try again. Only the writer stores.
// expect: robust=any
var v, d1, d2;
thread writer {
  reg k;
  loop {
    v = 1; d1 = k; d2 = k; v = 0;
    k = 1 - k;
  }
}
thread reader * n {
  reg a, b, x, y;
  loop { a = v; x = d1; y = d2; b = v; }
}
