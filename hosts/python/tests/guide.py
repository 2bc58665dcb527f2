"""Runs a guide as its reader would: in an empty folder, with nothing but what the guide says.

    python tests/guide.py docs/python.md

Blocks marked `<!-- file: NAME -->` are saved; `sh` blocks are run one after the other in one shell,
but for those marked `<!-- not run: REASON -->`. The guide's supplier is started beforehand, on a
free port, and its checkout is this one."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conftest import ROOT, Strict

GUIDE_URL = "http://127.0.0.1:8080/v2"
GUIDE_CHECKOUT = "CHECKOUT=~/supplier-client\n"
BLOCK = re.compile(r"(?:<!-- (file|not run): ([^>]+) -->\n)?```(\w+)\n(.*?)```\n", re.DOTALL)


def main(guide: str) -> int:
    supplier = Strict()
    script: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for mark, value, language, text in BLOCK.findall(Path(guide).read_text(encoding="utf-8")):
            text = text.replace(GUIDE_URL, supplier.url)
            text = text.replace(GUIDE_CHECKOUT, f"CHECKOUT={shlex.quote(str(ROOT))}\n")
            if mark == "file":
                Path(folder, value).write_text(text, encoding="utf-8")
            elif language == "sh" and mark != "not run":
                script.append(text)
        env = {key: value for key, value in os.environ.items() if not key.startswith("SUPPLIER_")}
        env.pop("VIRTUAL_ENV", None)
        env["XDG_CACHE_HOME"] = f"{folder}/cache"
        began = time.monotonic()
        command = ["bash", "-euc", "".join(script)]
        done = subprocess.run(command, cwd=folder, env=env, timeout=300, check=False)
        took = time.monotonic() - began
    report = supplier.report()
    clean = report["clean"]
    for finding in report["findings"]:
        print(finding, file=sys.stderr)
    print(f"{guide}: {len(script)} blocks in {took:.0f} s, supplier's report clean: {clean}")
    return done.returncode or int(not clean)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
