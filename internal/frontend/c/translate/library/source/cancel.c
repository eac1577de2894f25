/* Whether a thread can be cancelled, and where. Nothing cancels one here. */
static _Thread_local int state, type;

int pthread_setcancelstate(int now, int *old) {
  if (now != 0 && now != 1)
    return 22; /* EINVAL */
  if (old)
    *old = state;
  state = now;
  return 0;
}

int pthread_setcanceltype(int now, int *old) {
  if (now != 0 && now != 1)
    return 22;
  if (old)
    *old = type;
  type = now;
  return 0;
}
