/* Division of unsigned integers of 128 bits, as pairs of words, without loops: long division with
   digits of 32 bits [Knuth, The Art of Computer Programming 2, §4.3.1, algorithm D; Warren, Hacker's
   Delight, §9-4 and §9-5]. */
int __builtin_clzll(unsigned long long);

/* One digit of the quotient of rest and the next digit by a divisor whose highest bit is set. */
static unsigned long __fp_digit_wide(unsigned long rest, unsigned long next, unsigned long by) {
  unsigned long top = by >> 32, low = by & 0xffffffff;
  unsigned long q = rest / top, r = rest % top;
  if (q >> 32 || q * low > (r << 32 | next)) {
    q--;
    r += top;
    if (r >> 32 == 0 && (q >> 32 || q * low > (r << 32 | next)))
      q--;
  }
  return q;
}

/* The quotient of two words by one that is greater than the high word. */
static unsigned long __fp_quotient_wide(unsigned long low, unsigned long high, unsigned long by) {
  int n = __builtin_clzll(by);
  by <<= n;
  if (n)
    high = high << n | low >> (64 - n);
  low <<= n;
  unsigned long q = __fp_digit_wide(high, low >> 32, by);
  unsigned long rest = (high << 32 | low >> 32) - q * by;
  return (q << 32) + __fp_digit_wide(rest, low & 0xffffffff, by);
}

/* The high word of a product. */
static unsigned long __fp_product_wide(unsigned long x, unsigned long y) {
  unsigned long xl = x & 0xffffffff, xh = x >> 32, yl = y & 0xffffffff, yh = y >> 32;
  unsigned long middle = (xl * yl >> 32) + (xl * yh & 0xffffffff) + (xh * yl & 0xffffffff);
  return xh * yh + (xl * yh >> 32) + (xh * yl >> 32) + (middle >> 32);
}

/* The words of the quotient (0: low, 1: high) and of the remainder (2, 3). */
unsigned long __fp_divide_wide(unsigned long low, unsigned long high, unsigned long by, unsigned long by_high, int which) {
  if (by_high == 0) {
    if (high == 0)
      return which == 0 ? low / by : which == 2 ? low % by : 0;
    if (which == 1)
      return high / by;
    if (which == 3)
      return 0;
    unsigned long q = __fp_quotient_wide(low, high % by, by);
    return which == 0 ? q : low - q * by;
  }
  int n = __builtin_clzll(by_high);
  unsigned long top = n ? by_high << n | by >> (64 - n) : by_high;
  unsigned long q = __fp_quotient_wide(high << 63 | low >> 1, high >> 1, top) >> (63 - n);
  if (q)
    q--;
  unsigned long product = q * by;
  unsigned long rest = low - product;
  unsigned long rest_high = high - __fp_product_wide(q, by) - q * by_high - (low < product);
  if (rest_high > by_high || rest_high == by_high && rest >= by) {
    q++;
    rest_high = rest_high - by_high - (rest < by);
    rest -= by;
  }
  return which == 0 ? q : which == 2 ? rest : which == 3 ? rest_high : 0;
}
