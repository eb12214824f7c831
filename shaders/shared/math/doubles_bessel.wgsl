// Bessel functions of doubles of the orders 0 and 1: I and J. bessel.wgsl has the methods.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// I0(x) for z = x^2/4 <= 36.
fn m_wide_i0_near(z: D) -> D {
    var p = fma(z, D(3.9474006485972304e-37), D(2.2557346843311546e-35));
    p = fma(z, p, D(2.9579089795646274e-32));
    p = fma(z, p, D(7.502905368420763e-30));
    p = fma(z, p, D(2.3067997548830513e-27));
    p = fma(z, p, D(5.8384629013282805e-25));
    p = fma(z, p, D(1.316086000507365e-22));
    p = fma(z, p, D(2.578851578986003e-20));
    p = fma(z, p, D(4.3584051727342875e-18));
    p = fma(z, p, D(6.276078947327905e-16));
    p = fma(z, p, D(7.594058722070743e-14));
    p = fma(z, p, D(7.594058400083847e-12));
    p = fma(z, p, D(6.151187328838196e-10));
    p = fma(z, p, D(3.936759889027251e-08));
    p = fma(z, p, D(1.929012345683617e-06));
    p = fma(z, p, D(6.944444444443127e-05));
    p = fma(z, p, D(0.0017361111111111362));
    p = fma(z, p, D(0.02777777777777775));
    p = fma(z, p, D(0.25));
    p = fma(z, p, D(1.0));
    p = fma(z, p, D(1.0));
    return p;
}

// e^-x sqrt(x) I0(x) for v = 1/x <= 1/12.
fn m_wide_i0_far(v: D) -> D {
    var p = fma(v, D(9442947946.22904), D(-6453234547.062864));
    p = fma(v, p, D(1955823639.5373304));
    p = fma(v, p, D(-349512431.4474273));
    p = fma(v, p, D(41269422.530563205));
    p = fma(v, p, D(-3410680.161295688));
    p = fma(v, p, D(203683.30508947643));
    p = fma(v, p, D(-8911.717746866725));
    p = fma(v, p, D(290.5930718657565));
    p = fma(v, p, D(-6.143495392046628));
    p = fma(v, p, D(0.34575627018216215));
    p = fma(v, p, D(0.08917613906859048));
    p = fma(v, p, D(0.04475406222374699));
    p = fma(v, p, D(0.029219341614972683));
    p = fma(v, p, D(0.028050629294849874));
    p = fma(v, p, D(0.04986778504983947));
    p = fma(v, p, D(0.39894228040143287));
    return p;
}

// I1(x)/(x/2) for z = x^2/4 <= 36.
fn m_wide_i1_near(z: D) -> D {
    var p = fma(z, D(1.810393282277352e-38), D(1.3832383373780734e-36));
    p = fma(z, p, D(1.5132049333140809e-33));
    p = fma(z, p, D(4.214027106800703e-31));
    p = fma(z, p, D(1.3536378731258958e-28));
    p = fma(z, p, D(3.6507791291032526e-26));
    p = fma(z, p, D(8.773215119720824e-24));
    p = fma(z, p, D(1.8420580115375417e-21));
    p = fma(z, p, D(3.3526143151331953e-19));
    p = fma(z, p, D(5.230066732228047e-17));
    p = fma(z, p, D(6.903689609487459e-15));
    p = fma(z, p, D(7.594058415786333e-13));
    p = fma(z, p, D(6.834652586218423e-11));
    p = fma(z, p, D(4.920949861376079e-09));
    p = fma(z, p, D(2.755731922400615e-07));
    p = fma(z, p, D(1.1574074074073494e-05));
    p = fma(z, p, D(0.0003472222222222233));
    p = fma(z, p, D(0.006944444444444443));
    p = fma(z, p, D(0.08333333333333333));
    p = fma(z, p, D(0.5));
    p = fma(z, p, D(1.0));
    return p;
}

// e^-x sqrt(x) I1(x) for v = 1/x <= 1/12.
fn m_wide_i1_far(v: D) -> D {
    var p = fma(v, D(-9619454216.432098), D(6595071953.281729));
    p = fma(v, p, D(-2003864831.78016));
    p = fma(v, p, D(358811237.91806656));
    p = fma(v, p, D(-42435698.59687921));
    p = fma(v, p, D(3511676.3316921205));
    p = fma(v, p, D(-209948.7862272993));
    p = fma(v, p, D(9193.293167752565));
    p = fma(v, p, D(-300.27667277266477));
    p = fma(v, p, D(6.263929598169094));
    p = fma(v, p, D(-0.3912371077807245));
    p = fma(v, p, D(-0.10926141837304011));
    p = fma(v, p, D(-0.0575379608003551));
    p = fma(v, p, D(-0.04090710152137452));
    p = fma(v, p, D(-0.04675104869580618));
    p = fma(v, p, D(-0.14960335515018572));
    p = fma(v, p, D(0.3989422804014325));
    return p;
}

// What x^2/4 was rounded by, z = fl(x^2/4), as the share by which a function that grows as e^x grows through it.
fn m_wide_bessel_share(s: D, z: D) -> D {
    let h = m_wide_hi(s);
    return fma(s - h, s + h, h * h - z) / max(s, D(1.0)) * D(0.93);
}

// e^a / sqrt(a), 2^-8 too small, since it overflows before I0 does.
fn m_wide_bessel_growth(a: D) -> D {
    return m_wide_exp_core(min(a, D(720.0)), D(0.0), L(0xfffffffffffffff8lu)) / sqrt(a);
}

// The modified Bessel function I0.
// Max error 4.5 ULP.
fn m_wide_i0(x: D) -> D {
    let a = m_wide_abs(x);
    let s = D(0.5) * min(a, D(12.0));
    let z = s * s;
    let p = m_wide_i0_near(z);
    let near = fma(p, m_wide_bessel_share(s, z), p);
    let b = clamp(a, D(12.0), D(720.0));
    let far = m_wide_i0_far(D(1.0) / b) * m_wide_bessel_growth(b) * D(256.0);
    let v = select(near, far, a >= D(12.0));
    return m_wide_keep_nan(v, x);
}

// The modified Bessel function I1.
// Max error 4.5 ULP.
fn m_wide_i1(x: D) -> D {
    let a = m_wide_abs(x);
    let s = D(0.5) * min(a, D(12.0));
    let z = s * s;
    let p = m_wide_i1_near(z) * s;
    let near = fma(p, m_wide_bessel_share(s, z), p);
    let b = clamp(a, D(12.0), D(720.0));
    let far = m_wide_i1_far(D(1.0) / b) * m_wide_bessel_growth(b) * D(256.0);
    let v = select(near, far, a >= D(12.0));
    return m_wide_keep_nan(m_wide_xorsign(v, x), x);
}

// J0(x) for z = x^2 <= 64: of two polynomials, in the places of z in 0..16 and in 16..64.
fn m_wide_j0_near(z: D) -> D {
    let t = fma(z, D(0.125), D(-1.0));
    var p = fma(t, D(1.5299360425956585e-14), D(-1.0874323440607334e-12));
    p = fma(t, p, D(6.474430378782236e-11));
    p = fma(t, p, D(-3.177438769963085e-09));
    p = fma(t, p, D(1.2577280629203553e-07));
    p = fma(t, p, D(-3.910341979152989e-06));
    p = fma(t, p, D(9.228173990226616e-05));
    p = fma(t, p, D(-0.0015789541366878427));
    p = fma(t, p, D(0.01835270061006565));
    p = fma(t, p, D(-0.1310320635136455));
    p = fma(t, p, D(0.4795280821510107));
    p = fma(t, p, D(-0.565959973761085));
    p = fma(t, p, D(-0.1965480952704682));
    let u = fma(z, D(0.041666666666666664), D(-1.6666666666666667));
    var q = fma(u, D(5.230044633328764e-12), D(-1.6247730849538894e-10));
    q = fma(u, q, D(4.297311504466441e-09));
    q = fma(u, q, D(-9.611810964183327e-08));
    q = fma(u, q, D(1.780829593849664e-06));
    q = fma(u, q, D(-2.6743526331883392e-05));
    q = fma(u, q, D(0.0003165168575592759));
    q = fma(u, q, D(-0.0028413092996565736));
    q = fma(u, q, D(0.01828043038715779));
    q = fma(u, q, D(-0.0765339738240117));
    q = fma(u, q, D(0.16655463770685383));
    q = fma(u, q, D(-0.018956957085172758));
    q = fma(u, q, D(-0.5267466900617466));
    q = fma(u, q, D(0.3827593885164605));
    q = fma(u, q, D(0.22884381861489356));
    p = select(p, fma(z, D(-0.25), D(1.0)), z < D(1e-8));
    return select(p, q, z > D(16.0));
}

// J0 for x >= 8 over sqrt(2/(pi x)): modulus times the cosine of x - pi/4 + phase, v = 1/x.
fn m_wide_j0_far(b: D, v: D) -> D {
    let z = v * v;
    var p = fma(z, D(-14789721142.324743), D(1671130041.1098666));
    p = fma(z, p, D(-90158667.44511527));
    p = fma(z, p, D(3242344.3574682646));
    p = fma(z, p, D(-95657.04258568048));
    p = fma(z, p, D(2855.543404304908));
    p = fma(z, p, D(-106.45858950766433));
    p = fma(z, p, D(5.847621855963625));
    p = fma(z, p, D(-0.5428450322324243));
    p = fma(z, p, D(0.10351562367092748));
    p = fma(z, p, D(-0.06249999999957273));
    p = fma(z, p, D(1.0));
    var q = fma(z, D(113744133687.04857), D(-12666692072.910633));
    q = fma(z, q, D(667412607.9991754));
    q = fma(z, q, D(-23052239.56671087));
    q = fma(z, q, D(634081.0758919065));
    q = fma(z, q, D(-16870.014139722574));
    q = fma(z, q, D(532.0037747554458));
    q = fma(z, q, D(-23.466041632354283));
    q = fma(z, q, D(1.638052059322582));
    q = fma(z, q, D(-0.20957030138065838));
    q = fma(z, q, D(0.06510416666309762));
    q = fma(z, q, D(-0.1249999999999998));
    return p * m_wide_bessel_cos(b, v * q, L(1lu));
}

// J1(x)/x for z = x^2 <= 64: of two polynomials, in the places of z in 0..16 and in 16..64.
fn m_wide_j1_near(z: D) -> D {
    let t = fma(z, D(0.125), D(-1.0));
    var p = fma(t, D(5.950068936369829e-16), D(-4.590114627023426e-14));
    p = fma(t, p, D(2.988802684077938e-12));
    p = fma(t, p, D(-1.6186075180708852e-10));
    p = fma(t, p, D(7.149238905858375e-09));
    p = fma(t, p, D(-2.5154561259096723e-07));
    p = fma(t, p, D(6.843098462736796e-06));
    p = fma(t, p, D(-0.00013842260985339657));
    p = fma(t, p, D(0.001973692670859966));
    p = fma(t, p, D(-0.01835270061006565));
    p = fma(t, p, D(0.0982740476352341));
    p = fma(t, p, D(-0.23976404107550536));
    p = fma(t, p, D(0.14148999344027124));
    let u = fma(z, D(0.041666666666666664), D(-1.6666666666666667));
    var q = fma(u, D(1.821693365672456e-13), D(-6.103937129810664e-12));
    q = fma(u, q, D(1.7542504577156234e-10));
    q = fma(u, q, D(-4.297304849350503e-09));
    q = fma(u, q, D(8.81090185874359e-08));
    q = fma(u, q, D(-1.4840246691669634e-06));
    q = fma(u, q, D(2.0057644279290727e-05));
    q = fma(u, q, D(-0.00021101123836869123));
    q = fma(u, q, D(0.0016574304249490882));
    q = fma(u, q, D(-0.009140215193579987));
    q = fma(u, q, D(0.03188915575998246));
    q = fma(u, q, D(-0.05551821256895116));
    q = fma(u, q, D(0.004739239271294435));
    q = fma(u, q, D(0.0877911150102911));
    q = fma(u, q, D(-0.031896615709705055));
    p = select(p, D(0.5), z < D(1e-17));
    return select(p, q, z > D(16.0));
}

// J1 for x >= 8 over sqrt(2/(pi x)): modulus times the cosine of x - 3 pi/4 + phase, v = 1/x.
fn m_wide_j1_far(b: D, v: D) -> D {
    let z = v * v;
    var p = fma(z, D(16884545039.924421), D(-1911956281.2215033));
    p = fma(z, p, D(103528626.33271928));
    p = fma(z, p, D(-3747709.4313873285));
    p = fma(z, p, D(111929.22199945593));
    p = fma(z, p, D(-3416.523250681357));
    p = fma(z, p, D(132.2790837240645));
    p = fma(z, p, D(-7.738738024572683));
    p = fma(z, p, D(0.8052959917624929));
    p = fma(z, p, D(-0.19335937349911558));
    p = fma(z, p, D(0.1874999999995174));
    p = fma(z, p, D(1.0));
    var q = fma(z, D(-129729002996.67621), D(14475620633.353416));
    q = fma(z, q, D(-765260543.2153488));
    q = fma(z, q, D(26588010.611003786));
    q = fma(z, q, D(-739360.6425661651));
    q = fma(z, q, D(20068.48639137334));
    q = fma(z, q, D(-655.0896109109148));
    q = fma(z, q, D(30.61377036424821));
    q = fma(z, q, D(-2.3693822538083253));
    q = fma(z, q, D(0.3708984249548181));
    q = fma(z, q, D(-0.16406249999597253));
    q = fma(z, q, D(0.3749999999999998));
    return p * m_wide_bessel_cos(b, v * q, L(0lu));
}

// cos(b - pi/4 + phase), or a quarter of a turn less of it where `quarter` is 0: pi/4 in two parts.
fn m_wide_bessel_cos(b: D, phase: D, quarter: L) -> D {
    var turns = L(0lu);
    var low = D(0.0);
    let r = m_wide_reduce(b, &turns, &low);
    let back = r < D(0.0);
    let eighth = select(D(-0.7853981633974483), D(0.7853981633974483), back);
    let s = m_wide_pin(r + eighth);
    let rest = m_wide_lost(r, eighth, s) + (low + select(D(-3.061616997868383e-17), D(3.061616997868383e-17), back));
    let u = m_wide_pin(s + phase);
    let l = m_wide_lost(s, phase, u) + rest;
    return m_wide_sin_of(u, l, turns + quarter - select(L(0lu), L(1lu), back));
}

// The Bessel function J0; 0 at the infinities.
// Max error 6.0 ULP of max(|result|, sqrt(2/(pi |x|))).
fn m_wide_j0(x: D) -> D {
    let a = m_wide_abs(x);
    let c = min(a, D(8.0));
    let near = m_wide_j0_near(c * c);
    let b = clamp(a, D(8.0), D(1.7e308));
    let v = D(1.0) / b;
    let far = sqrt(D(0.6366197723675814) * v) * m_wide_j0_far(b, v);
    let w = select(select(near, far, a > D(8.0)), D(0.0), m_wide_is_inf(x));
    return m_wide_keep_nan(w, x);
}

// The Bessel function J1; 0 at the infinities.
// Max error 6.0 ULP of max(|result|, sqrt(2/(pi |x|))); up to 1 of the result.
fn m_wide_j1(x: D) -> D {
    let a = m_wide_abs(x);
    let c = min(a, D(8.0));
    let near = m_wide_j1_near(c * c) * a;
    let b = clamp(a, D(8.0), D(1.7e308));
    let v = D(1.0) / b;
    let far = sqrt(D(0.6366197723675814) * v) * m_wide_j1_far(b, v);
    let w = select(select(near, far, a > D(8.0)), D(0.0), m_wide_is_inf(x));
    return m_wide_keep_nan(m_wide_xorsign(w, x), x);
}
