"""A statement compiled once: how it is said to the driver, and how its rows are read.

SQLAlchemy looks for what it has compiled at each run, which costs more than many a run does. Which
statements there are, their parameters and their types stay SQLAlchemy's.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import CompoundSelect, Delete, Dialect, Insert, Select, Update

_MOST_TEXTS = 128
"""Of one statement, as many as there are pages that are asked for often."""

Values = Mapping[str, Any]
Query = Select[Any] | CompoundSelect[Any]
DmlStatement = Insert | Update | Delete


class CompiledStatement:
    """How a statement is said to one kind of database, and how its rows are read.

    returns: whether there are rows to be read; locks: whether it locks them.
    """

    def __init__(self, statement: Query | DmlStatement, dialect: Dialect) -> None:
        """Compile the statement."""
        self._compiled: Any = statement.compile(dialect=dialect)
        self._literals = tuple(each.key for each in self._compiled.literal_execute_params)
        self._lists = tuple(
            each.key
            for each in self._compiled.post_compile_params - self._compiled.literal_execute_params
        )
        self._texts: dict[tuple[Any, ...], RenderedSQL] = {}
        self._writers = {
            name: writer
            for name, bind in self._compiled.binds.items()
            if (writer := bind.type.dialect_impl(dialect).bind_processor(dialect)) is not None
        }
        self._made = _defaults(self._compiled)
        columns: list[Any] = list(statement.exported_columns)
        self.returns_rows = bool(columns)
        self.locks_rows = "FOR NO KEY UPDATE" in str(self._compiled)
        self._row: Any = namedtuple("Row", [column.key for column in columns])  # type: ignore[misc]  # the names are known at run time only
        readers = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns
        ]
        self._readers = [(at, reader) for at, reader in enumerate(readers) if reader is not None]

    def render(self, values: Values) -> tuple[str, Any]:
        """Return the text for these values and what the driver fills it with."""
        if self._made:
            values = {**values, **{name: make(None) for name, make in self._made.items()}}
        shape = (
            *[values[name] for name in self._literals],
            *[len(values[name]) for name in self._lists],
        )
        said = self._texts.get(shape)
        if said is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            said = self._texts[shape] = RenderedSQL(self._compiled, values, self._writers)
        return said.text, said.parameters(values)

    def rows(self, found: list[tuple[Any, ...]]) -> list[Any]:
        """Return what the driver found as named tuples of Python's values."""
        if not self._readers:
            return list(map(self._row._make, found))
        return [self._read(each) for each in found]

    def _read(self, found: tuple[Any, ...]) -> Any:
        values = list(found)
        for at, reader in self._readers:
            values[at] = reader(values[at])
        return self._row._make(values)


def _defaults(compiled: Any) -> dict[str, Callable[[Any], Any]]:
    """Return what makes the values that columns get by themselves, by the names of parameters."""
    made = [(column.key, column.default) for column in compiled.insert_prefetch]
    made += [(column.key, column.onupdate) for column in compiled.update_prefetch]
    return {key: _maker(default) for key, default in made}


def _maker(default: Any) -> Callable[[Any], Any]:
    if default.is_callable:
        make: Callable[[Any], Any] = default.arg
        return make
    if default.is_scalar:
        return lambda context: default.arg
    raise NotImplementedError(f"{default}: only a value or a callable is known here")


class RenderedSQL:
    """A statement's text, with the pages' numbers in it, and lists of so many values."""

    def __init__(self, compiled: Any, values: Values, writers: Mapping[str, Any]) -> None:
        """Let SQLAlchemy say a statement for these values.

        writers: by the names of parameters, what gives a value the form that the driver takes.
        """
        state = compiled.construct_expanded_state(values)
        self.text: str = state.statement
        self._order = state.positiontup
        self._lists: list[tuple[str, list[str]]] = [
            (name, names) for name, names in state.parameter_expansion.items() if names
        ]
        listed = {each: name for name, names in self._lists for each in names}
        self._names = [name for name in state.parameters if name not in listed]
        self._constants = {
            name: state.parameters[name] for name in self._names if name not in values
        }
        # A list's values take the form that their list says.
        sources = {name: listed.get(name, name) for name in state.parameters}
        self._writers = [(name, writers[of]) for name, of in sources.items() if of in writers]

    def parameters(self, values: Values) -> Any:
        """Return the parameters in the form that the driver takes."""
        constants = self._constants
        filled = {name: values[name] if name in values else constants[name] for name in self._names}
        for name, names in self._lists:
            filled.update(zip(names, values[name], strict=True))
        for name, writer in self._writers:
            filled[name] = writer(filled[name])
        if self._order is None:
            return filled
        return [filled[name] for name in self._order]
