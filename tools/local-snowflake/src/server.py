"""A stand-in of Snowflake's server for specs: fakesnow, with what the driver of Node needs and what specs ask about.

Results are JSON, large ones in chunks. A statement that fails in a transaction leaves the transaction open and what was
done before in place, and transactions that write come one after the other, as with Snowflake's locks of tables.
"""

import gc
import gzip
import itertools
import json
import re
import secrets
import sys
import threading
import uuid
import warnings
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from string import Template
from time import monotonic
from unittest.mock import MagicMock

# Of a cloud, which the connector that fakesnow loads would load for a third of the time of a start.
for name in ("boto3", "botocore", "botocore.auth", "botocore.awsrequest", "botocore.config", "botocore.utils"):
    sys.modules[name] = MagicMock()

import duckdb
import fakesnow.cursor
import pyarrow
import snowflake.connector.errors
import uvicorn
from fakesnow import info_schema
from fakesnow.converter import from_binding
from fakesnow.dialect import parse_one
from fakesnow.instance import FakeSnow
from fakesnow.rowtype import describe_as_rowtype
from fakesnow.statement_type import DML_TYPE_IDS, MERGE
from sqlglot import exp
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from statements import Statement

warnings.filterwarnings("ignore")

# Rows that come with the answer itself; the others come in chunks.
INLINE_ROWS = 1_000
CHUNK_ROWS = 4_000
LOCK_TIMEOUT_S = 30
LOCK_POLL_S = 0.05
PARAMETERS = {
    "TIMEZONE": "America/Los_Angeles",
    "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
    "TIME_OUTPUT_FORMAT": "HH24:MI:SS",
    "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM",
    "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3",
    "TIMESTAMP_LTZ_OUTPUT_FORMAT": "",
    "TIMESTAMP_TZ_OUTPUT_FORMAT": "",
    "BINARY_OUTPUT_FORMAT": "HEX",
}
EPOCH = datetime(1970, 1, 1)
PLAIN_VALUES = re.compile(r"(INSERT INTO .*) VALUES \(\?(?:, \?)*\)", re.S)
SET_PARAMETER = re.compile(r"(\w+)\s*=\s*(?:'([^']*)'|(\w+))")


class Forgotten(dict):
    """Results that nobody asks for again."""

    def __setitem__(self, key, value):
        pass


options = json.loads(sys.argv[1])
instance = FakeSnow()
instance.results_cache = Forgotten()
sessions = {}
chunks = {}
numbers = itertools.count(1)
writing = threading.Lock()
# Of connections: making one from another is no business of two threads.
making = threading.Lock()


text_lengths_sql = info_schema.insert_text_lengths_sql


def quoted_text_lengths_sql(catalog, schema, table, lengths):
    """fakesnow puts names between quotes as they are."""
    quote = lambda name: name.replace("'", "''")
    return text_lengths_sql(catalog, schema, quote(table), [(quote(name), size) for name, size in lengths])


info_schema.insert_text_lengths_sql = quoted_text_lengths_sql


fakesnow.cursor.SQL_CREATED_TABLE = Template("SELECT 'Table successfully created.' as 'status'")


class Refused(Exception):
    """What the server answers instead of a result."""

    def __init__(self, code, message, state="22000"):
        super().__init__(message)
        self.code, self.message, self.state = code, message, state


class Session:
    """A session, its transaction and what it runs."""

    def __init__(self, connection, warehouse, role):
        self.connection = connection
        # Those of fakesnow are found in texts too.
        connection.variables.inline_variables = lambda sql: sql
        self.warehouse, self.role = warehouse, role
        self.parameters = dict(PARAMETERS)
        self.one = threading.Lock()
        self.number = next(numbers)
        self.journal = None
        self.transaction = self.started = None
        self.holds = False
        self.running = None
        self.request = None
        self.terminated = self.closed = False

    def begin(self):
        self.journal = []
        self.transaction, self.started = next(numbers), datetime.now(timezone.utc)

    def lock(self):
        """Waits for the lock of whoever writes, as long as the session says, and sees what was committed meanwhile."""
        limit = min(float(self.parameters.get("LOCK_TIMEOUT", LOCK_TIMEOUT_S)), LOCK_TIMEOUT_S)
        deadline = monotonic() + limit
        while not writing.acquire(timeout=LOCK_POLL_S):
            if self.closed:
                raise Refused("000604", "SQL execution canceled", "57014")
            if monotonic() > deadline:
                raise Refused("000625", "Statement has locked table in another transaction", "57014")
        self.holds = True
        if self.journal == []:
            self.connection._duck_conn.rollback()
            self.connection._duck_conn.begin()

    def unlock(self):
        if self.holds:
            self.holds = False
            writing.release()

    def end(self):
        self.journal = None
        self.unlock()

    def close(self):
        """Ends what runs and waits, and only then the transaction: nothing takes a lock afterwards."""
        self.closed = True
        self.connection._duck_conn.interrupt()
        with self.one:
            if self.journal is not None:
                # What was interrupted may have ended its transaction already.
                with suppress(duckdb.TransactionException):
                    self.connection._duck_conn.rollback()
                self.end()
            self.connection.close()


def exact(value):
    """A number without exponent."""
    return format(value, "f")


def seconds(value):
    """Seconds since 1970, or of the day, with every digit."""
    return exact(Decimal(value // timedelta(microseconds=1)).scaleb(-6))


def cell(value, kind):
    """A value as the JSON of Snowflake has it."""
    if value is None:
        return None
    if kind == "timestamp_tz":
        return f"{seconds(value.astimezone(timezone.utc).replace(tzinfo=None) - EPOCH)} 1440"
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, datetime):
        return seconds(value.replace(tzinfo=None) - EPOCH)
    if isinstance(value, date):
        return str((value - EPOCH.date()).days)
    if isinstance(value, time):
        return seconds(datetime.combine(EPOCH, value) - EPOCH)
    if isinstance(value, Decimal):
        return exact(value)
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, float):
        return {"nan": "NaN", "inf": "inf", "-inf": "-inf"}.get(repr(value), repr(value))
    return str(value)


def described_rows(described, table):
    """The types of the columns and the rows."""
    rowtype = describe_as_rowtype([(name, str(kind), *[None] * 4) for name, kind, *_ in described])
    columns = [
        [cell(value, kind["type"]) for value in column.to_pylist()]
        for column, kind in zip(table.columns, rowtype, strict=True)
    ]
    return rowtype, [list(row) for row in zip(*columns, strict=True)]


def bindings_of(bindings):
    """Values of placeholders, and rows of them where there are arrays."""
    if not bindings:
        return None, None
    places = [bindings[str(place)] for place in range(1, len(bindings) + 1)]
    value = lambda kind, given: None if given is None else from_binding({"type": kind, "value": given})
    if isinstance(places[0]["value"], list):
        columns = [[value(each["type"], given) for given in each["value"]] for each in places]
        return None, list(zip(*columns, strict=True))
    return tuple(value(each["type"], each["value"]) for each in places), None


def insert_at_once(connection, target, rows):
    """Of values as they are given. Row by row takes DuckDB fifty times as long."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    connection.register("given_rows", pyarrow.table({f"c{at}": column for at, column in enumerate(columns)}))
    try:
        connection.execute(f"{target} SELECT * FROM given_rows")
    finally:
        connection.unregister("given_rows")


def insert_rows(session, sql, rows):
    """Runs an insertion for many rows: all of them or none."""
    connection = session.connection._duck_conn
    alone = session.journal is None
    if alone:
        connection.begin()
    try:
        plain = PLAIN_VALUES.fullmatch(sql)
        if plain:
            insert_at_once(connection, plain[1], rows)
        else:
            connection.executemany(sql, [list(row) for row in rows])
    except BaseException:
        if alone:
            connection.rollback()
        raise
    if alone:
        connection.commit()
    return [number_column("number of rows inserted")], [[str(len(rows))]]


def merge(session, sql, params):
    """Merges as DuckDB does. fakesnow, which is older than that, needs several databases, and so no transaction."""
    count = session.connection._duck_conn.execute(sql, params).fetchone()[0]
    return [number_column("number of rows merged")], [[str(count)]]


def name_of(identifier):
    return identifier.name if identifier.args.get("quoted") else identifier.name.upper()


class Declared:
    """Of tables, what Snowflake declares and DuckDB does not keep: types of some columns, and keys, which nobody enforces."""

    def __init__(self):
        self.types, self.keys = {}, {}

    def place(self, session, table):
        db, catalog = table.args.get("db"), table.args.get("catalog")
        return (
            name_of(catalog) if catalog else session.connection.database,
            name_of(db) if db else session.connection.schema,
            name_of(table.this),
        )

    def key(self, place, kind, names):
        self.keys.setdefault(place, []).append((kind, names))

    def drop(self, place):
        self.types.pop(place, None)
        self.keys.pop(place, None)

    def column(self, place, column):
        kind = column.args.get("kind")
        self.types.setdefault(place, {}).pop(name_of(column.this), None)
        if kind is None:
            return
        if kind.this == exp.DType.ARRAY:
            self.types[place][name_of(column.this)] = "ARRAY"
        if kind.this == exp.DType.TIMESTAMPTZ and kind.expressions:
            self.types[place][name_of(column.this)] = f"TIMESTAMP_TZ({kind.expressions[0].name})"

    def constraint(self, place, each):
        """Whether it was a key."""
        if isinstance(each, exp.PrimaryKey):
            self.key(place, "PRIMARY", [name_of(column) for column in each.expressions])
        elif isinstance(each, exp.UniqueColumnConstraint) and each.this is not None:
            self.key(place, "UNIQUE", [name_of(column) for column in each.this.expressions])
        else:
            return False
        return True

    def create(self, place, expression):
        self.types[place], self.keys[place] = {}, []
        for each in expression.this.expressions:
            if not self.constraint(place, each) and isinstance(each, exp.ColumnDef):
                self.column(place, each)
                for constraint in each.args.get("constraints") or []:
                    if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
                        self.key(place, "PRIMARY", [name_of(each.this)])
                    elif isinstance(constraint.kind, exp.UniqueColumnConstraint):
                        self.key(place, "UNIQUE", [name_of(each.this)])

    def alter(self, place, expression):
        """Whether there is nothing else to be done."""
        for action in expression.args.get("actions") or []:
            if isinstance(action, exp.AddConstraint):
                return all([self.constraint(place, each) for each in action.expressions])
            if isinstance(action, exp.ColumnDef):
                self.column(place, action)
            if isinstance(action, exp.RenameColumn):
                types = self.types.get(place, {})
                was = name_of(action.this.this)
                if was in types:
                    types[name_of(action.args["to"].this)] = types.pop(was)
        return False

    def show(self, kind, scope):
        columns = "created_on database_name schema_name table_name column_name key_sequence constraint_name rely comment"
        rows = [
            ["0.000000 1440", *place, column, str(number), f"SYS_{place[2]}_{at}", "false", None]
            for place, keys in sorted(self.keys.items())
            if place[: len(scope)] == scope
            for at, (each, names) in enumerate(keys)
            if each == kind
            for number, column in enumerate(names, 1)
        ]
        return [text_column(name) for name in columns.split()], rows


declared = Declared()
STATUS = [["Statement executed successfully."]]


def at_declared(session, expression):
    """What is declared. Gives the answer, unless something remains to be done."""
    if isinstance(expression, exp.Create) and isinstance(expression.this, exp.Schema):
        place = declared.place(session, expression.this.this)
        if not (expression.args.get("exists") and place in declared.types):
            declared.create(place, expression)
    if isinstance(expression, exp.Alter) and isinstance(expression.this, exp.Table):
        if declared.alter(declared.place(session, expression.this), expression):
            return [text_column("status")], STATUS
    if isinstance(expression, exp.Drop) and expression.args.get("kind") == "TABLE":
        for table in expression.args.get("tables") or [expression.this]:
            declared.drop(declared.place(session, table))
    if isinstance(expression, exp.Show) and expression.name in ("PRIMARY KEYS", "UNIQUE KEYS"):
        scope = expression.args.get("scope")
        names = [name_of(each) for each in (scope.args.get("catalog"), scope.args.get("db"), scope.this) if each]
        if expression.args.get("scope_kind") == "TABLE" and len(names) == 1:
            names = list(declared.place(session, scope))
        return declared.show(expression.name.split()[0], tuple(names))
    return None


DECLARING = (exp.Create, exp.Alter, exp.Drop, exp.Show, exp.Describe)


def perform(session, statement, bindings):
    """Runs a statement. Gives the types of the columns and the rows."""
    if not isinstance(statement.parsed.expression, DECLARING):
        return perform_rest(session, statement, bindings)
    expression = statement.expression
    answer = at_declared(session, expression)
    if answer is not None:
        return answer
    rowtype, rows = perform_rest(session, statement, bindings)
    if isinstance(expression, exp.Describe) and isinstance(expression.this, exp.Table):
        types = declared.types.get(declared.place(session, expression.this), {})
        rows = [[row[0], types.get(row[0], row[1]), *row[2:]] for row in rows]
    return rowtype, rows


def perform_rest(session, statement, bindings):
    params, batch = bindings_of(bindings)
    cursor = session.connection.cursor()
    if not statement.parsed.is_lasting:
        cursor.execute(statement.sql, binding_params=params, server=True)
    for tree, sql, has_placeholders in statement.translated:
        if batch is not None:
            return insert_rows(session, sql, batch)
        if statement.parsed.kind == MERGE:
            return merge(session, sql, params)
        cursor._execute(tree, list(params) if params and has_placeholders else None)
    return described_rows(session.connection._duck_conn.description, cursor._arrow_table)


def number_column(name):
    return {"name": name, "type": "fixed", "precision": 38, "scale": 0, "nullable": False}


def text_column(name):
    return {"name": name, "type": "text", "length": 16777216, "byteLength": 16777216, "nullable": True}


def undo_failed(session):
    """A statement that failed leaves nothing; those before it in the transaction stay."""
    connection = session.connection._duck_conn
    if session.journal is None:
        return
    connection.rollback()
    connection.begin()
    for statement, bindings in session.journal:
        perform(session, statement, bindings)


# Of grants, whom to, the right, and the kind and name of what it is on.
grants = []
GRANT_ROLE = re.compile(r"\s*GRANT\s+ROLE\s+(\S+)\s+TO\s+ROLE\s+(\S+)\s*", re.I)
GRANT = re.compile(r"\s*GRANT\s+(.+?)\s+ON\s+(\w+)\s+(\S+)\s+TO\s+ROLE\s+(\S+)\s*", re.I)
SHOW_GRANTS = re.compile(r"\s*SHOW\s+GRANTS\s+TO\s+ROLE\s+(\S+)\s*", re.I)
DONE = [text_column("status")], [["Statement executed successfully."]]


def at_grants(sql):
    """Grants are kept and shown; nobody is kept from anything."""
    if found := GRANT_ROLE.fullmatch(sql):
        grants.append((unquoted(found[2]), "USAGE", "ROLE", unquoted(found[1])))
        return DONE
    if found := GRANT.fullmatch(sql):
        for right in found[1].upper().split(","):
            grants.append((unquoted(found[4]), right.strip(), found[2].upper(), found[3]))
        return DONE
    if found := SHOW_GRANTS.fullmatch(sql):
        names = ["created_on", "privilege", "granted_on", "name", "granted_to", "grantee_name"]
        role = unquoted(found[1])
        rows = [[None, right, kind, name, "ROLE", role] for to, right, kind, name in grants if to == role]
        return [text_column(name) for name in names], rows
    return None


def at_transactions(session, sql):
    """Who holds locks, and how a session is ended by another one of its user."""
    open_ones = [each for each in list(sessions.values()) if each.journal is not None]
    moment = lambda each: f"{each.started.timestamp():.6f}"
    if re.match(r"\s*SHOW\s+LOCKS\s*$", sql, re.I):
        columns = "resource type transaction transaction_started_on status".split()
        rows = [
            [".".join(declared.place(each, table)), "PARTITIONS", str(each.transaction), moment(each), "HOLDING"]
            for each in open_ones
            for table in [parse_one(statement.sql).find(exp.Table) for statement, _ in each.journal]
        ]
        return [text_column(name) for name in columns], rows
    if re.match(r"\s*SHOW\s+TRANSACTIONS\s*$", sql, re.I):
        columns = "id user session name started_on state".split()
        rows = [[str(each.transaction), "U", str(each.number), "", moment(each), "running"] for each in open_ones]
        return [text_column(name) for name in columns], rows
    found = re.match(r"\s*SELECT\s+SYSTEM\$ABORT_SESSION\((\d+)\)\s*$", sql, re.I)
    if found is None:
        return None
    for token, each in list(sessions.items()):
        if each.number == int(found[1]):
            del sessions[token]
            each.close()
    return [text_column("status")], [["session aborted"]]


def at_session(session, sql):
    """What fakesnow does not know: settings, grants, and the place of a session."""
    if re.match(r"\s*USE\s+SECONDARY\s+ROLES\b", sql, re.I):
        return DONE
    if (found := at_grants(sql)) is not None:
        return found
    if re.match(r"\s*ALTER\s+SESSION\s+SET\b", sql, re.I):
        for name, quoted, plain in SET_PARAMETER.findall(sql):
            session.parameters[name.upper()] = quoted or plain
        return [text_column("status")], STATUS
    answer = at_transactions(session, sql)
    if answer is not None:
        return answer
    if re.search(r"\bCURRENT_(DATABASE|SCHEMA|WAREHOUSE|ROLE)\(\)", sql, re.I):
        quote = lambda text: "NULL" if text is None else "'" + text.replace("'", "''") + "'"
        known = {
            "DATABASE": session.connection.database,
            "SCHEMA": session.connection.schema,
            "WAREHOUSE": session.warehouse,
            "ROLE": session.role,
        }
        for name, value in known.items():
            sql = re.sub(rf"\bCURRENT_{name}\(\)", lambda _: quote(value), sql, flags=re.I)
        return perform(session, Statement(sql, session.connection), None)
    return None


def execute(session, sql, bindings):
    found = at_session(session, sql)
    if found is not None:
        return found, 0x1000
    statement = Statement(sql, session.connection)
    expression, count, kind = statement.parsed.expression, statement.parsed.count, statement.parsed.kind
    if count > 1:
        message = f"Actual statement count {count} did not match the desired statement count 1."
        raise Refused("000008", message, "0A000")
    if isinstance(expression, exp.Transaction):
        session.begin()
    writes = kind in DML_TYPE_IDS
    alone = writes and session.journal is None
    if writes and not session.holds:
        session.lock()
    try:
        result = perform(session, statement, bindings)
        if writes and not alone:
            session.journal.append((statement, bindings))
        return result, kind
    except BaseException:
        undo_failed(session)
        raise
    finally:
        if alone:
            session.unlock()
        if isinstance(expression, (exp.Commit, exp.Rollback)):
            session.end()


def answered(session, sql, bindings, request):
    """Runs a statement and gives the answer."""
    with session.one:
        if session.closed:
            return GONE
        session.running, session.request = sql, request
        try:
            (rowtype, rows), kind = execute(session, sql, bindings)
        except Refused as error:
            return failure(error.code, error.message, error.state)
        except snowflake.connector.errors.Error as error:
            message = error.raw_msg or error.msg
            if error.errno == 1003:
                message = f"SQL compilation error:\nsyntax error: {message}"
            return failure(f"{error.errno:06d}", message, error.sqlstate)
        except duckdb.CatalogException as error:
            return failure("002003", f"SQL compilation error:\n{error}", "02000")
        except duckdb.BinderException as error:
            return failure("000904", f"SQL compilation error:\n{error}", "42000")
        except duckdb.InterruptException:
            return failure("000604", "SQL execution canceled", "57014")
        except Exception as error:
            # The driver tries again for minutes when a server breaks.
            return failure("100000", str(error) or type(error).__name__, "22000")
        finally:
            session.running = session.request = None
        return success(session, rowtype, rows, kind)


def failure(code, message, state):
    data = {"errorCode": code, "sqlState": state, "queryId": str(uuid.uuid4())}
    return {"data": data, "code": code, "message": message, "success": False}


def success(session, rowtype, rows, kind):
    data = {
        "parameters": [{"name": name, "value": value} for name, value in session.parameters.items()],
        "rowtype": rowtype,
        "rowset": rows,
        "total": len(rows),
        "returned": len(rows),
        "queryId": str(uuid.uuid4()),
        "statementTypeId": kind,
        "version": 1,
        "queryResultFormat": "json",
        "finalDatabaseName": session.connection.database,
        "finalSchemaName": session.connection.schema,
        "finalWarehouseName": session.warehouse,
        "finalRoleName": session.role,
    }
    if len(rows) > INLINE_ROWS:
        key = secrets.token_urlsafe(16)
        later = rows[INLINE_ROWS:]
        parts = [later[at : at + CHUNK_ROWS] for at in range(0, len(later), CHUNK_ROWS)]
        chunks[key] = parts
        data["rowset"] = rows[:INLINE_ROWS]
        data["chunks"] = [
            {
                "url": f"http://127.0.0.1:{options['port']}/chunks/{key}/{number}",
                "rowCount": len(part),
                "uncompressedSize": 1,
                "compressedSize": 1,
            }
            for number, part in enumerate(parts)
        ]
        data["chunkHeaders"] = {}
    return {"data": data, "code": None, "message": None, "success": True}


async def body_of(request):
    body = await request.body()
    if request.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return json.loads(body) if body else {}


def session_of(request):
    return sessions.get((request.headers.get("Authorization") or "")[17:-1])


def unquoted(name):
    """A name as an identifier means it."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.upper()


async def login(request):
    data = (await body_of(request))["data"]
    user, password = str(data.get("LOGIN_NAME")), data.get("PASSWORD")
    if options["users"].get(user) is None or options["users"][user] != password:
        return JSONResponse(failure("390100", "Incorrect username or password was specified.", "08001"))
    query = request.query_params
    database, schema = query.get("databaseName"), query.get("schemaName")
    role, warehouse = query.get("roleName"), query.get("warehouse")
    if role is not None and unquoted(role) not in options["roles"]:
        message = f"Role '{role}' specified in the connect string does not exist or not authorized."
        return JSONResponse(failure("390189", message, "08001"))
    with making:
        connection = instance.connect(
            database and unquoted(database),
            schema and unquoted(schema),
            autocommit=True,
        )
    if not connection.database_set:
        connection.database = None
    if not connection.schema_set:
        connection._schema = None
    known = warehouse is not None and unquoted(warehouse) in options["warehouses"]
    token = secrets.token_urlsafe(32)
    session = Session(connection, unquoted(warehouse) if known else None, role and unquoted(role))
    sessions[token] = session
    return JSONResponse(
        {
            "data": {
                "token": token,
                "masterToken": secrets.token_urlsafe(32),
                "validityInSeconds": 3600,
                "masterValidityInSeconds": 14400,
                "sessionId": 1,
                "parameters": [{"name": name, "value": value} for name, value in PARAMETERS.items()],
                "sessionInfo": {"databaseName": connection.database, "schemaName": connection.schema},
            },
            "success": True,
        }
    )


GONE = {"data": None, "code": "390104", "message": "Session no longer exists. New login required.", "success": False}


async def query(request):
    session = session_of(request)
    if session is None:
        return JSONResponse(GONE)
    body = await body_of(request)
    identity = request.query_params.get("requestId")
    answer = await run_in_threadpool(answered, session, body["sqlText"], body.get("bindings"), identity)
    # A server that has ended answers nothing.
    if session.terminated:
        return Response(status_code=400)
    return Response(json.dumps(answer), media_type="application/json")


async def abort(request):
    body = await body_of(request)
    for session in list(sessions.values()):
        if session.request is not None and session.request == body.get("requestId"):
            session.connection._duck_conn.interrupt()
    return JSONResponse({"data": None, "code": None, "message": None, "success": True})


async def end_session(request):
    token = (request.headers.get("Authorization") or "")[17:-1]
    session = sessions.get(token)
    if session is None:
        return JSONResponse(GONE)
    if request.query_params.get("delete"):
        del sessions[token]
        await run_in_threadpool(session.close)
    return JSONResponse({"data": None, "code": None, "message": None, "success": True})


async def chunk(request):
    parts = chunks.get(request.path_params["key"])
    if parts is None:
        return Response(status_code=404)
    rows = parts[int(request.path_params["number"])]
    return Response(json.dumps(rows)[1:-1], media_type="text/plain")


async def running(request):
    """For specs: how many statements with these words run."""
    words = request.query_params["words"]
    count = sum(1 for each in list(sessions.values()) if words in (each.running or ""))
    return JSONResponse({"running": count, "sessions": len(sessions), "chunks": len(chunks)})


async def terminate(request):
    """For specs: ends statements with these words, and forgets all results."""
    words = request.query_params["words"]
    chunks.clear()
    for session in list(sessions.values()):
        if words in (session.running or ""):
            session.terminated = True
            session.connection._duck_conn.interrupt()
    return JSONResponse({})


def prepare():
    """The database that everybody connects to; no other is made by connecting to it."""
    instance.connect(options["database"], options["schema"]).close()
    instance.create_database_on_connect = instance.create_schema_on_connect = False


prepare()
app = Starlette(
    routes=[
        Route("/session/v1/login-request", login, methods=["POST"]),
        Route("/session", end_session, methods=["POST"]),
        Route("/session/heartbeat", end_session, methods=["POST"]),
        Route("/queries/v1/query-request", query, methods=["POST"]),
        Route("/queries/v1/abort-request", abort, methods=["POST"]),
        Route("/chunks/{key}/{number}", chunk, methods=["GET"]),
        Route("/stand-in/running", running, methods=["GET"]),
        Route("/stand-in/terminate", terminate, methods=["POST"]),
    ]
)
# What lasts is not looked at again.
gc.freeze()
uvicorn.run(app, host="127.0.0.1", port=options["port"], log_level="warning")
