// A load of a word takes the byte that is still in the buffer from there, and the other one
// from memory. The store of the whole word comes in between: behind the load, and before the
// buffered byte.
// expect: robust=1 check=1
var half w;
thread part * n {
  reg r;
  w.byte[0] = 1;
  r = w;
  done: skip;
}
thread all { w = 0x0202; }
goal "in parts" part[0]:done with w == 0x0201;
