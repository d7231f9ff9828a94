"""The man page and the shells' completion files, made from the commands' own parsers.

``python3 dev.py python -m goat_tools.manual FOLDER`` writes them as a package installs them (``man/man1/goat.1`` and
so on).
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from goat_client.cli import COMMANDS, common
from goat_client.game.keys import HELP
from goat_client.machine.settings import OPTIONS

FILES_ARE = frozenset({"FILE", "OUT"})


@dataclass(frozen=True, slots=True)
class Option:
    """One option or argument of a command."""

    names: tuple[str, ...]
    help: str
    metavar: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """One command with what it takes; ``own`` are its options without those that every command knows."""

    name: str
    about: str
    options: tuple[Option, ...]
    arguments: tuple[Option, ...]
    shared: frozenset[str]

    @property
    def own(self) -> tuple[Option, ...]:
        """Options that are this command's alone."""
        return tuple(o for o in self.options if not self.shared & set(o.names))


def commands() -> Iterator[Command]:
    """Every command of this version."""
    for name, (module_name, about) in COMMANDS.items():
        try:
            module = import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name != module_name:
                raise
            continue
        parser = argparse.ArgumentParser(prog=f"goat {name}", add_help=True)
        module.add_arguments(parser)
        own = [a for a in parser._actions if a.dest != "help"]
        common(parser)
        shared = frozenset(n for a in parser._actions if a not in own for n in a.option_strings)
        options = tuple(_option(parser, a) for a in parser._actions if a.option_strings)
        arguments = tuple(_option(parser, a) for a in parser._actions if not a.option_strings)
        yield Command(name, about, options, arguments, shared)


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> Option:
    text = ""
    if action.help and action.help is not argparse.SUPPRESS:
        text = action.help % {**vars(action), "prog": parser.prog} if "%(" in action.help else action.help
    takes = action.nargs != 0
    meta = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    choices = tuple(str(c) for c in action.choices) if action.choices is not None else ()
    return Option(tuple(action.option_strings), text, meta if takes else "", choices)


def bash() -> str:
    """Completion for bash."""
    words = " ".join(c.name for c in commands())
    cases = []
    for c in commands():
        flags = " ".join(n for o in c.options for n in o.names)
        cases.append(f'    {c.name}) COMPREPLY=($(compgen -W "{flags}" -- "$word"));;')
    files = "|".join(c.name for c in commands() if any(a.metavar in FILES_ARE for a in c.arguments))
    return "\n".join([
        "# bash completion for goat",
        "_goat() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}"',
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
        f'    COMPREPLY=($(compgen -W "{words} --help --version" -- "$word"))',
        "    return",
        "  fi",
        f'  case "$command" in {files})',
        '    [[ "$word" == -* ]] || { COMPREPLY=($(compgen -f -- "$word")); return; };;',
        "  esac",
        '  case "$command" in',
        *cases,
        "  esac",
        "}",
        "complete -o filenames -F _goat goat",
        "",
    ])  # fmt: skip


def zsh() -> str:
    """Completion for zsh."""
    out = ["#compdef goat", "_goat() {", "  local -a commands", "  commands=("]
    out += [f"    {_quoted(f'{c.name}:{c.about}')}" for c in commands()]
    out += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi",
            "  case $words[2] in"]  # fmt: skip
    for c in commands():
        specs = []
        for o in c.options:
            takes = f":{o.metavar}:_files" if o.metavar else ""
            value = f":{o.metavar}:({' '.join(o.choices)})" if o.choices else takes
            specs += [_quoted(f"{name}[{o.help.replace('[', '(').replace(']', ')')}]{value}") for name in o.names]
        specs += ["'*:file:_files'"] if any(a.metavar in FILES_ARE for a in c.arguments) else []
        out.append(f"    {c.name}) shift words; (( CURRENT-- )); _arguments {' '.join(specs)};;")
    return "\n".join([*out, "  esac", "}", "_goat \"$@\"", ""])


def fish() -> str:
    """Completion for fish."""
    out = ["# fish completion for goat", "complete -c goat -f"]
    for c in commands():
        out.append(f"complete -c goat -n __fish_use_subcommand -a {c.name} -d {_quoted(c.about)}")
        when = f"-n '__fish_seen_subcommand_from {c.name}'"
        for o in c.options:
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in o.names)
            value = f" -xa {_quoted(' '.join(o.choices))}" if o.choices else " -r" if o.metavar else ""
            out.append(f"complete -c goat {when} {names}{value} -d {_quoted(o.help)}")
        if any(a.metavar in FILES_ARE for a in c.arguments):
            out.append(f"complete -c goat {when} -F")
    return "\n".join([*out, ""])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "’") + "'"


def man() -> str:
    """The man page, in roff."""
    out = [
        '.TH GOAT 1 "" "goat" "Games"',
        ".SH NAME", "goat \\- the card game Goat for people on one local network",
        ".SH SYNOPSIS", ".B goat", "[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        "One player hosts a table, the others find it and sit down, bots fill empty seats, and nobody has to trust the "
        "host: all four shuffle and lock the deck together, and every deal is checked by everyone when it is over. "
        "Without a command: the lobby.",
        ".SH COMMANDS",
    ]  # fmt: skip
    shared: tuple[Option, ...] = ()
    for c in commands():
        arguments = " ".join(f"\\fI{_roff(a.metavar)}\\fR" for a in c.arguments)
        out += [".SS", f"goat {c.name} {arguments}".rstrip(), ".PP", _roff(f"{c.about[0].upper()}{c.about[1:]}.")]
        for option in (*c.arguments, *c.own):
            out += _man_option(option)
        shared = tuple(o for o in c.options if c.shared & set(o.names)) or shared
    out.append(".SH OPTIONS FOR EVERY COMMAND")
    for option in shared:
        out += _man_option(option)
    out.append(".SH KEYS AT THE TABLE")
    for key, what in HELP:
        out += [".TP", f"\\fB{_roff(key)}\\fR", _roff(what)]
    out += [".PP", "The same keys work under a Cyrillic layout.", ".SH SETTINGS",
            "In the file \\fIgoat.toml\\fR of the configuration folder, and under O in the program."]  # fmt: skip
    for setting in OPTIONS:
        values = f" One of: {', '.join(_shown(v) for v in setting.values)}." if setting.values else ""
        about = f"{setting.label}{': ' + setting.about if setting.about else ''}."
        out += [".TP", f"\\fB{_roff(setting.key)}\\fR", _roff(about + values)]
    out += [
        ".SH EXIT STATUS",
        "0: good. 1: a negative answer, or the table closed. 2: wrong usage, or something that is missing or can't be "
        "read or written. 70: a fault of goat itself. 130: interrupted. 141: nobody read the output any more.",
        ".SH ENVIRONMENT", ".TP", "\\fBNO_COLOR\\fR", "No colours.",
        ".TP", "\\fBTERM\\fR", "\\fIdumb\\fR chooses plain mode: lines of text without an escape.",
        ".TP", "\\fBGOAT_HOME\\fR", "A folder for everything: settings, keys, saved matches.",
    ]  # fmt: skip
    return "\n".join(out) + "\n"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _man_option(option: Option) -> list[str]:
    value = f" \\fI{_roff(option.metavar)}\\fR" if option.metavar and option.names else ""
    names = ", ".join(f"\\fB{_roff(n)}\\fR" for n in option.names) or f"\\fI{_roff(option.metavar)}\\fR"
    return [".TP", names + value, _roff(option.help)]


def _roff(text: str) -> str:
    """Text in which roff sees no command: hyphens as minus signs, no line that begins with a dot."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + safe if safe[:1] in (".", "'") else safe


def files() -> dict[str, str]:
    """Where each file belongs below ``share`` -> its text."""
    return {
        "man/man1/goat.1": man(),
        "bash-completion/completions/goat": bash(),
        "zsh/site-functions/_goat": zsh(),
        "fish/vendor_completions.d/goat.fish": fish(),
    }


def main(folder: str) -> int:
    """Write all files below a folder."""
    for name, text in files().items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 dev.py python -m goat_tools.manual FOLDER")
    sys.exit(main(sys.argv[1]))
