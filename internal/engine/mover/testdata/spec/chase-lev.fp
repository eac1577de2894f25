// The deque of Chase and Lev [BEMT18 Fig. 3] with the specification of an idempotent
// queue: whatever is taken or stolen was put before, though it may be had more than
// once. Element i is mem[2 * i]; mem[2 * v + 1] is 1 from when task v is put.
var H, T;
invariant forall i: i < 0 || i >= H || mem[2 * mem[2 * i] + 1] == 1;
invariant forall i: i < 0 || i >= T || mem[2 * mem[2 * i] + 1] == 1;

thread worker {
  reg h, t, v, task, ok;
  loop {
    either {                        // put
      v = v + 1;
      mem[2 * v + 1] = 1;
      t = T;
      invariant t == T;
      invariant mem[2 * v + 1] == 1;
      mem[2 * t] = v;
      invariant mem[2 * mem[2 * t] + 1] == 1;
      T = t + 1;
    } or {                          // take
      t = T;
      t = t - 1;
      invariant forall i: i < 0 || i > t || mem[2 * mem[2 * i] + 1] == 1;
      T = t;
      h = H;
      invariant forall i: i < 0 || i >= h || mem[2 * mem[2 * i] + 1] == 1;
      if (t < h) {
        T = h;
      } else {
        invariant t >= 0;
        task = mem[2 * t];
        invariant mem[2 * task + 1] == 1;
        if (t == h) {
          invariant t == h;
          ok = cas(H, h, h + 1);
          T = h + 1;
          if (ok) assert mem[2 * task + 1] == 1, "what is taken was put";
        } else {
          assert mem[2 * task + 1] == 1, "what is taken was put";
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
    invariant forall i: i < 0 || i >= t || mem[2 * mem[2 * i] + 1] == 1;
    if (h < t) {
      invariant h < t;
      task = mem[2 * h];
      invariant mem[2 * task + 1] == 1;
      invariant mem[2 * mem[2 * h] + 1] == 1;
      ok = cas(H, h, h + 1);
      if (ok) assert mem[2 * task + 1] == 1, "what is stolen was put";
    }
  }
}
