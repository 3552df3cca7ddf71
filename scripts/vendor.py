"""Fetch the libraries of static/vendor/VENDORED.toml with `npm pack` and write their checksums into that list.

What a package points at but we do not ship (source maps, older font formats) is cut out of its files, because
collecting static files refuses a reference that leads nowhere; the checksums are those of what we ship.
"""

import hashlib
import re
import subprocess
import tarfile
import tempfile
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "static" / "vendor"
LIST = FOLDER / "VENDORED.toml"
SOURCE_MAP = re.compile(rb"\s*/[/*]# sourceMappingURL=[^\s*]+(?:\s*\*/)?\s*$")
OLDER_FONT = re.compile(rb',url\([^)]+\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)')


def main() -> None:
    packages = tomllib.loads(LIST.read_text())["package"]
    for package in packages:
        with tempfile.TemporaryDirectory() as scratch:
            unpack(package, Path(scratch))
    LIST.write_text(introduction() + "\n".join(entry(package) for package in packages))


def unpack(package: dict, scratch: Path) -> None:
    """Copy the files that the list names out of the package and note their checksums."""
    spec = f"{package['name']}@{package['version']}"
    packed = subprocess.run(["npm", "pack", "--silent", spec], cwd=scratch, check=True, capture_output=True, text=True)
    with tarfile.open(scratch / packed.stdout.split()[-1]) as archive:
        for file in package["files"]:
            content = shipped(member(archive, f"package/{file['from']}"), file["path"])
            target = FOLDER / file["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            file["sha256"] = hashlib.sha256(content).hexdigest()


def member(archive: tarfile.TarFile, name: str) -> bytes:
    source = archive.extractfile(name)
    if source is None:
        raise ValueError(f"{name} is not a file of the package")
    return source.read()


def shipped(content: bytes, path: str) -> bytes:
    if path.endswith((".css", ".js")):
        content = SOURCE_MAP.sub(b"\n", content)
    return OLDER_FONT.sub(b"", content) if path.endswith(".css") else content


def introduction() -> str:
    return "".join(line for line in LIST.read_text().splitlines(keepends=True)[:3] if line.startswith(("#", "\n")))


def entry(package: dict) -> str:
    lines = ["[[package]]", *(f'{key} = "{package[key]}"' for key in ("name", "version", "licence")), "files = ["]
    lines += [f'  {{path = "{f["path"]}", from = "{f["from"]}", sha256 = "{f["sha256"]}"}},' for f in package["files"]]
    return "\n".join([*lines, "]", ""])


if __name__ == "__main__":
    main()
