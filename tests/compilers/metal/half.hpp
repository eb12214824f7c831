// Metal's `half`: kept in 16 bits, computed in float and rounded to the nearest, which is exact for one operation.
#pragma once

struct half {
    half() = default;
    half(float value) : bits(rounded(value)) {}
    template <class T, class = std::enable_if_t<std::is_integral<T>::value>> half(T value) : half(float(value)) {}
    operator float() const { return widened(bits); }

  private:
    uint16_t bits;

    static float widened(uint16_t bits) {
        uint32_t sign = uint32_t(bits & 0x8000) << 16, rest = bits & 0x7fff;
        if (rest >= 0x7c00) return of_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
        // Of small numbers the fraction is the value, in units of 2^-24.
        if (rest < 0x400) return sign ? -float(rest) * 0x1p-24f : float(rest) * 0x1p-24f;
        return of_bits(sign | (rest << 13) + (112u << 23));
    }

    static uint16_t rounded(float value) {
        uint32_t bits;
        __builtin_memcpy(&bits, &value, 4);
        uint16_t sign = uint16_t(bits >> 16 & 0x8000);
        uint32_t rest = bits & 0x7fffffff;
        if (rest > 0x7f800000) return sign | 0x7e00;
        if (rest >= 0x477ff000) return sign | 0x7c00; // 65,520 and more
        if (rest < 0x38800000) return sign | uint16_t(__builtin_rintf(of_bits(rest) * 0x1p24f));
        rest += 0xfff + (rest >> 13 & 1);
        return sign | uint16_t((rest >> 13) - (112u << 10));
    }

    static float of_bits(uint32_t bits) {
        float value;
        __builtin_memcpy(&value, &bits, 4);
        return value;
    }
};
inline half operator""h(long double value) { return half(float(value)); }

// Two halves give a half. With a float, both are floats: they convert.
template <class A, class B> using both_halves =
    std::enable_if_t<std::is_same<A, half>::value && std::is_same<B, half>::value, half>;
#define HALVES(op)                                                                           \
    template <class A, class B> both_halves<A, B> operator op(A a, B b) { return half(float(a) op float(b)); } \
    template <class B> both_halves<half, B>& operator op##=(half& a, B b) { return a = a op b; }
HALVES(+) HALVES(-) HALVES(*) HALVES(/)
#undef HALVES
inline half operator-(half a) { return half(-float(a)); }
