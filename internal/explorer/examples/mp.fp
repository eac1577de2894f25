// Message passing: the flag says that the data is there.
// Can the reader see the flag, but old data?
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
