import { MAX_CONSOLE_LENGTH } from '../javascript/prelude';

/**
 * The program that the interpreter runs: it reads requests from descriptor 0, one a line, and writes each answer
 * completely to descriptor 1 before it reads the next request.
 *
 * | request | answer |
 * |---|---|
 * | `L` and JSON of source and plan | `L`, or `X` and JSON of the refusal |
 * | `C` and JSON of a record | `R` and JSON, `E` and a text, or `M` when memory is out |
 * | `F` | `F` and the console output |
 */
export const PRELUDE = String.raw`
def _serve():
    import sys, os, gc, json, inspect, types, math
    import base64, collections, decimal, datetime, functools, hashlib, hmac, ipaddress, itertools, random, re
    import string, time, unicodedata, urllib.parse, uuid, zoneinfo

    from json.encoder import c_encode_basestring, c_make_encoder

    read, write, loads, dumps = os.read, os.write, json.loads, json.dumps
    scan = json.JSONDecoder().scan_once
    MARK, MAX_CONSOLE = '\x01', ${MAX_CONSOLE_LENGTH}
    isfinite = math.isfinite
    Decimal, UUID = decimal.Decimal, uuid.UUID
    DateTime, Date, Time, UTC = datetime.datetime, datetime.date, datetime.time, datetime.timezone.utc
    ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address)

    READ = {
        'float': float, 'decimal': Decimal, 'datetime': DateTime.fromisoformat,
        'date': Date.fromisoformat, 'time': Time.fromisoformat, 'uuid': UUID,
    }

    def reviver(plan):
        # What converts a value, which is not None, as the plan says.
        if type(plan) is str:
            return READ[plan]
        if 'e' in plan:
            inner = reviver(plan['e'])
            def revive_elements(value):
                if type(value) is list:
                    return [None if element is None else inner(element) for element in value]
                return {key: None if element is None else inner(element) for key, element in value.items()}
            return revive_elements
        members = tuple((name, reviver(inner)) for name, inner in plan['o'].items())
        def revive_members(value):
            for name, inner in members:
                member = value.get(name)
                if member is not None:
                    value[name] = inner(member)
            return value
        return revive_members

    def wire_text(value):
        return MARK + 's' + value if value.startswith(MARK) else value

    def wire_float(value):
        if isfinite(value):
            return value
        return MARK + 'f' + ('NaN' if value != value else 'Infinity' if value > 0 else '-Infinity')

    def wire_dict(value):
        members = {}
        for key, member in value.items():
            if not isinstance(key, str):
                raise TypeError('keys of a result must be str, not ' + type(key).__name__)
            kind = type(member)
            if kind is str:
                members[key] = MARK + 's' + member if member.startswith(MARK) else member
            elif kind is int or kind is bool:
                members[key] = member
            else:
                members[key] = wire(member)
        return members

    def wire_moment(value):
        if value.tzinfo is UTC:
            return MARK + 'd' + value.isoformat()
        try:
            moment = value.replace(tzinfo=UTC) if value.utcoffset() is None else value.astimezone(UTC)
        except OverflowError:
            return MARK + 'xa datetime out of range'
        return MARK + 'd' + moment.replace(tzinfo=None).isoformat() + 'Z'

    def wire(value):
        kind = type(value)
        if kind is str:
            return wire_text(value)
        if value is None or kind is bool or kind is int:
            return value
        if kind is float:
            return wire_float(value)
        if isinstance(value, dict):
            return wire_dict(value)
        if isinstance(value, (list, tuple)):
            return [wire(element) for element in value]
        if isinstance(value, str):
            return wire_text(str.__str__(value))
        if isinstance(value, int):
            return int.__int__(value)
        if isinstance(value, float):
            return wire_float(float.__float__(value))
        if isinstance(value, Decimal):
            return MARK + 'm' + str(value)
        if isinstance(value, DateTime):
            return wire_moment(value)
        if isinstance(value, Date):
            return MARK + 'D' + value.isoformat()
        if isinstance(value, Time):
            return MARK + ('T' + value.isoformat() if value.tzinfo is None else 'xa time with a zone')
        if isinstance(value, UUID):
            return MARK + 'u' + str(value)
        if isinstance(value, ADDRESSES):
            return MARK + 'i' + str(value)
        return MARK + 'xa value of type ' + kind.__name__

    marked = 0

    def mark(value):
        nonlocal marked
        marked += 1
        return wire_moment(value) if type(value) is DateTime else wire(value)

    encode = c_make_encoder(None, mark, c_encode_basestring, None, ':', ',', False, False, False)
    # The encoder makes texts of other keys than str. They look like this, and some that are str do as well.
    maybe_foreign_key = re.compile('"(?:-?[0-9][^"]*|true|false|null)":').search

    def text_of(result):
        # In one go where nothing but what was marked looks like it; else by way of a copy.
        nonlocal marked
        marked = 0
        try:
            try:
                text = ''.join(encode(result, 0))
                if text.count('"\\u0001') == marked and not maybe_foreign_key(text):
                    return text
            except (TypeError, ValueError):
                pass
            return dumps(wire(result))
        except RecursionError:
            raise ValueError('the result has a cycle or is nested too deeply') from None

    class Console:
        encoding = 'utf-8'
        def __init__(self):
            self.text = ''
        def write(self, text):
            if len(self.text) < MAX_CONSOLE:
                self.text += str(text)[:MAX_CONSOLE - len(self.text)]
            return len(text)
        def flush(self):
            pass
        def isatty(self):
            return False

    def place(error):
        if isinstance(error, SyntaxError) and error.filename == 'transform':
            return error.lineno or 0, error.offset or 0
        line, step = 0, error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == 'transform':
                line = step.tb_lineno
            step = step.tb_next
        return line, 0

    def describe(error):
        try:
            line, _ = place(error)
            message = error.msg if isinstance(error, SyntaxError) else str(error)
            return type(error).__name__ + ': ' + message + (' (line %d)' % line if line else '')
        except MemoryError:
            raise
        except BaseException:
            return 'Exception: an error that cannot be told'

    def finished(result):
        if not inspect.isawaitable(result):
            return result
        steps = result if inspect.iscoroutine(result) else result.__await__()
        try:
            while True:
                steps.send(None)
        except StopIteration as end:
            return end.value

    def say(letter, text):
        said = (letter + text).encode('utf-8', 'backslashreplace')
        written = write(1, said)
        while written < len(said):
            said = memoryview(said)[written:]
            written = write(1, said)

    def load(text):
        given = loads(text)
        module = types.ModuleType('transform')
        try:
            exec(compile(given['source'], 'transform', 'exec', dont_inherit=True), module.__dict__)
            transform = module.__dict__.get('transform')
            if not callable(transform):
                raise NameError("name 'transform' is not defined")
        except MemoryError:
            raise
        except BaseException as error:
            line, column = place(error)
            say('X', dumps({'text': describe(error)[:2000], 'line': line, 'column': column}))
            return None, None
        say('L', '')
        plan = given['plan']
        return transform, None if plan is None else reviver(plan)

    def call(text):
        try:
            record, _ = scan(text, 1)
            result = transform(record if revive is None else revive(record))
            if type(result) is not dict:
                result = finished(result)
            if not isinstance(result, dict):
                raise TypeError('transform must return a dict, not ' + type(result).__name__)
            answer = 'R', text_of(result)
        except MemoryError:
            raise
        except BaseException as error:
            answer = 'E', describe(error)[:2000]
        say(*answer)

    transform, revive = None, None
    console = sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Console()
    sys.stdin = sys.__stdin__ = None
    sys.argv = sys.orig_argv = []
    gc.freeze()
    while True:
        try:
            request = read(0, 16_384)
            while not request.endswith(b'\n'):
                request += read(0, 1_048_576)
            text = request.decode()
            letter = text[0]
            if letter == 'C':
                call(text)
            elif letter == 'L':
                transform, revive = load(text[1:])
            else:
                written, console.text = console.text, ''
                say('F', written)
        except MemoryError:
            write(1, b'M')

_serve()
`;
