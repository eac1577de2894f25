// Operators whose value is used, and those whose value only seems to be.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, z;
_Atomic unsigned char small = 255;
int data, a, b, c, d;

void *writer(void *arg) {
  data = 1;
  a = (int)++x; // needs: release
  b = -(int)x--; // needs: relaxed
  (void)(x += 2); // needs: relaxed
  ((x)++); // needs: relaxed
  (y = 2); // needs: relaxed
  c = ({ y = 3; }); // needs: seq_cst
  ({ y = 4; }); // needs: relaxed
  d = x ? (z = 1, 5) : (z = 2); // needs: relaxed, relaxed, seq_cst
  for (z = 0; z < 1; z++) // needs: relaxed, relaxed, relaxed
    ;
  y = 5, z = 6; // needs: release, release
  if (++small == 0 && small++ == 0) // needs: seq_cst, relaxed
    small = 7; // needs: relaxed
  return arg;
}

void *reader(void *arg) {
  if (x == 3 || (y) == 5 || z == 6) // needs: relaxed, relaxed, relaxed
    assert(data == 1);
  return arg;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, writer, 0);
  pthread_create(&u, 0, reader, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a == 1 && b == -1 && c == 3 && d == 5 && small == 7); // needs: relaxed
  return 0;
}
