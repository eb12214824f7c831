// What loops in C++ do on this machine's processor, for the rows of `crosslane bench` that wait for memory: the floor.
//
//     g++ -O3 -march=native -fopenmp floor.cpp -o floor && ./floor
//
// Prints op, n and GB/s, the best of several runs on all threads. Inputs are random, and a checksum keeps results alive.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

static const long N = 1 << 22, SIDE = 2048;
static volatile float sink;

typedef const float* __restrict In;
typedef float* __restrict Out;

static void copy(In x, In, Out z) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) z[i] = x[i];
}

static void mul(In x, In, Out z) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) z[i] = x[i] * 0.4f;
}

static void add(In x, In y, Out z) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) z[i] = x[i] + y[i];
}

static void triad(In x, In y, Out z) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) z[i] = x[i] + 0.4f * y[i];
}

static void two_x_plus_1(In x, In, Out z) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) z[i] = x[i] * 2.0f + 1.0f;
}

// As many partial sums as hide an addition's latency, whatever the compiler's vectors are.
static const long CHAINS = 64;

static float dot_of(In x, In y, long n) {
    float sums[CHAINS] = {};
    for (long i = 0; i < n; i += CHAINS)
        for (long k = 0; k < CHAINS; k++) sums[k] += x[i + k] * y[i + k];
    float sum = 0;
    for (long k = 0; k < CHAINS; k++) sum += sums[k];
    return sum;
}

static float sum_of(In x, long n) {
    float sums[CHAINS] = {};
    for (long i = 0; i < n; i += CHAINS)
        for (long k = 0; k < CHAINS; k++) sums[k] += x[i + k];
    float sum = 0;
    for (long k = 0; k < CHAINS; k++) sum += sums[k];
    return sum;
}

static const long PART = 1 << 15;

static void dot(In x, In y, Out) {
    float sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < N; i += PART) sum += dot_of(x + i, y + i, PART);
    sink = sum;
}

static void sum(In x, In, Out) {
    float sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < N; i += PART) sum += sum_of(x + i, PART);
    sink = sum;
}

static void sum_rows(In x, In, Out z) {
    #pragma omp parallel for
    for (long r = 0; r < SIDE; r++) z[r] = sum_of(x + r * SIDE, SIDE);
}

static void matvec(In x, In y, Out z) {
    #pragma omp parallel for
    for (long r = 0; r < SIDE; r++) z[r] = dot_of(x + r * SIDE, y, SIDE);
}

static void sum_columns(In x, In, Out z) {
    const long width = SIDE / 4;
    #pragma omp parallel for
    for (long first = 0; first < SIDE; first += width) {
        float sums[width] = {};
        for (long r = 0; r < SIDE; r++)
            for (long k = 0; k < width; k++) sums[k] += x[r * SIDE + first + k];
        std::copy(sums, sums + width, z + first);
    }
}

// Sums of parts, then each part from where the ones before it end.
static void exclusive_sum(In x, In, Out z) {
    const long parts = N / PART;
    float sums[parts], before = 0;
    #pragma omp parallel for
    for (long part = 0; part < parts; part++) sums[part] = sum_of(x + part * PART, PART);
    for (float& sum : sums) {
        float own = sum;
        sum = before;
        before += own;
    }
    #pragma omp parallel for
    for (long part = 0; part < parts; part++) {
        float sum = sums[part];
        for (long i = part * PART; i < (part + 1) * PART; i++) {
            z[i] = sum;
            sum += x[i];
        }
    }
}

struct Row {
    const char* op;
    long n;
    double arrays;
    void (*f)(In, In, Out);
};

static const Row ROWS[] = {
    {"copy_f32", N, 2, copy},
    {"mul_f32", N, 2, mul},
    {"add_f32", N, 3, add},
    {"triad_f32", N, 3, triad},
    {"expression_2x_plus_1", N, 2, two_x_plus_1},
    {"dot_f32", N, 2, dot},
    {"sum_f32", N, 1, sum},
    {"sum_rows_f32", SIDE, 1, sum_rows},
    {"sum_columns_f32", SIDE, 1, sum_columns},
    {"matvec_f32", SIDE, 1, matvec},
    {"exclusive_sum_f32", N, 2, exclusive_sum},
};

int main() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> any(-0.5f, 0.5f);
    std::vector<float> a(N), b(N), c(N);
    for (float& x : a) x = any(random);
    for (float& x : b) x = any(random);
    for (const Row& row : ROWS) {
        double best = 1e9, all = 0;
        row.f(a.data(), b.data(), c.data());
        for (int turn = 0; turn < 5 || all < 0.3; turn++) {
            auto start = std::chrono::steady_clock::now();
            row.f(a.data(), b.data(), c.data());
            double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            best = std::min(best, took);
            all += took;
        }
        printf("%s %ld %.2f\n", row.op, row.n, 4 * row.arrays * N / best / 1e9);
        sink = c[random() % N];
    }
}
