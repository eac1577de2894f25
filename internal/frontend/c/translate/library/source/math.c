/* What of math.h is exact: the result is a number, or rounded once. Functions of float
   compute in double where that gives the same. */
int *__errno_location(void);
double fabs(double x);
double copysign(double x, double y);
double __fp_sqrt(double x);
float __fp_sqrtf(float x);
unsigned long __fp_bits(double x);
double __fp_number(unsigned long bits);

static const double integral = 4503599627370496.0; /* 2^52: from here on all numbers are integers */

static double error(int number, double result) {
  *__errno_location() = number;
  return result;
}

/* The result of a function whose numbers can get too large or too small. */
static double ranged(double result, int exact) {
  if (!exact && (result == 0 || fabs(result) > 1.7976931348623157e308))
    return error(34, result);
  return result;
}

double sqrt(double x) {
  return x < 0 ? error(33, __fp_sqrt(x)) : __fp_sqrt(x);
}

float sqrtf(float x) {
  if (x < 0)
    *__errno_location() = 33;
  return __fp_sqrtf(x);
}

double trunc(double x) {
  if (x != x)
    return x + x;
  return fabs(x) < integral ? copysign((double)(long)x, x) : x;
}

float truncf(float x) {
  return trunc(x);
}

double floor(double x) {
  double t = trunc(x);
  return t > x ? t - 1 : t;
}

float floorf(float x) {
  return floor(x);
}

double ceil(double x) {
  double t = trunc(x);
  return t < x ? t + 1 : t;
}

float ceilf(float x) {
  return ceil(x);
}

double round(double x) {
  double t = trunc(x);
  return fabs(x - t) >= 0.5 ? t + copysign(1, x) : t;
}

float roundf(float x) {
  return round(x);
}

double rint(double x) {
  if (!(fabs(x) < integral))
    return trunc(x);
  return copysign(fabs(x) + integral - integral, x);
}

float rintf(float x) {
  return rint(x);
}

double nearbyint(double x) {
  return rint(x);
}

float nearbyintf(float x) {
  return rint(x);
}

long lround(double x) {
  return (long)round(x);
}

long lroundf(float x) {
  return (long)round(x);
}

long long llround(double x) {
  return (long)round(x);
}

long long llroundf(float x) {
  return (long)round(x);
}

long lrint(double x) {
  return (long)rint(x);
}

long lrintf(float x) {
  return (long)rint(x);
}

long long llrint(double x) {
  return (long)rint(x);
}

long long llrintf(float x) {
  return (long)rint(x);
}

double fmin(double x, double y) {
  if (x != x || y != y)
    return x != x ? y : x;
  return x < y ? x : y;
}

float fminf(float x, float y) {
  return fmin(x, y);
}

double fmax(double x, double y) {
  if (x != x || y != y)
    return x != x ? y : x;
  return x > y ? x : y;
}

float fmaxf(float x, float y) {
  return fmax(x, y);
}

double fdim(double x, double y) {
  if (x <= y)
    return 0;
  return ranged(x - y, fabs(x) > 1.7976931348623157e308 || fabs(y) > 1.7976931348623157e308);
}

float fdimf(float x, float y) {
  if (x <= y)
    return 0;
  float d = x - y;
  if (fabs(d) > 3.4028234663852886e38 && fabs(x) < 3.5e38 && fabs(y) < 3.5e38)
    *__errno_location() = 34;
  return d;
}

double modf(double x, double *whole) {
  double t = trunc(x);
  *whole = t;
  return fabs(x) > 1.7976931348623157e308 ? copysign(0, x) : copysign(x - t, x);
}

float modff(float x, float *whole) {
  double t, part = modf(x, &t);
  *whole = t;
  return part;
}

double frexp(double x, int *power) {
  unsigned long exponent = __fp_bits(x) >> 52 & 0x7ff;
  int shifted = 0;
  *power = 0;
  if (x == 0 || exponent == 0x7ff)
    return x + x;
  if (exponent == 0) {
    x *= 0x1p54;
    shifted = 54;
    exponent = __fp_bits(x) >> 52 & 0x7ff;
  }
  *power = (int)exponent - 1022 - shifted;
  return __fp_number(__fp_bits(x) & ~(0x7fful << 52) | 1022ul << 52);
}

float frexpf(float x, int *power) {
  return frexp(x, power);
}

/* Small factors leave room for all digits, so that only the last product is rounded. */
static double scaled(double x, long n) {
  for (int i = 0; i < 2 && n > 1023; i++) {
    x *= 0x1p1023;
    n -= 1023;
  }
  for (int i = 0; i < 2 && n < -1022; i++) {
    x *= 0x1p-969;
    n += 969;
  }
  n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
  return x * __fp_number((unsigned long)(1023 + n) << 52);
}

double scalbln(double x, long n) {
  return ranged(scaled(x, n), x == 0 || !(fabs(x) <= 1.7976931348623157e308));
}

double scalbn(double x, int n) {
  return scalbln(x, n);
}

double ldexp(double x, int n) {
  return scalbln(x, n);
}

float scalblnf(float x, long n) {
  float r = scaled(x, n);
  if (x != 0 && fabs(x) < 3.5e38 && (r == 0 || fabs(r) > 3.4028234663852886e38))
    *__errno_location() = 34;
  return r;
}

float scalbnf(float x, int n) {
  return scalblnf(x, n);
}

float ldexpf(float x, int n) {
  return scalblnf(x, n);
}

/* The remainder of a division, digit by digit. */
double fmod(double x, double y) {
  if (x != x || y != y)
    return x * y;
  if (y == 0 || fabs(x) > 1.7976931348623157e308)
    return error(33, (x * y) / (x * y));
  if (fabs(x) < fabs(y) || fabs(y) > 1.7976931348623157e308)
    return x;
  int ex, ey;
  long mx = (long)scaled(frexp(fabs(x), &ex), 53), my = (long)scaled(frexp(fabs(y), &ey), 53);
  for (; ex > ey; ex--) {
    if (mx >= my)
      mx -= my;
    mx <<= 1;
  }
  if (mx >= my)
    mx -= my;
  return copysign(scaled((double)mx, ey - 53), x);
}

float fmodf(float x, float y) {
  return fmod(x, y);
}
