// The lost wake-up in the Java Parker class, with two calls of park written out. The
// first takes a permit that is left over with a plain store, which may still wait in
// the buffer when the thread looks at cond again. If unpark gives a new permit in
// between, the late store wipes it out and the second call waits for ever.
program parker

var cond, counter = 1;

thread parker {
  if (cond == 0) {
    assume counter > 0;
    counter = 0;
    if (cond == 0) {
      blocked: await counter > 0;
    }
  }
}

thread unparker {
  cond = 1;
  atomic { counter = 1; }
  done:
}

goal "lost wake-up" parker:blocked, unparker:done with cond == 1 && counter == 0;
