"""PP of each problem of a report by p3-analysis, from the report's CSV:

    crosslane report --merge benches/reports/{h100,h200,xeon}.json --csv report.csv
    pip install pandas matplotlib git+https://github.com/intel/p3-analysis-library
    python3 benches/reports/p3_analysis.py report.csv [cascade.png PROBLEM]

p3-analysis' `pp` takes one problem at a time. The last two lines are medians, of two in the middle the larger, as `crosslane report`
prints them.
"""

import sys

import pandas as pd
from p3analysis.metrics import pp

rows = pd.read_csv(sys.argv[1])
problems = pd.concat([pp(of_problem) for _, of_problem in rows.groupby("problem", sort=False)])
print(problems.to_string(index=False))
for kind in ["arch pp", "app pp"]:
    print(f"half of {len(problems)} problems have {kind} >= {sorted(problems[kind])[len(problems) // 2]:.3f}")

if len(sys.argv) > 3:
    import matplotlib

    matplotlib.use("Agg")
    from p3analysis.plot import cascade

    cascade(rows[rows.problem == sys.argv[3]]).save(sys.argv[2])
