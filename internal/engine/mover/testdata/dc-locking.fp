// Double-checked locking: p is initialised once, by whoever comes first.
// paper: RA 1
var p, l;
thread worker * n {
  reg seen, ok;
  loop {
    seen = p;
    if (seen == 0) {
      do ok = cas(l, 0, 1); while (ok == 0);
      seen = p;
      if (seen == 0) p = 1;
      l = 0;
    }
    seen = p;
    assert seen == 1, "p is used before it is initialised";
  }
}
