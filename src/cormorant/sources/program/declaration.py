"""Check the parameters of a program against those that it declares.

hello.parameters, settings --values--> {"url": "https://desk.example", "limit": 100}
                  `--see--> BadSetting: which parameter is wrong, and what it takes
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence

from cormorant.base.errors import BadSetting
from cormorant.sources.program.messages import Hello, ProgramParameter, Scalar, ValueChoice
from cormorant.sources.program.settings import ProgramSettings

MOST_PARAMETERS = 200
"""Parameters that a program may declare."""
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def values(hello: Hello, settings: ProgramSettings, secrets: Mapping[str, str]) -> dict[str, Scalar | list[Scalar]]:
    """Return the typed value of each parameter, defaults among them. `secrets` are values by parameter.

    Raises BadSetting for a parameter that there is not, that is missing, or whose value it does not take.
    """
    see(hello, settings)
    found = dict[str, Scalar | list[Scalar]]()
    for each in hello.parameters:
        if each.name in secrets:
            found[each.name] = secrets[each.name]
        elif each.name in settings.given:
            typed = [_typed(hello, each, text) for text in settings.given[each.name]]
            found[each.name] = typed if each.multiple else typed[0]
        elif each.default is not None:
            found[each.name] = each.default
    return found


def see(hello: Hello, settings: ProgramSettings) -> None:
    """Check names and values without opening a secret. Raises BadSetting."""
    known = {each.name: each for each in hello.parameters[:MOST_PARAMETERS]}
    for name in (*settings.given, *settings.secret_names):
        if name not in known:
            raise BadSetting(f"The program {hello.name} has no parameter {name!r}. {_meant(name, known)}")
    for each in known.values():
        openly, sealed = settings.given.get(each.name, []), each.name in settings.secret_names
        if openly and (each.secret or sealed):
            raise BadSetting(
                f"The parameter {each.name!r} of the program {hello.name} is secret: keep its value with `cormorant "
                f"secret add NAME`, and give it as --set secret={each.name}=secret:NAME."
            )
        if each.required and each.default is None and not openly and not sealed:
            raise BadSetting(f"The program {hello.name} needs the parameter {each.name!r}: {_how(each)}")
        if len(openly) > 1 and not each.multiple:
            raise BadSetting(f"The parameter {each.name!r} of the program {hello.name} takes one value.")
        for text in openly:
            _typed(hello, each, text)


def described(each: ProgramParameter) -> str:
    """Return what a parameter is for, its type and its values, for people."""
    kind = ("secret " if each.secret else "") + each.type + (", may repeat" if each.multiple else "")
    choices = f" One of {_choices(each.choices)}." if each.values else ""
    return f"{each.description.strip()} ({kind}){choices}".strip()


def _how(each: ProgramParameter) -> str:
    option = f"--set secret={each.name}=secret:NAME" if each.secret else f"--set parameter={each.name}=..."
    return f"give it with {option}. {described(each)}"


def _meant(name: str, known: Mapping[str, ProgramParameter]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"It takes: {', '.join(known)}." if known else "It takes none."


def _typed(hello: Hello, each: ProgramParameter, text: str) -> Scalar:
    """Read a typed value. Raises BadSetting, without the value: it may be a secret at the wrong place."""
    value = _read(each, text.strip() if each.type != "string" else text)
    if value is None:
        raise BadSetting(
            f"The parameter {each.name!r} of the program {hello.name} takes a value of the type {each.type}. "
            f"{described(each)}"
        )
    if each.values and value not in [choice.value for choice in each.choices]:
        raise BadSetting(
            f"The parameter {each.name!r} of the program {hello.name} takes one of {_choices(each.choices)}."
        )
    return value


def _read(each: ProgramParameter, text: str) -> Scalar | None:
    try:
        match each.type:
            case "boolean":
                return _WORDS.get(text.lower())
            case "integer":
                return int(text) if len(text) < 20 else None
            case "number":
                number = float(text)
                return number if math.isfinite(number) else None
            case "string":
                return text
    except ValueError:
        return None


def _choices(choices: Sequence[ValueChoice]) -> str:
    return ", ".join(f"{each.value} ({each.display})" if each.display else str(each.value) for each in choices)
