// An idempotent work-stealing queue, first in first out: the owner puts at the
// tail and takes at the head with plain stores; an element may be had twice. Each
// operation is over before its caller goes on.
// paper: RA 0
var head, tail;                     // elements are mem[i], head <= i < tail

thread owner {
  reg h, t, task;
  loop {
    either {                        // put
      t = tail;
      mem[t] = 1;
      tail = t + 1;
    } or {                          // take
      h = head;
      t = tail;
      if (h != t) {
        task = mem[h];
        head = h + 1;
      }
    }
    fence;                          // the caller's
  }
}

thread thief * n {
  reg h, t, task, ok;
  loop {
    h = head;
    t = tail;
    if (h != t) {
      task = mem[h];
      ok = cas(head, h, h + 1);
    }
  }
}
