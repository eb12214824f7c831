// Counts: Poisson, binomial and geometric numbers. Rules: words.wgsl. An element takes a block for each attempt: 64 fail with
// a chance below 2^-100.
//
// Few are counted off one by one; many by transformed rejection (Hoermann, "The transformed rejection method for generating
// Poisson random variables", 1993; "The generation of binomial random variates", 1993), with chances in the form of Loader
// ("Fast and accurate computation of binomial probabilities", 2000), where nothing large cancels.

// ln k! - (k ln k - k + ln(2 pi k) / 2), Stirling's rest. 3e-4 absolute for 1, 1e-6 from 3 on.
fn x_stirling(k: f32) -> f32 {
    let r = x_reciprocal(k);
    let s = x_pin(r * r);
    return x_pin((x_pin((x_pin(0.00079365 * s) - 0.0027777778) * s) + 0.083333336) * r);
}

// k ln(m / k) - (m - k) for k > 0: what a count is less likely for being away from its mean.
fn x_away(k: f32, m: f32) -> f32 {
    return x_pin(k * x_log_beyond(max((m - k) * x_reciprocal(k), -0.99999994)));
}

fn r_poisson(i: u32, key0: u32, key1: u32, low: u32, high: u32, rate: f32) -> u32 {
    if !(rate > 0.0) {
        return 0u;
    }
    let mean = min(rate, 16000000.0);
    if mean < 10.0 {
        var u = r_real(r_block(i, key0, key1, low, high, 0u).x);
        var chance = x_exp(-mean);
        var k = 0u;
        // What is left of u by rounding must not count on among chances below it.
        while u >= chance && (chance > 2e-8 || f32(k) < mean) {
            u = u - chance;
            k++;
            chance = chance * mean * x_reciprocal(f32(k));
        }
        return k;
    }
    let b = x_pin(x_pin(2.53 * x_root(mean)) + 0.931);
    let a = x_pin(0.02483 * b) - 0.059;
    let scale = x_pin(1.1328 * x_reciprocal(b - 3.4)) + 1.1239;
    let squeeze = 0.9277 - x_pin(3.6224 * x_reciprocal(b - 2.0));
    for (var attempt = 0u; attempt < 64u; attempt++) {
        let block = r_block(i, key0, key1, low, high, attempt);
        let u = r_real(block.x) - 0.5;
        let us = max(0.5 - abs(u), 2.9802322e-8);
        let v = r_real(block.y);
        let slope = x_pin(2.0 * a * x_reciprocal(us)) + b;
        let k = floor(x_pin(x_pin(slope * u) + mean) + 0.43);
        if us >= 0.07 && v <= squeeze {
            return u32(k);
        }
        if k >= 0.0 && k < 4e9 && (us >= 0.013 || v <= us) {
            let bound = x_pin(a * x_reciprocal(us * us)) + b;
            let left = -r_minus_log(block.y) + (x_log(scale) - x_log(bound));
            var right = -mean;
            if k > 0.0 {
                right = x_away(k, mean) - (x_pin(0.5 * x_log(6.2831855 * k)) + x_stirling(k));
            }
            if left <= right {
                return u32(k);
            }
        }
    }
    return u32(mean);
}

// ln of the chance of k of n, up to what does not depend on k.
fn x_binomial(k: f32, n: f32, p: f32, q: f32) -> f32 {
    if k < 0.5 {
        return x_pin(n * (x_log_beyond(-p) - p)) + x_pin(0.9189385 - x_stirling(n));
    }
    if k > n - 0.5 {
        return x_pin(n * x_log(p)) + x_pin(0.9189385 - x_stirling(n));
    }
    let other = n - k;
    let away = x_away(k, x_pin(n * p)) + x_away(other, x_pin(n * q));
    let spread = x_pin(0.5 * (x_log(k) + x_log(other) - x_log(n)));
    return (away - spread) - (x_stirling(k) + x_stirling(other));
}

fn r_binomial(i: u32, key0: u32, key1: u32, low: u32, high: u32, trials: u32, chance: f32) -> u32 {
    let flipped = chance > 0.5;
    let p = select(chance, 1.0 - chance, flipped);
    let count = min(trials, 16777216u);
    if count == 0u || !(p > 0.0) {
        return select(0u, count, flipped);
    }
    let k = r_successes(i, key0, key1, low, high, f32(count), p);
    return select(k, count - min(k, count), flipped);
}

// Of at most half a chance.
fn r_successes(i: u32, key0: u32, key1: u32, low: u32, high: u32, n: f32, p: f32) -> u32 {
    let q = 1.0 - p;
    let mean = n * p;
    if mean < 10.0 {
        var u = r_real(r_block(i, key0, key1, low, high, 0u).x);
        let odds = p * x_reciprocal(q);
        var k = 0.0;
        var one = x_exp(n * (x_log_beyond(-p) - p));
        while u >= one && (one > 2e-8 || k < mean) && k < n {
            u = u - one;
            one = one * (n - k) * odds;
            k = k + 1.0;
            one = one * x_reciprocal(k);
        }
        return u32(k);
    }
    let spread = x_root(mean * q);
    let b = x_pin(x_pin(2.53 * spread) + 1.15);
    let a = x_pin(x_pin(0.0248 * b) + x_pin(0.01 * p)) - 0.0873;
    let alpha = (x_pin(5.1 * x_reciprocal(b)) + 2.83) * spread;
    let squeeze = 0.92 - x_pin(4.2 * x_reciprocal(b));
    let most = x_binomial(floor(x_pin((n + 1.0) * p)), n, p, q);
    for (var attempt = 0u; attempt < 64u; attempt++) {
        let block = r_block(i, key0, key1, low, high, attempt);
        let u = r_real(block.x) - 0.5;
        let us = max(0.5 - abs(u), 2.9802322e-8);
        let v = r_real(block.y);
        let slope = x_pin(2.0 * a * x_reciprocal(us)) + b;
        let k = floor(x_pin(x_pin(slope * u) + x_pin(mean)) + 0.5);
        if k >= 0.0 && k <= n {
            if us >= 0.07 && v <= squeeze {
                return u32(k);
            }
            let bound = x_pin(a * x_reciprocal(us * us)) + b;
            let left = -r_minus_log(block.y) + (x_log(alpha) - x_log(bound));
            if left <= x_binomial(k, n, p, q) - most {
                return u32(k);
            }
        }
    }
    return u32(mean);
}

// Trials up to the first success: at least 1, at most 4294967040.
fn r_geometric(i: u32, key0: u32, key1: u32, low: u32, high: u32, chance: f32) -> u32 {
    if !(chance > 0.0) {
        return 4294967040u;
    }
    if chance >= 1.0 {
        return 1u;
    }
    let wait = r_minus_log(r_word(i, key0, key1, low, high));
    let each = max(chance - x_log_beyond(-chance), 1e-37);
    return u32(min(floor(wait * x_reciprocal(each)) + 1.0, 4294967040.0));
}
