"""The families of cases, and how often each is drawn."""
from cases_elementwise import binary, casts, chains, floats, integers, subnormals, unary, views
from cases_moves import gathers, graphs, joins, long_orders, orders, quantiles, searches, sets
from cases_sums import long_reductions, makings, matrices, normalisations, reductions, scans, scans_of_forms

FAMILIES = {
    unary: 4, binary: 4, integers: 6, floats: 6, subnormals: 2, casts: 6, chains: 6, views: 5, reductions: 10,
    long_reductions: 2, scans: 7, scans_of_forms: 6, orders: 9, sets: 7, quantiles: 4, searches: 6, gathers: 8, joins: 9,
    matrices: 8, normalisations: 4, makings: 3, graphs: 12, long_orders: 2,
}
