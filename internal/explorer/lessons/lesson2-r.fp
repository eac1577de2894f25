// Lesson 2: where is the store that waits?
// task: Make this outcome impossible under TSO with one fence. Which of the two threads needs it, and why not the other?
// fences: at most 1
// expect: sc=safe tso=safe
var x, y;

thread t1 {
  x = 1;
  y = 1;
}

thread t2 {
  reg r;
  y = 2;
  r = x;
}

never y == 2 && t2:r == 0;
