// A writer and any number of readers: the writer waits until nobody reads. Both
// announce themselves with a read-modify-write, so no fence is missing.
// expect: robust=any check=any
var readers, writing;
thread reader * n {
  reg w, old, got;
  loop {
    atomic { w = writing; old = readers; if (w == 0 && old < 2) { readers = old + 1; got = 1; } else { got = 0; } }
    if (got == 1) {
      inside: skip;
      old = fetch_sub(readers, 1);
    }
  }
}
thread writer {
  reg r;
  loop {
    atomic { r = readers; if (r == 0) { writing = 1; } }
    if (r == 0) {
      alone: skip;
      writing = 0;
    }
  }
}
goal "read while written" reader[0]:inside, writer:alone;
