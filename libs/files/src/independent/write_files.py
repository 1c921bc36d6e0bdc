"""Writes files with libraries that have nothing to do with Penstock, and what is in them, as JSON."""

import datetime as dt
import decimal
import json
import pathlib
import sys
import uuid

import cramjam
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

to = pathlib.Path(sys.argv[1])
D = decimal.Decimal
UTC = dt.timezone.utc
ROWS = 2500


def every(row, *values):
    """Values in turn, null in between."""
    at = row % (len(values) + 1)
    return None if at == len(values) else values[at]


COLUMNS = {
    'bool': (pa.bool_(), lambda n: every(n, True, False)),
    'i8': (pa.int8(), lambda n: every(n, -128, 127)),
    'u8': (pa.uint8(), lambda n: every(n, 0, 255)),
    'i16': (pa.int16(), lambda n: every(n, -32768, 32767)),
    'u16': (pa.uint16(), lambda n: every(n, 0, 65535)),
    'i32': (pa.int32(), lambda n: every(n, -(2**31), 2**31 - 1, n)),
    'u32': (pa.uint32(), lambda n: every(n, 0, 2**32 - 1, n)),
    'i64': (pa.int64(), lambda n: every(n, -(2**63), 2**63 - 1, n * 10**9)),
    'u64': (pa.uint64(), lambda n: every(n, 0, 2**64 - 1, n)),
    'f32': (pa.float32(), lambda n: every(n, 0.5, -1.25, 2.0**100)),
    'f64': (pa.float64(), lambda n: every(n, 0.1, -1e300, n / 7)),
    'dec9': (pa.decimal128(9, 2), lambda n: every(n, D('-9999999.99'), D('0.50'), D(n))),
    'dec18': (pa.decimal128(18, 9), lambda n: every(n, D('-1.000000001'), D('123456789.5'))),
    'dec38': (pa.decimal128(38, 10), lambda n: every(n, D('-' + '9' * 28 + '.' + '9' * 10), D('0.0000000001'))),
    'dec76': (pa.decimal256(76, 0), lambda n: every(n, D('9' * 76), D('-' + '9' * 76))),
    'text': (pa.string(), lambda n: every(n, '', 'ü😀', 'row %d' % n, 'row %d with a long beginning' % (n // 3))),
    'large': (pa.large_string(), lambda n: every(n, 'x' * (n % 50), 'y')),
    'word': (pa.dictionary(pa.int32(), pa.string()), lambda n: every(n, 'red', 'green', 'blue')),
    'day': (pa.date32(), lambda n: every(n, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1) + dt.timedelta(n - 1000))),
    't_ms': (pa.time32('ms'), lambda n: every(n, dt.time(0), dt.time(23, 59, 59, 999000))),
    't_us': (pa.time64('us'), lambda n: every(n, dt.time(1, 2, 3, 4), dt.time(12, 0, 0, 500000))),
    't_ns': (pa.time64('ns'), lambda n: every(n, dt.time(1, 2, 3, 4))),
    'ts_ms': (pa.timestamp('ms', tz='UTC'), lambda n: every(n, dt.datetime(1, 1, 1, tzinfo=UTC), dt.datetime(2024, 2, 29, 10, 11, 12, 345000, UTC))),
    'ts_us': (pa.timestamp('us'), lambda n: every(n, dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(1969, 12, 31, 23, 59, 59, 1))),
    'ts_ns': (pa.timestamp('ns', tz='Europe/Rome'), lambda n: every(n, dt.datetime(2024, 2, 29, 10, 11, 12, 345678, UTC))),
    'id': (pa.uuid(), lambda n: every(n, uuid.UUID(int=n + 2**100))),
    'json': (pa.json_(), lambda n: every(n, '{"a": [1.50, null], "b": "ü"}', '12345678901234567890')),
    'f16': (pa.float16(), lambda n: every(n, 0.5, -2.0, 65504.0, 2.0**-24)),
    'list': (pa.list_(pa.int32()), lambda n: every(n, [], [n], list(range(n % 200)))),
    'lists': (pa.list_(pa.list_(pa.string())), lambda n: every(n, [[]], [['a', 'b'], [], ['c%d' % n]], [])),
    'map': (pa.map_(pa.string(), pa.int64()), lambda n: every(n, [], [('a', n), ('__proto__', 2)])),
    'numbers': (pa.map_(pa.int32(), pa.list_(pa.date32())), lambda n: every(n, [(7, [dt.date(2024, 2, 29)]), (-1, [])])),
    'struct': (
        pa.struct([('a', pa.int32()), ('b c', pa.list_(pa.struct([('d', pa.string())])))]),
        lambda n: every(n, {'a': n, 'b c': [{'d': 'x'}, {'d': None}]}, {'a': None, 'b c': None}),
    ),
    'first name': (pa.string(), lambda n: 'required %d' % n),
}
UNSUPPORTED = {
    'raw': (pa.binary(), lambda n: b'\xff'),
    'fixed': (pa.binary(3), lambda n: b'abc'),
    'nothing': (pa.null(), lambda n: None),
}


def fraction(nanos):
    text = '%09d' % nanos
    while text.endswith('000'):
        text = text[:-3]
    return '.' + text if text else ''


def name(column):
    return column.replace(' ', '_')


def plain(value):
    """As JSON, with what JSON has no form for as text of the API."""
    if isinstance(value, D):
        text = format(value, 'f')
        return ['decimal', text.rstrip('0').rstrip('.') if '.' in text else text]
    if isinstance(value, dt.datetime):
        zone = value.astimezone(UTC) if value.tzinfo else value
        return '%04d-%02d-%02dT%02d:%02d:%02d%sZ' % (zone.year, zone.month, zone.day, zone.hour, zone.minute, zone.second, fraction(zone.microsecond * 1000))
    if isinstance(value, dt.date):
        return '%04d-%02d-%02d' % (value.year, value.month, value.day)
    if isinstance(value, dt.time):
        return '%02d:%02d:%02d%s' % (value.hour, value.minute, value.second, fraction(value.microsecond * 1000))
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return ['int', str(value)]
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return {'map': sorted([[str(k), plain(v)] for k, v in value])}
    if isinstance(value, list):
        return [['list'], *[plain(each) for each in value]]
    if isinstance(value, dict):
        return {name(k): plain(v) for k, v in value.items()}
    return value


def table(columns, rows=ROWS):
    schema = pa.schema([pa.field(n, t, nullable=n != 'first name') for n, (t, _) in columns.items()])
    arrays = []
    for n, (t, make) in columns.items():
        values = [make(row) for row in range(rows)]
        if n == 'id':
            values = [v and v.bytes for v in values]
        if n == 'f16':
            import numpy

            values = [None if v is None else numpy.float16(v) for v in values]
        arrays.append(pa.array(values, type=t))
    return pa.Table.from_arrays(arrays, schema=schema)


whole = table(COLUMNS)
expected = [{name(n): plain(make(row)) for n, (_, make) in COLUMNS.items()} for row in range(ROWS)]
(to / 'expected.json').write_text(json.dumps(expected))
for codec in ['none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4']:
    pq.write_table(whole, to / f'{codec}.parquet', compression=codec, row_group_size=1000, store_schema=False, data_page_size=2000)
pq.write_table(whole, to / 'v2.parquet', data_page_version='2.0', use_dictionary=False, data_page_size=1500, store_schema=False)
pq.write_table(whole, to / 'v2-dictionary.parquet', data_page_version='2.0', compression='zstd', write_page_index=True)
pq.write_table(whole, to / 'old.parquet', version='2.4', use_compliant_nested_type=False, use_dictionary=False, compression='none')
DELTAS = {
    'i32': 'DELTA_BINARY_PACKED', 'i64': 'DELTA_BINARY_PACKED', 'ts_us': 'DELTA_BINARY_PACKED', 'day': 'DELTA_BINARY_PACKED',
    'text': 'DELTA_BYTE_ARRAY', 'large': 'DELTA_LENGTH_BYTE_ARRAY', 'f32': 'BYTE_STREAM_SPLIT', 'f64': 'BYTE_STREAM_SPLIT', 'bool': 'RLE',
    'list.list.element': 'DELTA_BINARY_PACKED', 'dec38': 'BYTE_STREAM_SPLIT',
}
pq.write_table(whole, to / 'encodings.parquet', use_dictionary=False, column_encoding=DELTAS, data_page_version='2.0', data_page_size=3000)
pq.write_table(whole, to / 'encodings-v1.parquet', use_dictionary=False, column_encoding=DELTAS, compression='gzip')

# Files that pyarrow's own tests ship, written by versions of long ago.
for old in sorted((pathlib.Path(pa.__file__).parent / 'tests' / 'data' / 'parquet').glob('*.parquet')):
    (to / ('shipped-' + old.name)).write_bytes(old.read_bytes())
    rows = pq.read_table(old).to_pylist()
    (to / ('shipped-' + old.name + '.json')).write_text(json.dumps([{n: plain(v) for n, v in row.items()} for row in rows]))
INT96 = table({'at': (pa.timestamp('ns'), lambda n: every(n, dt.datetime(2024, 2, 29, 10, 11, 12, 345678), dt.datetime(1700, 1, 1)))})
pq.write_table(INT96, to / 'int96.parquet', use_deprecated_int96_timestamps=True)
pq.write_table(table({**UNSUPPORTED, 'kept': (pa.int32(), lambda n: n)}, 10), to / 'unsupported.parquet')
pq.write_table(table(UNSUPPORTED, 10), to / 'only-unsupported.parquet')
pq.write_table(table({'a b': (pa.int32(), lambda n: n), 'a-b': (pa.int32(), lambda n: n)}, 1), to / 'equal-names.parquet')
pq.write_table(table({'a': (pa.int32(), lambda n: n)}, 0), to / 'empty.parquet')
pq.write_table(table({'a': (pa.list_(pa.int32()), lambda n: [n, None] if n == 1 else [n])}, 3), to / 'null-in-list.parquet')
pq.write_table(table({'a': (pa.string(), lambda n: 'x\0' if n == 1 else 'x'), 'b': (pa.timestamp('us'), lambda n: n == 2 and 2**62 or n)}, 4), to / 'bad-values.parquet')
pq.write_table(table({'n': (pa.int64(), lambda n: n), 'text': (pa.string(), lambda n: 'text %d' % n)}, 300000), to / 'one-group.parquet', row_group_size=10**6)
(to / 'framed.csv.sz').write_bytes(bytes(cramjam.snappy.compress(b'a,b\n' + b''.join(b'%d,row\n' % n for n in range(50000)))))

book = openpyxl.Workbook()
users = book.active
users.title = 'Users'
users.append(['First Name', 'born', 'at', 'opens', 'score', 'ok', 'note'])
users.append(['Ada', dt.date(1815 + 100, 12, 10), dt.datetime(2024, 2, 29, 10, 11, 12, 345000), dt.time(9, 30), 0.1 + 0.2, True, '=1+1'])
users.append(['Zoë 😀', dt.date(1900, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59), dt.time(0, 0), 12345678901234, False, None])
users.append([])
users.append([' x\ny ', None, None, None, -1e-7])
users.append([None, None, None, None, None, None, None, 'beyond'])
users.append(['_x0041_ & <b>', None, None, None, 1e300, None, 'end'])
users.merge_cells('A7:B7')
other = book.create_sheet('Zweites & Blatt')
other.append(['a', 'a b', 'a-b'])
book.create_sheet('Empty')
book.create_chartsheet('Chart')
book.save(to / 'users.xlsx')
early = openpyxl.Workbook()
early.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
early.active.append([dt.date(1904, 1, 2), dt.datetime(2024, 2, 29, 12)])
early.save(to / 'from-1904.xlsx')

# A second writer: texts within the cells, results of formulas, forms of numbers, errors.
with xlsxwriter.Workbook(to / 'second.xlsx', {'constant_memory': True}) as second:
    sheet = second.add_worksheet('Data')
    form = lambda code: second.add_format({'num_format': code})
    sheet.write_row(0, 0, ['what', 'value'])
    CELLS = [
        ('formula', lambda r: sheet.write_formula(r, 1, '=1+1', None, 2)),
        ('text of a formula', lambda r: sheet.write_formula(r, 1, '="a"&"b"', None, 'ab')),
        ('date', lambda r: sheet.write_number(r, 1, 45351, form('d. mmm yyyy'))),
        ('date with a time', lambda r: sheet.write_number(r, 1, 45351.5, form('yyyy-mm-dd'))),
        ('time', lambda r: sheet.write_number(r, 1, 0.75, form('h:mm AM/PM'))),
        ('month', lambda r: sheet.write_number(r, 1, 45351, form('mmm'))),
        ('quoted', lambda r: sheet.write_number(r, 1, 1.5, form('0.00 "days"'))),
        ('coloured', lambda r: sheet.write_number(r, 1, 2, form('[Red]0'))),
        ('duration', lambda r: sheet.write_number(r, 1, 1.5, form('[h]:mm'))),
        ('last day before', lambda r: sheet.write_number(r, 1, 59, form('yyyy-mm-dd'))),
        ('day that never was', lambda r: sheet.write_number(r, 1, 60, form('yyyy-mm-dd'))),
        ('first day after', lambda r: sheet.write_number(r, 1, 61, form('yyyy-mm-dd'))),
        ('before all days', lambda r: sheet.write_number(r, 1, -1, form('yyyy-mm-dd'))),
        ('last day', lambda r: sheet.write_number(r, 1, 2958465, form('yyyy-mm-dd'))),
        ('after all days', lambda r: sheet.write_number(r, 1, 2958466, form('yyyy-mm-dd'))),
        ('rounded', lambda r: sheet.write_number(r, 1, 45350.9999999999, form('yyyy-mm-dd hh:mm'))),
        ('error', lambda r: sheet.write_formula(r, 1, '=1/0', None, '#DIV/0!')),
        ('boolean', lambda r: sheet.write_boolean(r, 1, True)),
    ]
    for number, (what, put) in enumerate(CELLS, 1):
        sheet.write_string(number, 0, what)
        put(number)
with xlsxwriter.Workbook(to / 'many.xlsx') as many:
    sheet = many.add_worksheet('Rows')
    for number in range(40000):
        sheet.write_row(number, 0, ['text %d' % number, number, 'same'])
