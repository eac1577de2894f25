// Places that are hard to get right.
var x, y, z;

thread p[i] * 2 {
  reg r, s = 1;
  a: x = 1; b: c: y = 1;
  if (r == 0) x = 2; else y = 2;
  if (s == 0) d: x = 3;
  while (r < 2) { r = r + 1; }
  while (r < 3)
    r = r + 1;
  do z = 1; while (z == 0);
  while (r < 4) if (s == 0) r = r + 1; else x = 4;
  while (r < 5) while (s < 5) do s = s + 1; while (z == 5);z = 6;
  while (r < 6) g: h: if (s == 6) k: r = 6;
  while (r < 7) { m: r = 7; }
  loop if (r == 9) break; else r = 9;
  loop { r = y; if (r == 0) break; else continue; }
  either { x = 1; } or { y = 1; } or { while (z == 0) { z = 1; } }
  atomic { x = 1; r = y; }
  { { z = 2; } r = z; }
  if (r == 7) { goto a; }
  if (r == 8) { }
  e: skip;
  f:
}

thread q {
  reg r;
  l0: x = 1; goto l1;
  l1: r = y; goto l2;
  l1: assume r == 0; goto l0;
  l2: return;
}
