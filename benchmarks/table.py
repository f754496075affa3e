"""The table that a benchmark prints, and its record: machine and date, and a row for each thing that was measured."""

import json
import math
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

RECORD = Path(__file__).resolve().parent / "record"


def p95(values) -> float:
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


def machine() -> dict:
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":")[1].strip() for line in cpuinfo.read_text("utf-8").splitlines() if "model name" in line]
        model = names[0] if names else model
    load = [round(value, 2) for value in os.getloadavg()]
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": model or platform.machine(),
        "cores": os.cpu_count(),
        "load": load,
        "python": platform.python_version(),
        "system": platform.system(),
    }


class Table:
    """Rows as they are measured. `name` is that of the record, `head` says what the rows are."""

    def __init__(self, name: str = "", head: str = "run (each answer checked)") -> None:
        self.name = name
        self.machine = machine()
        self.rows: list[dict] = []
        print(", ".join(f"{key} {value}" for key, value in self.machine.items()))
        print(f"{head:58} {'median':>9} {'p95':>9}", flush=True)

    def add(self, name: str, values: list[float], unit: str, limit: float | None = None, note: str = "") -> None:
        row = {"name": name, "median": round(median(values), 3), "p95": round(p95(values), 3), "n": len(values)}
        row |= {"unit": unit, "limit": limit, "note": note}
        self.rows.append(row)
        verdict = "" if limit is None else "ok" if row["median"] <= limit else "OVER"
        limited = "" if limit is None else f"at most {limit:g}"
        print(
            f"{name:58} {row['median']:>9.2f} {row['p95']:>9.2f} {unit:3} {limited:>12} {verdict:5}{note}", flush=True
        )

    def close(self, record: bool) -> None:
        """Write the record if that is wanted, and end with an error if a row is over its limit."""
        if record:
            RECORD.mkdir(exist_ok=True)
            ending = f"-{self.name}" if self.name else ""
            path = RECORD / f"{self.machine['date'][:10]}-{platform.machine()}{ending}.json"
            path.write_text(json.dumps({"machine": self.machine, "runs": self.rows}, indent=1) + "\n", "utf-8")
            print(f"written: {path.name}")
        if any(row["limit"] is not None and row["median"] > row["limit"] for row in self.rows):
            sys.exit("some figures are over their limits")
