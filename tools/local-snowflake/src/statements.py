"""Statements as DuckDB runs them: what depends on nothing but the text of a statement is found out once, and kept."""

import hashlib
import json
import pickle
import re
import secrets
import sqlite3
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import fakesnow.cursor
from fakesnow.dialect import parse, parse_one
from fakesnow.statement_type import MERGE, statement_type_id
from fakesnow.transforms import ddl
from sqlglot import Expr, exp

# Names that end with random digits: texts that differ in nothing else are one text.
RANDOM_NAME = re.compile(r"\b[A-Z_][A-Z0-9_]*_[0-9A-F]{12,}\b")
HIDDEN = re.compile(r"STANDS_FOR_(\d+)_")
# fakesnow ends the names of sequences with random digits.
OF_SEQUENCE = "STANDS_FOR_0_"
ddl.secrets = SimpleNamespace(token_hex=lambda _: OF_SEQUENCE)

# Bytes of a file of translations that is begun anew.
LARGE = 1 << 26
QUERIES = (exp.Select, exp.SetOperation, exp.Insert, exp.Update, exp.Delete, exp.Merge)
LASTING = (*QUERIES, exp.Drop, exp.Transaction, exp.Commit, exp.Rollback)
# What depends on parameters, or on the schema of the session.
PASSING = re.compile(r"\bIDENTIFIER\s*\(|\bDATABASES\b", re.I)


def transform_quickly(expression, change, *args, copy=True, **kwargs):
    """`Expression.transform`, which walks trees dozens of times for a statement, without generators."""
    root, waiting = None, [expression.copy() if copy else expression]
    while waiting:
        node = waiting.pop()
        parent, key, index = node.parent, node.arg_key, node.index
        changed = change(node, *args, **kwargs)
        if root is None:
            root = changed
        elif changed is not node and parent and key:
            parent.set(key, changed, index)
        if changed is node:
            for value in reversed(node.args.values()):
                if isinstance(value, Expr):
                    waiting.append(value)
                elif isinstance(value, list):
                    waiting.extend(each for each in reversed(value) if isinstance(each, Expr))
    return root


exp.Expression.transform = transform_quickly


def cast_to(value, kind):
    return exp.Cast(this=value, to=exp.DataType(this=kind, nested=False))


def call(name, *arguments):
    return exp.Anonymous(this=name, expressions=[exp.convert(each) for each in arguments])


def elements_of(array):
    """Elements of a JSON array as DuckDB writes them, which is one way for equal numbers of up to 17 digits."""
    return call("json_extract", array, exp.Literal.string("$[*]"))


def taught(node):
    """A function that fakesnow does not have as Snowflake documents it: JSON keeps its digits, too."""
    if isinstance(node, exp.ParseJSON):
        return cast_to(node.this, exp.DataType.Type.JSON)
    if isinstance(node, exp.JSONFormat):
        return cast_to(node.this, exp.DataType.Type.VARCHAR)
    if isinstance(node, exp.ByteLength):
        return call("strlen", cast_to(node.this, exp.DataType.Type.VARCHAR))
    if isinstance(node, exp.ArrayContains):
        return call("list_has_any", elements_of(node.this), elements_of(call("json_array", node.expression)))
    if isinstance(node, exp.ArraySlice):
        first, end = int(node.args["start"].name), int(node.args["end"].name)
        return call("to_json", call("list_slice", elements_of(node.this), first + 1, end))
    return node


def with_taught(expression):
    """What is in the arguments comes first."""
    for node in reversed(list(expression.walk())):
        known = taught(node)
        if known is not node:
            node.replace(known)
    return expression


transform = fakesnow.cursor.FakeSnowflakeCursor._transform
fakesnow.cursor.FakeSnowflakeCursor._transform = lambda cursor, expression, params: transform(
    cursor, with_taught(expression), params
)


def is_table(expression):
    """Whether a table is made by its columns."""
    return isinstance(expression, exp.Create) and isinstance(expression.this, exp.Schema)


def without_keys(expression):
    """A statement without keys, which nobody enforces."""
    if not is_table(expression):
        return expression
    for each in list(expression.this.expressions):
        if isinstance(each, exp.PrimaryKey) or (isinstance(each, exp.UniqueColumnConstraint) and each.this):
            each.pop()
        elif isinstance(each, exp.ColumnDef):
            for constraint in list(each.args.get("constraints") or []):
                if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
                    constraint.set("kind", exp.NotNullColumnConstraint())
                elif isinstance(constraint.kind, exp.UniqueColumnConstraint):
                    constraint.pop()
    return expression


def outline(expression):
    """What is asked about an expression. Of queries, that is nothing inside."""
    if not isinstance(expression, QUERIES):
        return expression
    return type(expression)(
        **{key: value for key, value in expression.args.items() if not isinstance(value, (Expr, list))}
    )


class Translation:
    """What DuckDB runs. Names are hidden."""

    def __init__(self, expression):
        self.expression, self.sql = outline(expression), expression.sql(dialect="duckdb")
        self.has_placeholders = expression.find(exp.Placeholder) is not None


class Parsed:
    """A text whose names are hidden. Nobody changes what was parsed."""

    def __init__(self, text, connection):
        found = parse(text)
        expression = found[0] if found and found[0] else parse_one(text)
        self.count = sum(1 for each in found if each and not isinstance(each, exp.Semicolon))
        self.kind = statement_type_id(expression)
        self.expression = outline(expression)
        self.is_lasting = (isinstance(expression, LASTING) or is_table(expression)) and not PASSING.search(text)
        self.translations = self.translate(connection.cursor(), expression) if self.is_lasting else []

    def translate(self, cursor, expression):
        changed = without_keys(expression.copy())
        if self.kind == MERGE:
            return [Translation(cursor._transform(changed, None))]
        cursor.check_db_and_schema(changed)
        return [Translation(cursor._transform(each, None)) for each in cursor._transform_explode(changed)]


class Translations:
    """What was parsed, in this process and, for those with the same packages and this very text, in a file."""

    def __init__(self, folder):
        code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
        path = folder / f"translations-{code[:12]}.sqlite"
        self.known, self.one = {}, threading.Lock()
        self.file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self.file.execute("PRAGMA synchronous = OFF")
        self.file.execute("CREATE TABLE IF NOT EXISTS parsed (key TEXT PRIMARY KEY, value BLOB NOT NULL)")
        if path.stat().st_size > LARGE:
            self.file.execute("DELETE FROM parsed")

    def parsed(self, text, connection):
        """By what a translation depends on: the text, and whether the session is in a database and in a schema."""
        key = json.dumps([text, connection.database, connection.database_set, connection.schema_set])
        with self.one:
            if key not in self.known:
                row = self.file.execute("SELECT value FROM parsed WHERE key = ?", [key]).fetchone()
                self.known[key] = pickle.loads(row[0]) if row else self.keep(key, Parsed(text, connection))
            return self.known[key]

    def keep(self, key, parsed):
        self.file.execute("INSERT OR IGNORE INTO parsed VALUES (?, ?)", [key, pickle.dumps(parsed)])
        return parsed


translations = Translations(Path(sys.prefix))


class Statement:
    """A statement of a session: what was parsed, with its names."""

    def __init__(self, sql, connection):
        self.sql = sql
        self.names = [secrets.token_hex(4)]
        places = {}

        def hide(found):
            if found[0] not in places:
                places[found[0]] = f"STANDS_FOR_{len(self.names)}_"
                self.names.append(found[0])
            return places[found[0]]

        self.parsed = translations.parsed(RANDOM_NAME.sub(hide, sql), connection)

    def shown(self, text):
        return HIDDEN.sub(lambda found: self.names[int(found[1])], text)

    def shown_in(self, expression):
        """A tree of its own with the names."""
        tree = expression.copy()
        for node in tree.walk():
            for key, value in node.args.items():
                if isinstance(value, str):
                    node.args[key] = self.shown(value)
        return tree

    @property
    def expression(self):
        return self.shown_in(self.parsed.expression)

    @property
    def translated(self):
        """What DuckDB runs, one after the other: what fakesnow asks about it, the text, and whether it has placeholders."""
        for each in self.parsed.translations:
            sql, tree = self.shown(each.sql), self.shown_in(each.expression)
            tree.sql = lambda text=sql, **_: text
            yield tree, sql, each.has_placeholders
