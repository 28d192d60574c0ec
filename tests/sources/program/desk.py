"""A program for tests: documents of a folder of JSON files, and every fault that a program may have, by choice."""

import json
import os
import sys
import time
from pathlib import Path

PARAMETERS = [
    {"name": "folder", "required": True, "description": "The folder of the documents."},
    {"name": "fault", "description": "The fault that it has.", "default": ""},
    {"name": "limit", "type": "integer", "default": 1000},
    {"name": "colour", "values": [{"value": "red", "display": "Red"}, "blue"]},
    {"name": "tag", "multiple": True},
    {"name": "password", "secret": True},
]
MODEL = os.path.basename(sys.argv[1]) if len(sys.argv) > 1 else "listing"  # noqa: PTH119


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def say(**message: object) -> None:
    write(json.dumps(message))


def discover(folder: Path, fault: str, cursor: str) -> None:
    if not folder.is_dir():
        say(type="error", code="unreachable", reason=f"there is no folder {folder}")
        return
    for path in sorted(folder.glob("*.json")):
        if MODEL == "feed" and cursor and path.stat().st_mtime_ns <= int(cursor):
            continue
        item = json.loads(path.read_text("utf-8"))
        if item.get("removed"):
            say(type="removed", key=path.stem)
            continue
        about = {name: item[name] for name in ("version", "display", "acl") if name in item}
        say(type="item", key=item.get("key", path.stem), **about)
    if fault == "nonsense":
        write("this is no message")
    if fault == "dies":
        sys.exit(3)
    if fault == "hangs":
        time.sleep(600)
    newest = max((each.stat().st_mtime_ns for each in folder.glob("*.json")), default=0)
    if fault == "no end":
        os.close(1)
        time.sleep(600)
    say(type="done", cursor=str(newest))


def fetch(folder: Path, fault: str, asked: dict[str, str]) -> None:
    if fault == "crashes":
        os.abort()
    if fault == "hangs":
        time.sleep(600)
    if fault == "eats":
        sys.stderr.write(f"{len(bytearray(1 << 31))}\n")
    if fault == "long":
        write("x" * 40_000_000)
        return
    path = folder / f"{asked['key']}.json"
    if not path.exists():
        path = next(
            (each for each in folder.glob("*.json") if json.loads(each.read_text()).get("key") == asked["key"]), path
        )
    if not path.exists():
        say(type="gone")
        return
    item = json.loads(path.read_text("utf-8"))
    if MODEL == "seeds" and asked["version"] == item.get("version"):
        say(type="unchanged")
        return
    answer = item.get("answer") or {"type": "content", "text": item.get("text", "")}
    say(**answer)


def main() -> None:
    folder, fault = Path(), ""
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["type"] == "hello":
            write("a banner that is no message") if "banner" in sys.argv else None
            say(type="hello", protocol=2 if "newer" in sys.argv else 1, name="desk", version="1", change_model=MODEL,
                access="document" if "rights" in sys.argv else "source", parameters=PARAMETERS)  # fmt: skip
        elif asked["type"] == "settings":
            folder, fault = Path(asked["values"]["folder"]), asked["values"]["fault"]
            sys.stderr.write(f"settings: {json.dumps(asked['values'])} {sorted(os.environ)}" + "\n")
            if fault == "refuses":
                say(type="error", code="login_refused", reason=f"{asked['values'].get('password')} is wrong")
            else:
                say(type="ready")
        elif asked["type"] == "discover":
            discover(folder, fault, asked["cursor"])
        elif asked["type"] == "fetch":
            fetch(folder, fault, asked)


main()
