// The entry of Dekker's protocol: raise your flag, look at the other's, enter if
// it is down. Store buffers hide the raised flags, and both threads enter.
// expect: sc=safe tso=unsafe pso=unsafe
program dekker

var flag[2];
var in_cs;                          // which thread is inside, 0 for none

thread t1 {
  reg other;
  flag[0] = 1;
  other = flag[1];
  if (other == 0) {
    in_cs = 1;
    cs: assert in_cs == 1, "t2 is inside too";
    in_cs = 0;
  }
  flag[0] = 0;
}

thread t2 {
  reg other;
  flag[1] = 1;
  other = flag[0];
  if (other == 0) {
    in_cs = 2;
    cs: assert in_cs == 2, "t1 is inside too";
    in_cs = 0;
  }
  flag[1] = 0;
}

goal "both inside" t1:cs, t2:cs;
