// Message passing: data first, then the flag that announces it. TSO keeps the
// order of the two stores, PSO does not ("release flag = 1" would).
// expect: sc=safe tso=safe pso=unsafe
program mp

var data, flag;

thread sender {
  data = 42;
  flag = 1;
}

thread receiver {
  reg r;
  await flag == 1;
  r = data;
  assert r == 42, "the message is not there";
}
