"""Arguments in any order: options may be before, between and after the names of files.

argparse gives all words that follow an option with several values to that option, and takes positional arguments only
in one piece. Here, words that are files are not values of options such as ``-m``, and go to the front.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from itertools import takewhile

_FILE_NAME = re.compile(r"[^()]*([/\\][^()]*|\.(txt|run|res|trec|gz|parquet|pq|csv|tsv|json|jsonl|qrels|xml))")
"""A word that is meant as a file even if there is none; specs of measures have neither slashes nor such endings."""
_NEGATIVE_NUMBER = re.compile(r"-(\d+|\d*\.\d+)")


def positionals_first(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """Return the words of a command line with all positional arguments before all options.

    A command line with an unknown or ambiguous option is returned as it is: the parser has an error for it.
    """
    if not parser._get_positional_actions():
        return list(words)
    positionals: list[str] = []
    options: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word == "--":
            positionals += words[index:]
            break
        if not _is_option(word):
            positionals.append(word)
            continue
        action, has_value = _find_option(parser, word)
        if action is None:
            return list(words)
        count = 0 if has_value else _count_values(action, words[index:], words)
        options += [word, *words[index : index + count]]
        index += count
    if any(_is_option(word) for word in positionals):
        return [*options, "--", *positionals]
    return [*positionals, *options]


def refuse_empty_paths(parser: argparse.ArgumentParser) -> None:
    """Make an empty word in place of a path an error; it would be the working directory, or no path at all."""
    for action in parser._actions:
        is_positional = not action.option_strings and action.metavar in ("QRELS", "RUN", "NUGGETS")
        if is_positional or action.metavar in ("FILE", "FOLDER") or action.dest == "collection":
            action.type = _path


def _path(word: str) -> str:
    if not word:
        raise argparse.ArgumentTypeError("the path is empty; a variable of the shell may not be set")
    return word


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-" and " " not in word and _NEGATIVE_NUMBER.fullmatch(word) is None


def _find_option(parser: argparse.ArgumentParser, word: str) -> tuple[argparse.Action | None, bool]:
    """Return the option of a word, or None, and whether the word includes a value, as ``--digits=3`` or ``-B99``."""
    known = parser._option_string_actions
    if word in known:
        return known[word], False
    if word.startswith("--"):
        name, equals, _ = word.partition("=")
        # The beginning of a name is enough if there is only one such option.
        actions = [known[name]] if name in known else [known[full] for full in known if full.startswith(name)]
        return (actions[0], bool(equals)) if len(actions) == 1 else (None, False)
    action = known.get(word[:2])
    if action is not None and action.nargs == 0:
        return _find_option(parser, f"-{word[2:]}")
    return action, True


def _count_values(action: argparse.Action, following: Sequence[str], words: Sequence[str]) -> int:
    """Return how many of the words that follow an option are its values."""
    if action.nargs is None or isinstance(action.nargs, int):
        return 1 if action.nargs is None else action.nargs
    values = list(takewhile(lambda word: not _is_option(word), following))
    if action.nargs == "?":
        return min(len(values), 1)
    if not isinstance(action, argparse._ExtendAction):
        return len(values)
    for index, word in enumerate(values):
        # A file is given once: a word that occurs again, as run0 in `--baseline run0 run1 … run0 run1`, is a name.
        if index > 0 and _is_file(action, word) and words.count(word) == 1 and not _is_value(action, word):
            return index
    return len(values)


def _is_file(action: argparse.Action, word: str) -> bool:
    """Return whether a word may be a file rather than a value of an option."""
    if word == "-" or os.path.exists(word):
        return True
    if action.metavar in ("SPEC", "KEY=VALUE") and _FILE_NAME.fullmatch(word):
        return True
    from glob import glob

    return any(wildcard in word for wildcard in "*?[") and bool(glob(word))


def _is_value(action: argparse.Action, word: str) -> bool:
    """Return whether a word that may be a file is a value of an option all the same."""
    if action.metavar == "KEY=VALUE":
        return "=" in word
    if action.metavar != "SPEC":
        return False
    from irdiv.errors import IrdivError
    from irdiv.measures.spec import parse

    try:
        parse(word)
    except IrdivError:
        return False
    return True
