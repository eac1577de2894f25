// An idempotent double-ended work-stealing queue: the owner works at the tail,
// thieves at the head; head, size and tag share one word.
// paper: RA 0
const TAG = 1024, SIZE = 1024;
var anchor;                         // (head * SIZE + size) * TAG + tag; elements are mem[i]

thread owner {
  reg a, h, s, task;
  loop {
    either {                        // put
      a = anchor;
      h = a / (TAG * SIZE);
      s = a / TAG % SIZE;
      mem[h + s] = 1;
      anchor = a + TAG + 1;
    } or {                          // take
      a = anchor;
      h = a / (TAG * SIZE);
      s = a / TAG % SIZE;
      if (s != 0) {
        task = mem[h + s - 1];
        anchor = a - TAG;
      }
    }
  }
}

thread thief * n {
  reg a, h, s, task, ok;
  loop {
    a = anchor;
    h = a / (TAG * SIZE);
    s = a / TAG % SIZE;
    if (s != 0) {
      task = mem[h];
      ok = cas(anchor, a, a + TAG * SIZE - TAG);
    }
  }
}
