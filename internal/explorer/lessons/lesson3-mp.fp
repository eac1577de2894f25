// Lesson 3: message passing.
// task: TSO needs no fence here. Under PSO the flag can arrive before the data: make that impossible with one fence.
// fences: at most 1
// expect: sc=safe tso=safe pso=safe
var data, flag;

thread writer {
  data = 42;
  flag = 1;
}

thread reader {
  reg f, d;
  f = flag;
  d = data;
}

never reader:f == 1 && reader:d == 0;
