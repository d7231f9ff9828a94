"""dev.py: what it installs when, without installing anything."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import dev

make_venv = dev.make_venv


class Checkout:
    """A checkout in a temporary folder in which making and installing are only noted down."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.done: list[str] = []
        self.error: BaseException | None = None
        for name in ("VENV", "BIN", "PYTHON", "GOAT", "STAMP", "LOCK", "LOG"):
            monkeypatch.setattr(dev, name, root / getattr(dev, name).relative_to(dev.ROOT))
        monkeypatch.setattr(dev, "ROOT", root)
        monkeypatch.setattr(dev, "make_venv", self.make_venv)
        monkeypatch.setattr(dev, "install", self.install)
        (root / "pyproject.toml").write_text("one", "utf-8")

    def make_venv(self) -> None:
        self.done.append("make" if not (dev.VENV / "pyvenv.cfg").exists() else "keep")
        dev.BIN.mkdir(parents=True, exist_ok=True)
        (dev.VENV / "pyvenv.cfg").write_text("version = 3.11.7\n", "utf-8")
        dev.PYTHON.touch()

    def install(self, extras: str) -> None:
        self.done.append(f"install {extras}")
        assert self.state() == "installing"
        if self.error is not None:
            raise self.error
        dev.GOAT.touch()

    def state(self) -> str:
        return str(json.loads(dev.STAMP.read_text("utf-8"))["state"])

    def prepare(self, *extras: str) -> list[str]:
        """Prepare and return what that did."""
        self.done.clear()
        dev.prepare(extras)
        assert self.state() == "ready"
        return list(self.done)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    return Checkout(tmp_path, monkeypatch)


def test_installs_once(checkout: Checkout) -> None:
    assert checkout.prepare() == ["make", "install "]
    assert checkout.prepare() == []


def test_play_needs_no_tools_and_tools_stay(checkout: Checkout) -> None:
    assert checkout.prepare() == ["make", "install "]
    assert checkout.prepare("test") == ["keep", "install test"]
    assert checkout.prepare("lint", "test") == ["keep", "install lint test"]
    assert checkout.prepare("test") == []
    assert checkout.prepare() == []


def test_a_changed_project_is_installed_again(checkout: Checkout) -> None:
    checkout.prepare("test")
    (checkout.root / "pyproject.toml").write_text("two", "utf-8")
    assert checkout.prepare() == ["keep", "install test"]
    assert checkout.prepare() == []


@pytest.mark.parametrize("lost", ["PYTHON", "GOAT", "STAMP"])
def test_what_is_missing_is_installed_again(checkout: Checkout, lost: str) -> None:
    checkout.prepare()
    getattr(dev, lost).unlink()
    assert checkout.prepare()[-1] == "install "


def test_another_python_or_place_gets_an_environment_of_its_own(checkout: Checkout) -> None:
    checkout.prepare("test")
    stamp = json.loads(dev.STAMP.read_text("utf-8"))
    dev.write_stamp({**stamp, "base": "cpython-399 elsewhere"})
    assert checkout.prepare() == ["make", "install test"]


def test_a_killed_installation_is_thrown_away(checkout: Checkout) -> None:
    checkout.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        checkout.prepare()
    assert checkout.state() == "installing"
    half = dev.VENV / "lib" / "half.py"
    half.parent.mkdir()
    half.touch()
    checkout.error = None
    assert checkout.prepare() == ["make", "install "]
    assert not half.exists()


def test_a_failed_installation_is_tried_again_and_says_why(checkout: Checkout) -> None:
    checkout.prepare()
    (checkout.root / "pyproject.toml").write_text("two", "utf-8")
    checkout.error = dev.InstallError("no network today")
    with pytest.raises(SystemExit, match=r"dev\.py: no network today"):
        checkout.prepare()
    checkout.error = None
    assert checkout.prepare() == ["keep", "install "]


def test_a_foreign_environment_is_used_and_never_thrown_away(checkout: Checkout) -> None:
    dev.VENV.mkdir()
    (dev.VENV / "pyvenv.cfg").write_text("version_info = 3.12.1\n", "utf-8")
    theirs = dev.VENV / "theirs"
    theirs.touch()
    checkout.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        checkout.prepare()
    checkout.error = None
    assert checkout.prepare() == ["keep", "install "]
    assert checkout.prepare() == []
    assert theirs.exists()


def test_two_at_once_install_once(checkout: Checkout, capfd: pytest.CaptureFixture[str]) -> None:
    dev.VENV.mkdir()
    second = threading.Thread(target=dev.prepare, args=((),))
    with dev.locked(dev.LOCK):
        second.start()
        while "waiting" not in capfd.readouterr().err:
            assert second.is_alive()
    second.join()
    assert checkout.done == ["make", "install "]
    assert checkout.prepare() == []


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"state": 1}', '{"state": "ready"}'])
def test_a_damaged_stamp_counts_as_none(checkout: Checkout, damaged: str) -> None:
    checkout.prepare()
    dev.STAMP.write_text(damaged, "utf-8")
    assert checkout.prepare()[-1] == "install "


def test_an_environment_of_an_old_python_is_refused(checkout: Checkout) -> None:
    checkout.make_venv()
    (dev.VENV / "pyvenv.cfg").write_text("home = x\nversion = 3.9.18\n", "utf-8")
    with pytest.raises(dev.InstallError, match=r"older than 3\.11; remove that folder"):
        make_venv()


SPREAD = ["-n", "auto", "--dist", "loadfile"]


@pytest.mark.parametrize(("words", "to_pytest"), [
    ([], SPREAD),
    (["--all"], [*SPREAD, "-m", "not slow"]),
    (["-x", "-q"], [*SPREAD, "-x", "-q"]),
    (["tests/house"], ["-m", "not slow", "tests/house"]),
    (["-q", "tests/house/test_dev.py::test_x"], ["-m", "not slow", "-q", "tests/house/test_dev.py::test_x"]),
    (["--all", "-m", "lan"], [*SPREAD, "-m", "lan"]),
    (["-k", "chair"], [*SPREAD, "-k", "chair"]),
])  # fmt: skip
def test_which_tests_are_run(words: list[str], to_pytest: list[str]) -> None:
    assert dev.tests(words) == to_pytest


def test_help_and_no_command() -> None:
    path = Path(dev.__file__)
    helped = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True, check=True)
    for command in dev.EXTRAS:
        assert f"dev.py {command}" in helped.stdout
    bare = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert (bare.returncode, bare.stdout) == (2, "")
    assert bare.stderr == helped.stdout
