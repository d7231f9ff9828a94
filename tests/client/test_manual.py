"""The man page and the completion files say what the commands really take."""

import shutil
import subprocess
from pathlib import Path

import pytest
from goat_client.cli import COMMANDS
from goat_tools import manual


def test_files_are_written_where_packages_put_them(tmp_path: Path) -> None:
    assert manual.main(str(tmp_path)) == 0
    for name, text in manual.files().items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    assert (tmp_path / "man/man1/goat.1").exists()


def test_every_command_and_option_is_in_each_of_them() -> None:
    texts = manual.files()
    found = list(manual.commands())
    assert {c.name for c in found} <= set(COMMANDS)
    assert {"replay", "stats", "learn", "play"} <= {c.name for c in found}
    for text in texts.values():
        for command in found:
            assert command.name in text
            for option in command.options:
                for name in option.names:
                    bare = name.lstrip("-")
                    assert bare in text.replace("\\-", "-"), (command.name, name)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes() -> None:
    script = manual.bash() + '\nCOMP_WORDS=(goat re); COMP_CWORD=1; _goat; echo "${COMPREPLY[*]}"\n'
    script += 'COMP_WORDS=(goat replay --co); COMP_CWORD=2; _goat; echo "${COMPREPLY[*]}"\n'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["replay", "--codes"]


@pytest.mark.skipif(shutil.which("man") is None, reason="no man")
def test_man_reads_the_page_without_a_complaint(tmp_path: Path) -> None:
    page = tmp_path / "goat.1"
    page.write_text(manual.man(), encoding="utf-8")
    command = ["man", "--warnings", "-l", "-P", "cat", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "goat replay" in done.stdout
    assert not done.stderr
