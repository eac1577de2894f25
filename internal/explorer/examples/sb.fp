// Store buffering: each thread writes its variable, then reads the other's.
// Can both threads read 0?
var x, y;

thread t1 {
  reg r1;
  x = 1;
  r1 = y;
}

thread t2 {
  reg r2;
  y = 1;
  r2 = x;
}

never t1:r1 == 0 && t2:r2 == 0;
