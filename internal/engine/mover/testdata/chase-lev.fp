// The deque of Chase and Lev [BEMT18 Fig. 3]: one worker puts and takes at the tail,
// any number of thieves steal at the head. Without a fence in take the last
// element can be had twice.
// paper: RA 1
var H, T;                           // elements are mem[i], H <= i < T

thread worker {
  reg h, t, task, ok;
  loop {
    either {                        // put
      t = T;
      mem[t] = 1;
      T = t + 1;
    } or {                          // take
      t = T;
      t = t - 1;
      T = t;
      h = H;
      if (t < h) {
        T = h;
      } else {
        task = mem[t];
        if (t == h) {
          ok = cas(H, h, h + 1);
          T = h + 1;
        }
      }
    }
  }
}

thread thief * n {
  reg h, t, task, ok;
  loop {
    h = H;
    t = T;
    if (h < t) {
      task = mem[h];
      ok = cas(H, h, h + 1);
    }
  }
}
