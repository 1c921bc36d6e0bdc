import { json, malformed, type Refused, refused } from '../refusal';
import { refuses, type Run, type Table } from '../table';
import type { Json } from '../world';

const NOT_ALIGNED = refused(
  'SchemaNotAligned',
  'output schema is not aligned with the event type schema',
  '/outSchema',
);

/**
 * A literal of a mapping is validated as a value of its destination when a pipeline is created: its form first (400),
 * then whether the destination fits the event type, which it never does here (422).
 */
const converts = (type: Json, expression: string, because: Refused): Run =>
  refuses(
    'POST /v1/pipelines',
    json({
      name: 'P',
      connection: '{destination}',
      target: 'Event',
      eventType: 'send_event',
      transformation: { mapping: { value: expression } },
      outSchema: { kind: 'object', properties: [{ name: 'value', type }] },
    }),
    because,
  );

const text = (value: string): string => JSON.stringify(value);

const values = (
  type: Json,
  { accepted, refused: rejected }: { readonly accepted: string[]; readonly refused: string[] },
): Record<string, Run> => ({
  ...Object.fromEntries(
    accepted.map((value) => [
      `${JSON.stringify(type)} ${value}`,
      converts(type, value, NOT_ALIGNED),
    ]),
  ),
  ...Object.fromEntries(
    rejected.map((value) => [
      `${JSON.stringify(type)} not ${value}`,
      converts(type, value, malformed('/transformation/mapping/value')),
    ]),
  ),
});

/** Valid and invalid values of each kind, on both sides of its limits. */
export const VALUES: Table = {
  'value of string: values, pattern, maxLength and maxByteLength': {
    ...values({ kind: 'string', values: ['a', 'b'] }, { accepted: ['"a"'], refused: ['"c"'] }),
    ...values({ kind: 'string', pattern: '^x' }, { accepted: ['"xy"'], refused: ['"yx"'] }),
    ...values({ kind: 'string', maxLength: 2 }, { accepted: ['"éé"'], refused: ['"éée"'] }),
    ...values({ kind: 'string', maxByteLength: 3 }, { accepted: ['"ée"'], refused: ['"éé"'] }),
  },
  'value of boolean: true and false': values(
    { kind: 'boolean' },
    { accepted: ['true', 'false', '"yes"'], refused: ['"maybe"'] },
  ),
  'value of int: within its bits and bounds': {
    ...values(
      { kind: 'int', bitSize: 8 },
      { accepted: ['127', '-128'], refused: ['128', '-129', '1.5', '"x"'] },
    ),
    ...values(
      { kind: 'int', bitSize: 16 },
      { accepted: ['32767', '-32768'], refused: ['32768', '-32769'] },
    ),
    ...values(
      { kind: 'int', bitSize: 24 },
      { accepted: ['8388607', '-8388608'], refused: ['8388608', '-8388609'] },
    ),
    ...values(
      { kind: 'int', bitSize: 32 },
      { accepted: ['2147483647', '-2147483648'], refused: ['2147483648', '-2147483649'] },
    ),
    ...values(
      { kind: 'int', bitSize: 64 },
      {
        accepted: ['9223372036854775807', '-9223372036854775808'],
        refused: ['9223372036854775808', '-9223372036854775809'],
      },
    ),
    ...values(
      { kind: 'int', bitSize: 8, unsigned: true },
      { accepted: ['0', '255'], refused: ['-1', '256'] },
    ),
    ...values(
      { kind: 'int', bitSize: 64, unsigned: true },
      { accepted: ['18446744073709551615'], refused: ['18446744073709551616'] },
    ),
    ...values(
      { kind: 'int', bitSize: 32, minimum: 5, maximum: 6 },
      { accepted: ['5', '6'], refused: ['4', '7'] },
    ),
  },
  'value of float: special values unless real': {
    ...values(
      { kind: 'float', bitSize: 64 },
      { accepted: ['"NaN"', '"Infinity"', '"-Infinity"', '1.5'], refused: ['"nan"', '"1.5x"'] },
    ),
    ...values(
      { kind: 'float', bitSize: 64, real: true },
      { accepted: ['1'], refused: ['"NaN"', '"Infinity"', '"-Infinity"'] },
    ),
    ...values(
      { kind: 'float', bitSize: 32 },
      { accepted: ['"3.4028235e38"'], refused: ['"3.5e38"'] },
    ),
    ...values(
      { kind: 'float', bitSize: 64, minimum: 0, maximum: 1.5 },
      {
        accepted: ['0', '1.5'],
        refused: ['"NaN"', '1.6', '-1'],
      },
    ),
  },
  'value of decimal: precision and scale': {
    ...values(
      { kind: 'decimal', precision: 3, scale: 2 },
      { accepted: ['9.99', '-9.99', '"1.500"'], refused: ['10', '0.001', '"NaN"'] },
    ),
    ...values(
      { kind: 'decimal', precision: 3, scale: 2, minimum: 1, maximum: 2 },
      { accepted: ['1', '2'], refused: ['0.99', '2.01'] },
    ),
  },
  'value of datetime: years 1 to 9999, any ISO 8601 form and zone': values(
    { kind: 'datetime' },
    {
      accepted: [
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999999999Z',
        '0000-12-31T23:00:00-02:00',
        '2024-02-29',
        '20240229T101112,5+0200',
        '2024-W09-4 10:11',
        '2024-060',
        '2024-02-29t24:00z',
      ].map(text),
      refused: [
        '0000-12-31T23:59:59Z',
        '9999-12-31T24:00:00Z',
        '10000-01-01',
        '2023-02-29',
        '2024-01-01T00:00:60Z',
        '1700000000',
      ].map(text),
    },
  ),
  'value of date: years 1 to 9999, yyyy-mm-dd': values(
    { kind: 'date' },
    {
      accepted: ['0001-01-01', '9999-12-31', '2024-02-29'].map(text),
      refused: ['0000-12-31', '10000-01-01', '2023-02-29', '20240229', '2024-2-9'].map(text),
    },
  ),
  'value of time: up to 9 decimal digits, no zone': values(
    { kind: 'time' },
    {
      accepted: ['00:00:00', '23:59:59.999999999', '10:11:12.5'].map(text),
      refused: ['24:00:00', '23:59:59.9999999999', '10:11', '10:11:12.', '10:11:12Z'].map(text),
    },
  ),
  'value of year: 1 to 9999': values(
    { kind: 'year' },
    { accepted: ['1', '9999', '"2024"'], refused: ['0', '10000', '"20x4"'] },
  ),
  'value of uuid': values(
    { kind: 'uuid' },
    {
      accepted: [
        '8f3e6a5c-52d4-4c11-9d1f-2f8f4c8e7b10',
        '8F3E6A5C52D44C119D1F2F8F4C8E7B10',
        'urn:uuid:8f3e6a5c-52d4-4c11-9d1f-2f8f4c8e7b10',
      ].map(text),
      refused: ['8f3e6a5c-52d4-4c11-9d1f-2f8f4c8e7b1', 'x'].map(text),
    },
  ),
  'value of ip: IPv4 or IPv6': values(
    { kind: 'ip' },
    {
      accepted: ['1.2.3.4', '2001:DB8::1', '::ffff:1.2.3.4'].map(text),
      refused: ['1.2.3', '01.2.3.4', '1.2.3.4/24', 'fe80::1%eth0', 'localhost'].map(text),
    },
  ),
};
