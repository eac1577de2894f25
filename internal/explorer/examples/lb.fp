// Load buffering: each thread reads first, then writes.
// Can both threads read 1?
var x, y;

thread t1 {
  reg r1;
  r1 = x;
  y = 1;
}

thread t2 {
  reg r2;
  r2 = y;
  x = 1;
}

never t1:r1 == 1 && t2:r2 == 1;
