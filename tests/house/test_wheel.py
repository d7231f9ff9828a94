"""What `pip install` puts on somebody's machine: the wheel is built and opened."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = {
    "goat_engine": "", "goat_net": "", "goat_client": "client", "goat_host": "host", "goat_rl": "rl",
    "goat_web": "client",
}  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_it_holds_the_rooms_the_shared_files_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    """No tests, no tools, no benchmarks: what is no part of playing stays in the checkout."""
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.startswith("goat_cards-")} == set(ROOMS)
    assert {top.rpartition(".")[2] for top in tops if top.startswith("goat_cards-")} == {"dist-info", "data"}
    data = {name.partition(".data/data/")[2] for name in wheel.namelist() if ".data/" in name}
    share = {str(path.relative_to(ROOT)) for path in (ROOT / "share").rglob("*") if path.is_file()}
    assert data == share


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_there_whole(wheel: zipfile.ZipFile, room: str) -> None:
    folder = ROOT / ROOMS[room] / room
    here = {f"{room}/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*.py")}
    there = {name for name in wheel.namelist() if name.startswith(f"{room}/")}
    assert here <= there
    assert f"{room}/py.typed" in there
    assert not [name for name in there if "__pycache__" in name or "/training/" in name]


def test_the_command_is_goat(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert wheel.read(name).decode().split() == ["[console_scripts]", "goat", "=", "goat_client.cli:main"]


def test_players_need_none_of_the_extras(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
    needed = [line for line in wheel.read(name).decode().splitlines() if line.startswith("Requires-Dist:")]
    plain = [line for line in needed if "extra ==" not in line]
    heavy = ("numpy", "numba", "pettingzoo", "distributed", "pytest", "pdoc", "coverage", "mypy", "ruff")
    assert plain
    assert not [line for line in plain if any(word in line for word in heavy)]
