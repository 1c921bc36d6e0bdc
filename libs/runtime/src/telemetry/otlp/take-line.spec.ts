import { trace } from '@opentelemetry/api';
import { type LogRecord, SeverityNumber } from '@opentelemetry/api-logs';
import { Writable } from 'node:stream';
import { createLogger } from '../../logging/create-logger';
import { withTrace } from '../../logging/trace-context';
import { takeLine } from './take-line';

const [TRACE_ID, SPAN_ID] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

/** A logger whose lines become records, and what it prints. */
const stand = (LOG_FORMAT: 'json' | 'pretty' = 'json') => {
  const records: LogRecord[] = [];
  let printed = '';
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      printed += chunk.toString();
      done();
    },
  });
  const take = takeLine({ emit: (record) => records.push(record) });
  const logger = createLogger({ service: 'gateway', LOG_LEVEL: 'debug', LOG_FORMAT }, output, take);
  return { logger, records, printed: () => printed };
};

it.each(['json', 'pretty'] as const)('makes a record of a line that is printed as %s', (format) => {
  const { logger, records, printed } = stand(format);
  logger.warn({ partition: 3, where: { a: [1, 'b'] } }, 'assigned');
  expect(printed()).toContain('assigned');
  expect(records).toMatchObject([
    {
      body: 'assigned',
      severityNumber: SeverityNumber.WARN,
      severityText: 'warn',
      timestamp: expect.any(Date) as Date,
      attributes: { partition: 3, where: { a: [1, 'b'] } },
    },
  ]);
  expect(Object.keys(records[0]!.attributes ?? {})).toEqual(['partition', 'where']);
});

it('prints the same line as without it', () => {
  const { logger, printed } = stand();
  logger.info('one');
  expect(JSON.parse(printed())).toEqual({
    level: 'info',
    service: 'gateway',
    msg: 'one',
    time: expect.any(String) as string,
  });
});

it('is in the trace that is under way', () => {
  const { logger, records, printed } = stand();
  withTrace(`00-${TRACE_ID}-${SPAN_ID}-01`, () => {
    logger.info('within');
  });
  logger.info('outside');
  expect(printed()).toContain(`"trace_id":"${TRACE_ID}","span_id":"${SPAN_ID}"`);
  const contexts = records.map(({ context }) => context && trace.getSpanContext(context));
  expect(contexts).toMatchObject([{ traceId: TRACE_ID, spanId: SPAN_ID }, undefined]);
  expect(records.map(({ attributes }) => attributes)).toEqual([{}, {}]);
});

it('names an error by the conventions', () => {
  const { logger, records } = stand();
  logger.error({ err: Object.assign(new TypeError('bad'), { code: 'E' }) }, 'failed');
  expect(records[0]!.attributes).toEqual({
    'exception.type': 'TypeError',
    'exception.message': 'bad',
    'exception.stacktrace': expect.stringContaining('TypeError: bad') as string,
    'exception.details': { code: 'E' },
  });
});

it('contains no secret that the line does not show', () => {
  const { logger, records } = stand();
  const url = 'postgres://user:hunter22@host/db';
  logger.child({ apiKey: 'key-1' }).info({ deep: { password: 'word-1' }, url }, `at ${url}`);
  const text = JSON.stringify(records);
  expect(text).toContain('[redacted]');
  expect(text).not.toMatch(/hunter22|key-1|word-1/);
});

it('takes a line that is no JSON as a whole', () => {
  const records: LogRecord[] = [];
  takeLine({ emit: (record) => records.push(record) })('{"msg":"half\n');
  expect(records).toEqual([{ body: '{"msg":"half' }]);
});
