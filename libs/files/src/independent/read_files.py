"""Reads the files of a folder with libraries that have nothing to do with Penstock, and prints what is in them, as JSON."""

import csv
import datetime as dt
import decimal
import gzip
import io
import json
import math
import pathlib
import struct
import sys
import uuid
import zipfile

import cramjam
import openpyxl
import pyarrow.parquet as pq

csv.field_size_limit(2**30)
UTC = dt.timezone.utc


def bits(number):
    return 'NaN' if math.isnan(number) else struct.pack('>d', number + 0.0).hex()


def fraction(micros):
    if micros == 0:
        return ''
    return '.%03d' % (micros // 1000) if micros % 1000 == 0 else '.%06d' % micros


def moment(value):
    return '%04d-%02d-%02dT%02d:%02d:%02d%s' % (value.year, value.month, value.day, value.hour, value.minute, value.second, fraction(value.microsecond))


def plain(value):
    """Texts of the API; floats by their bits, maps as sorted pairs."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return bits(value)
    if isinstance(value, decimal.Decimal):
        text = format(value, 'f')
        return text.rstrip('0').rstrip('.') if '.' in text else text
    if isinstance(value, dt.datetime):
        return moment(value.astimezone(UTC) if value.tzinfo else value) + 'Z'
    if isinstance(value, dt.date):
        return '%04d-%02d-%02d' % (value.year, value.month, value.day)
    if isinstance(value, dt.time):
        return '%02d:%02d:%02d%s' % (value.hour, value.minute, value.second, fraction(value.microsecond))
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return {'map': sorted([k, plain(v)] for k, v in value)}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return {name: plain(each) for name, each in value.items()}


def of_cell(value):
    """A number by its bits; a time rounded to milliseconds, as people see it."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return plain(value)
    if isinstance(value, (int, float)):
        return ['number', bits(float(value))]
    if isinstance(value, dt.datetime):
        rounded = value + dt.timedelta(microseconds=500)
        return ['moment', moment(rounded.replace(microsecond=rounded.microsecond // 1000 * 1000))]
    return ['time', plain(value)]


def numbers(value):
    """JSON with the digits of numbers."""
    return json.loads(value, parse_int=lambda text: {'number': text}, parse_float=lambda text: {'number': text}, parse_constant=lambda text: {'number': text})


def unpacked(path):
    content = path.read_bytes()
    if path.suffix == '.gz':
        return gzip.decompress(content)
    if path.suffix == '.sz':
        return bytes(cramjam.snappy.decompress(content))
    if path.suffix == '.zip':
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            [name] = archive.namelist()
            assert archive.testzip() is None
            return archive.read(name)
    return content


def read(path):
    content = unpacked(path)
    kind = path.name.split('.')[1]
    if kind == 'csv':
        return list(csv.reader(io.StringIO(content.decode(), newline='')))
    if kind == 'json':
        return numbers(content.decode())
    if kind == 'xlsx':
        book = openpyxl.load_workbook(io.BytesIO(content))
        return {'sheets': book.sheetnames, 'rows': [[of_cell(cell) for cell in row] for row in book.active.iter_rows(values_only=True)]}
    table = pq.read_table(io.BytesIO(content))
    return {'names': table.column_names, 'types': [str(field.type) for field in table.schema], 'rows': [plain(row) for row in table.to_pylist()]}


print(json.dumps({path.name: read(path) for path in sorted(pathlib.Path(sys.argv[1]).iterdir())}))
