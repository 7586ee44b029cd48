"""Statements compiled once: their SQL text, their parameters and the conversion of their rows.

SQLAlchemy looks up its compiled form at each execution, which often costs more time than the
statement. The SQL itself, the parameters and the types all come from SQLAlchemy.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import CompoundSelect, Delete, Dialect, Insert, Select, Update

_MAX_RENDERED = 128
"""Texts of one statement: about as many as a list has pages that are often read."""

Values = Mapping[str, Any]
Query = Select[Any] | CompoundSelect[Any]
DmlStatement = Insert | Update | Delete


class CompiledStatement:
    """A statement compiled for one dialect."""

    def __init__(self, statement: Query | DmlStatement, dialect: Dialect) -> None:
        self._compiled: Any = statement.compile(dialect=dialect)
        self._literal_names = tuple(
            literal_execute_param.key
            for literal_execute_param in self._compiled.literal_execute_params
        )
        self._list_names = tuple(
            item.key
            for item in self._compiled.post_compile_params - self._compiled.literal_execute_params
        )
        self._rendered: dict[tuple[Any, ...], RenderedSQL] = {}
        self._bind_processors = {
            name: processor
            for name, bind in self._compiled.binds.items()
            if (processor := bind.type.dialect_impl(dialect).bind_processor(dialect)) is not None
        }
        self._defaults = _defaults(self._compiled)
        columns: list[Any] = list(statement.exported_columns)
        self._has_columns = bool(columns)
        self._row: Any = namedtuple("Row", [column.key for column in columns])  # type: ignore[misc]  # the names are known at run time only
        processors = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns
        ]
        self._result_processors = [
            (at, processor) for at, processor in enumerate(processors) if processor is not None
        ]

    def render(self, values: Values) -> tuple[str, Any]:
        """Return the SQL text for these values, and the parameters for the driver."""
        if self._defaults:
            values = {**values, **{name: make(None) for name, make in self._defaults.items()}}
        # The text depends on the literals (LIMIT, OFFSET) and on the lengths of lists.
        key = (
            *[values[name] for name in self._literal_names],
            *[len(values[name]) for name in self._list_names],
        )
        rendered = self._rendered.get(key)
        if rendered is None:
            if len(self._rendered) >= _MAX_RENDERED:
                self._rendered.clear()
            rendered = RenderedSQL(self._compiled, values, self._bind_processors)
            self._rendered[key] = rendered
        return rendered.text, rendered.parameters(values)

    def rows(self, driver_rows: list[tuple[Any, ...]]) -> list[Any]:
        """Return the driver's rows as named tuples, their values converted.

        None for an INSERT without RETURNING, to which SQLAlchemy adds one of the primary key.
        """
        if not self._has_columns:
            return []
        if not self._result_processors:
            return list(map(self._row._make, driver_rows))
        return [self._convert(driver_row) for driver_row in driver_rows]

    def _convert(self, driver_row: tuple[Any, ...]) -> Any:
        values = list(driver_row)
        for at, processor in self._result_processors:
            values[at] = processor(values[at])
        return self._row._make(values)


def _defaults(compiled: Any) -> dict[str, Callable[[Any], Any]]:
    """Return the functions that make the defaults of columns, by the names of parameters."""
    defaults = [(column.key, column.default) for column in compiled.insert_prefetch]
    defaults += [(column.key, column.onupdate) for column in compiled.update_prefetch]
    return {key: _default_factory(default) for key, default in defaults}


def _default_factory(default: Any) -> Callable[[Any], Any]:
    if default.is_callable:
        make: Callable[[Any], Any] = default.arg
        return make
    if default.is_scalar:
        return lambda context: default.arg
    raise NotImplementedError(f"{default}: only a value or a callable is supported")


class RenderedSQL:
    """The SQL text of a statement for certain literals and certain lengths of lists."""

    def __init__(self, compiled: Any, values: Values, bind_processors: Mapping[str, Any]) -> None:
        """Let SQLAlchemy render a compiled statement for these values.

        bind_processors: by the names of parameters, what converts a value for the driver.
        """
        state = compiled.construct_expanded_state(values)
        self.text: str = state.statement
        self._order = state.positiontup
        self._lists: list[tuple[str, list[str]]] = [
            (name, names) for name, names in state.parameter_expansion.items() if names
        ]
        list_of = {item: name for name, names in self._lists for item in names}
        self._names = [name for name in state.parameters if name not in list_of]
        self._constants = {
            name: state.parameters[name] for name in self._names if name not in values
        }
        # The elements of a list are converted as the list's parameter says.
        sources = {name: list_of.get(name, name) for name in state.parameters}
        self._bind_processors = [
            (name, bind_processors[source])
            for name, source in sources.items()
            if source in bind_processors
        ]

    def parameters(self, values: Values) -> Any:
        """Return the parameters as the driver takes them: by name, or in their order."""
        constants = self._constants
        result = {name: values[name] if name in values else constants[name] for name in self._names}
        for name, names in self._lists:
            result.update(zip(names, values[name], strict=True))
        for name, processor in self._bind_processors:
            result[name] = processor(result[name])
        if self._order is None:
            return result
        return [result[name] for name in self._order]
