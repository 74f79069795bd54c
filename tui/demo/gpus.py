"""Made-up GPUs: an ``nvidia-smi`` for the demo's boxes and the numbers it prints.

No GPU of this machine is read. The numbers follow what the recorded training does: high while it
trains, lower while it validates or saves, idle when nothing runs.
"""

from __future__ import annotations

import random
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Phase = Literal["idle", "train", "validate", "save"]

_LOAD: dict[Phase, tuple[int, int]] = {
    "idle": (0, 0),
    "train": (91, 99),
    "validate": (38, 62),
    "save": (4, 17),
}
"""Utilisation of each phase in per cent, from and to."""

_STEADY_SECONDS = 1.0
"""How long the numbers stay as they are within one phase."""

_SCRIPT = """\
#!/bin/sh
# boxtop's demo: these GPUs are made up, no GPU of this machine is read.
fields=index,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw
units=1
for argument; do
  case $argument in
    --query-gpu=*) fields=${argument#*=} ;;
    --query-*) exit 0 ;;
  esac
  case $argument in --format=*nounits*) units=0 ;; esac
done
exec awk -F '\\t' -v fields="$fields" -v units="$units" '
  { value[$1, $2] = $3 (units && $4 != "" ? " " $4 : ""); if ($1 + 1 > gpus) gpus = $1 + 1 }
  END {
    count = split(fields, wanted, / *, */)
    for (gpu = 0; gpu < gpus; gpu++)
      for (i = 1; i <= count; i++) {
        shown = (gpu, wanted[i]) in value ? value[gpu, wanted[i]] : "[N/A]"
        printf "%s%s", shown, i < count ? ", " : "\\n"
      }
  }' STATE
"""


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A kind of GPU: memory in MiB, power in watts."""

    name: str
    memory: int
    idle_power: float
    full_power: float


class Gpus:
    """The GPUs of one box. ``used`` is the memory that a training takes, in MiB."""

    def __init__(self, home: Path, model: GpuModel, count: int = 1, used: int = 0) -> None:
        self.model = model
        self.count = count
        self.used = used
        self._chance = random.Random(model.name)
        self._warmth = [0.0] * count
        self._state = home / ".demo" / "gpus"
        script = home / ".demo" / "bin" / "nvidia-smi"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(_SCRIPT.replace("STATE", shlex.quote(str(self._state))))
        script.chmod(0o755)
        self._shown: tuple[Phase | None, float] = (None, 0.0)
        self.show("idle")

    def show(self, phase: Phase) -> None:
        """Let nvidia-smi print numbers of this phase from now on."""
        before, since = self._shown
        if phase == before and time.monotonic() - since < _STEADY_SECONDS:
            return
        self._shown = (phase, time.monotonic())
        lines = [line for gpu in range(self.count) for line in self._lines(gpu, phase)]
        fresh = self._state.with_suffix(".new")
        fresh.write_text("".join(line + "\n" for line in lines))
        fresh.replace(self._state)

    def _lines(self, gpu: int, phase: Phase) -> list[str]:
        model = self.model
        util = self._chance.randint(*_LOAD[phase])
        self._warmth[gpu] += (util / 100 - self._warmth[gpu]) * 0.2  # heat follows load slowly
        power = model.idle_power + (model.full_power - model.idle_power) * util / 100 * 0.9
        values: dict[str, tuple[object, str]] = {
            "index": (gpu, ""),
            "name": (model.name, ""),
            "utilization.gpu": (util, "%"),
            "memory.used": (4 if phase == "idle" else self.used, "MiB"),
            "memory.total": (model.memory, "MiB"),
            "temperature.gpu": (round(34 + 36 * self._warmth[gpu]), ""),
            "power.draw": (f"{power + self._chance.uniform(-2, 2):.2f}", "W"),
        }
        return [f"{gpu}\t{name}\t{value}\t{unit}" for name, (value, unit) in values.items()]
