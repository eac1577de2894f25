// An idempotent work-stealing queue, last in first out. Tail and tag share one
// word, the anchor, so that thieves exchange both at once.
// paper: RA 0
const TAG = 4096;
var anchor;                         // tail * TAG + tag; elements are mem[i], 0 <= i < tail

thread owner {
  reg a, t, task;
  loop {
    either {                        // put
      a = anchor;
      mem[a / TAG] = 1;
      anchor = a + TAG + 1;
    } or {                          // take
      a = anchor;
      t = a / TAG;
      if (t != 0) {
        task = mem[t - 1];
        anchor = a - TAG;
      }
    }
  }
}

thread thief * n {
  reg a, t, task, ok;
  loop {
    a = anchor;
    t = a / TAG;
    if (t != 0) {
      task = mem[t - 1];
      ok = cas(anchor, a, a - TAG);
    }
  }
}
