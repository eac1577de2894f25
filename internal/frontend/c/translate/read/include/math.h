#ifndef _FP_MATH_H
#define _FP_MATH_H
#include <stdint.h>
#include <features.h>
typedef float float_t;
typedef double double_t;
extern int signgam;
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define HUGE_VALL (__builtin_huge_vall())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define fpclassify(x) __builtin_fpclassify(0, 1, 4, 3, 2, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 3
double acos(double);
double asin(double);
double atan(double);
double atan2(double, double);
double cos(double);
double sin(double);
double tan(double);
double cosh(double);
double sinh(double);
double tanh(double);
double acosh(double);
double asinh(double);
double atanh(double);
double exp(double);
double frexp(double, int *);
double ldexp(double, int);
double log(double);
double log10(double);
double modf(double, double *);
double expm1(double);
double log1p(double);
double logb(double);
double exp2(double);
double log2(double);
double pow(double, double);
double sqrt(double);
double hypot(double, double);
double cbrt(double);
double ceil(double);
double fabs(double);
double floor(double);
double fmod(double, double);
double copysign(double, double);
double nan(const char *);
double erf(double);
double erfc(double);
double lgamma(double);
double tgamma(double);
double rint(double);
double nextafter(double, double);
double nexttoward(double, long double);
double remainder(double, double);
double scalbn(double, int);
int ilogb(double);
double scalbln(double, long int);
double nearbyint(double);
double round(double);
double trunc(double);
double remquo(double, double, int *);
long int lrint(double);
long long int llrint(double);
long int lround(double);
long long int llround(double);
double fdim(double, double);
double fmax(double, double);
double fmin(double, double);
double fma(double, double, double);
float acosf(float);
float asinf(float);
float atanf(float);
float atan2f(float, float);
float cosf(float);
float sinf(float);
float tanf(float);
float coshf(float);
float sinhf(float);
float tanhf(float);
float acoshf(float);
float asinhf(float);
float atanhf(float);
float expf(float);
float frexpf(float, int *);
float ldexpf(float, int);
float logf(float);
float log10f(float);
float modff(float, float *);
float expm1f(float);
float log1pf(float);
float logbf(float);
float exp2f(float);
float log2f(float);
float powf(float, float);
float sqrtf(float);
float hypotf(float, float);
float cbrtf(float);
float ceilf(float);
float fabsf(float);
float floorf(float);
float fmodf(float, float);
float copysignf(float, float);
float nanf(const char *);
float erff(float);
float erfcf(float);
float lgammaf(float);
float tgammaf(float);
float rintf(float);
float nextafterf(float, float);
float nexttowardf(float, long double);
float remainderf(float, float);
float scalbnf(float, int);
int ilogbf(float);
float scalblnf(float, long int);
float nearbyintf(float);
float roundf(float);
float truncf(float);
float remquof(float, float, int *);
long int lrintf(float);
long long int llrintf(float);
long int lroundf(float);
long long int llroundf(float);
float fdimf(float, float);
float fmaxf(float, float);
float fminf(float, float);
float fmaf(float, float, float);
long double acosl(long double);
long double asinl(long double);
long double atanl(long double);
long double atan2l(long double, long double);
long double cosl(long double);
long double sinl(long double);
long double tanl(long double);
long double coshl(long double);
long double sinhl(long double);
long double tanhl(long double);
long double acoshl(long double);
long double asinhl(long double);
long double atanhl(long double);
long double expl(long double);
long double frexpl(long double, int *);
long double ldexpl(long double, int);
long double logl(long double);
long double log10l(long double);
long double modfl(long double, long double *);
long double expm1l(long double);
long double log1pl(long double);
long double logbl(long double);
long double exp2l(long double);
long double log2l(long double);
long double powl(long double, long double);
long double sqrtl(long double);
long double hypotl(long double, long double);
long double cbrtl(long double);
long double ceill(long double);
long double fabsl(long double);
long double floorl(long double);
long double fmodl(long double, long double);
long double copysignl(long double, long double);
long double nanl(const char *);
long double erfl(long double);
long double erfcl(long double);
long double lgammal(long double);
long double tgammal(long double);
long double rintl(long double);
long double nextafterl(long double, long double);
long double nexttowardl(long double, long double);
long double remainderl(long double, long double);
long double scalbnl(long double, int);
int ilogbl(long double);
long double scalblnl(long double, long int);
long double nearbyintl(long double);
long double roundl(long double);
long double truncl(long double);
long double remquol(long double, long double, int *);
long int lrintl(long double);
long long int llrintl(long double);
long int lroundl(long double);
long long int llroundl(long double);
long double fdiml(long double, long double);
long double fmaxl(long double, long double);
long double fminl(long double, long double);
long double fmal(long double, long double, long double);
#ifdef __FP_USE_DEFAULT
int (isinf)(double);
int finite(double);
double drem(double, double);
double significand(double);
int (isnan)(double);
double j0(double);
double j1(double);
double jn(int, double);
double y0(double);
double y1(double);
double yn(int, double);
double gamma(double);
double lgamma_r(double, int *);
double scalb(double, double);
int isinff(float);
int finitef(float);
float dremf(float, float);
float significandf(float);
int isnanf(float);
float j0f(float);
float j1f(float);
float jnf(int, float);
float y0f(float);
float y1f(float);
float ynf(int, float);
float gammaf(float);
float lgammaf_r(float, int *);
float scalbf(float, float);
int isinfl(long double);
int finitel(long double);
long double dreml(long double, long double);
long double significandl(long double);
int isnanl(long double);
long double j0l(long double);
long double j1l(long double);
long double jnl(int, long double);
long double y0l(long double);
long double y1l(long double);
long double ynl(int, long double);
long double gammal(long double);
long double lgammal_r(long double, int *);
long double scalbl(long double, long double);
#endif
#ifdef _GNU_SOURCE
#define FP_LLOGB0 (-9223372036854775807L - 1)
#define FP_LLOGBNAN (-9223372036854775807L - 1)
#define FP_INT_UPWARD 0
#define FP_INT_DOWNWARD 1
#define FP_INT_TOWARDZERO 2
#define FP_INT_TONEARESTFROMZERO 3
#define FP_INT_TONEAREST 4
void sincos(double, double *, double *);
double exp10(double);
double nextdown(double);
double nextup(double);
long int llogb(double);
double roundeven(double);
intmax_t fromfp(double, int, unsigned int);
uintmax_t ufromfp(double, int, unsigned int);
intmax_t fromfpx(double, int, unsigned int);
uintmax_t ufromfpx(double, int, unsigned int);
int canonicalize(double *, const double *);
double fmaxmag(double, double);
double fminmag(double, double);
double fmaximum(double, double);
double fminimum(double, double);
double fmaximum_num(double, double);
double fminimum_num(double, double);
double fmaximum_mag(double, double);
double fminimum_mag(double, double);
double fmaximum_mag_num(double, double);
double fminimum_mag_num(double, double);
int totalorder(const double *, const double *);
int totalordermag(const double *, const double *);
double getpayload(const double *);
int setpayload(double *, double);
int setpayloadsig(double *, double);
void sincosf(float, float *, float *);
float exp10f(float);
float nextdownf(float);
float nextupf(float);
long int llogbf(float);
float roundevenf(float);
intmax_t fromfpf(float, int, unsigned int);
uintmax_t ufromfpf(float, int, unsigned int);
intmax_t fromfpxf(float, int, unsigned int);
uintmax_t ufromfpxf(float, int, unsigned int);
int canonicalizef(float *, const float *);
float fmaxmagf(float, float);
float fminmagf(float, float);
float fmaximumf(float, float);
float fminimumf(float, float);
float fmaximum_numf(float, float);
float fminimum_numf(float, float);
float fmaximum_magf(float, float);
float fminimum_magf(float, float);
float fmaximum_mag_numf(float, float);
float fminimum_mag_numf(float, float);
int totalorderf(const float *, const float *);
int totalordermagf(const float *, const float *);
float getpayloadf(const float *);
int setpayloadf(float *, float);
int setpayloadsigf(float *, float);
void sincosl(long double, long double *, long double *);
long double exp10l(long double);
long double nextdownl(long double);
long double nextupl(long double);
long int llogbl(long double);
long double roundevenl(long double);
intmax_t fromfpl(long double, int, unsigned int);
uintmax_t ufromfpl(long double, int, unsigned int);
intmax_t fromfpxl(long double, int, unsigned int);
uintmax_t ufromfpxl(long double, int, unsigned int);
int canonicalizel(long double *, const long double *);
long double fmaxmagl(long double, long double);
long double fminmagl(long double, long double);
long double fmaximuml(long double, long double);
long double fminimuml(long double, long double);
long double fmaximum_numl(long double, long double);
long double fminimum_numl(long double, long double);
long double fmaximum_magl(long double, long double);
long double fminimum_magl(long double, long double);
long double fmaximum_mag_numl(long double, long double);
long double fminimum_mag_numl(long double, long double);
int totalorderl(const long double *, const long double *);
int totalordermagl(const long double *, const long double *);
long double getpayloadl(const long double *);
int setpayloadl(long double *, long double);
int setpayloadsigl(long double *, long double);
float fadd(double, double);
float fdiv(double, double);
float ffma(double, double, double);
float fmul(double, double);
float fsqrt(double);
float fsub(double, double);
float faddl(long double, long double);
float fdivl(long double, long double);
float ffmal(long double, long double, long double);
float fmull(long double, long double);
float fsqrtl(long double);
float fsubl(long double, long double);
double daddl(long double, long double);
double ddivl(long double, long double);
double dfmal(long double, long double, long double);
double dmull(long double, long double);
double dsqrtl(long double);
double dsubl(long double, long double);
#endif
#endif
