// Everybody stores one byte of a word and reads the whole. The stores of the others to that byte
// come before the own one, which is still in the buffer, and the byte from memory is
// stored by nobody: robust. Levels on all bytes of the load would call that an attack.
// expect: robust=any check=any
var half w;
thread part * n {
  reg r;
  w.byte[0] = 1;
  r = w;
  assert r <= 2;
  w.byte[0] = 2;
  r = w;
  done: skip;
}
goal "the other byte" part[0]:done with w.byte[1] != 0;
