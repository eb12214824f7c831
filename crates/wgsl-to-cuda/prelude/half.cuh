// Part 2, where f16 is used (after scalar; before the rest): a float of 16 bits.
namespace wgsl {

struct f16 {
    unsigned short bits;
    WGSL_FN static f16 from(f32 x);
    WGSL_FN static f16 from(f64 x);
    WGSL_FN static f16 fused(f16 a, f16 b, f16 c); // a * b + c, rounded once
    WGSL_FN explicit operator f32() const;
    WGSL_FN explicit operator f64() const { return f64(f32(*this)); }
};

#ifdef CROSSLANE_EMULATION
WGSL_FN f16 f16::from(f32 x) { return {__builtin_bit_cast(unsigned short, static_cast<_Float16>(x))}; }
WGSL_FN f16 f16::from(f64 x) { return {__builtin_bit_cast(unsigned short, static_cast<_Float16>(x))}; }
WGSL_FN f16::operator f32() const { return f32(__builtin_bit_cast(_Float16, bits)); }
WGSL_FN f16 f16::fused(f16 a, f16 b, f16 c) { return from(::fma(f64(a), f64(b), f64(c))); }
WGSL_FN f16 operator+(f16 a, f16 b) { return f16::from(f32(a) + f32(b)); }
WGSL_FN f16 operator-(f16 a, f16 b) { return f16::from(f32(a) - f32(b)); }
WGSL_FN f16 operator*(f16 a, f16 b) { return f16::from(f32(a) * f32(b)); }
#else
WGSL_FN f16 f16::from(f32 x) {
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
    return r;
}
WGSL_FN f16 f16::from(f64 x) {
    f16 r;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.bits) : "d"(x));
    return r;
}
WGSL_FN f16::operator f32() const {
    f32 r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(bits));
    return r;
}
WGSL_FN f16 f16::fused(f16 a, f16 b, f16 c) {
    f16 r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
#define WGSL_HALF_OPERATOR(symbol, instruction)                                                                        \
    WGSL_FN f16 operator symbol(f16 a, f16 b) {                                                                        \
        f16 r;                                                                                                         \
        asm(instruction " %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));                                     \
        return r;                                                                                                      \
    }
WGSL_HALF_OPERATOR(+, "add.rn.f16")
WGSL_HALF_OPERATOR(-, "sub.rn.f16")
WGSL_HALF_OPERATOR(*, "mul.rn.f16")
#undef WGSL_HALF_OPERATOR
#endif

// f32 has more than twice the bits: its quotient, rounded again, is the right one.
WGSL_FN f16 operator/(f16 a, f16 b) { return f16::from(__fdiv_rn(f32(a), f32(b))); }
WGSL_FN f16 operator-(f16 a) { return {static_cast<unsigned short>(a.bits ^ 0x8000)}; }
WGSL_FN bool operator==(f16 a, f16 b) { return f32(a) == f32(b); }
WGSL_FN bool operator!=(f16 a, f16 b) { return f32(a) != f32(b); }
WGSL_FN bool operator<(f16 a, f16 b) { return f32(a) < f32(b); }
WGSL_FN bool operator<=(f16 a, f16 b) { return f32(a) <= f32(b); }
WGSL_FN bool operator>(f16 a, f16 b) { return f32(a) > f32(b); }
WGSL_FN bool operator>=(f16 a, f16 b) { return f32(a) >= f32(b); }

} // namespace wgsl
