import { Writable } from 'node:stream';
import { createLogger, type LoggerSettings } from './create-logger';
import { NestLogger } from './nest-logger';
import { withoutRequestId, withRequestId } from './request-id';

const logTo = (settings: Partial<LoggerSettings> = {}, isTTY = false) => {
  let written = '';
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString();
      done();
    },
  });
  const output = Object.assign(sink, { isTTY });
  const logger = createLogger(
    { service: 'gateway', LOG_LEVEL: 'info', LOG_FORMAT: undefined, ...settings },
    output,
  );
  const lines = () =>
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines, text: () => written };
};

it('writes one line of JSON per message, with service, level in words and time', () => {
  const { logger, lines } = logTo();
  logger.info({ partition: 3 }, 'assigned');
  expect(lines()).toEqual([
    {
      level: 'info',
      service: 'gateway',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      partition: 3,
      msg: 'assigned',
    },
  ]);
});

it.each([
  [undefined, true, false],
  [undefined, false, true],
  ['json', true, true],
  ['pretty', false, false],
] as const)('format %s, on a terminal: %s, is JSON: %s', (LOG_FORMAT, isTTY, isJson) => {
  const { logger, text } = logTo({ LOG_FORMAT }, isTTY);
  logger.info('assigned');
  expect(text()).toContain('assigned');
  expect(text().startsWith('{')).toBe(isJson);
});

it('is quiet below its level', () => {
  const { logger, text } = logTo({ LOG_LEVEL: 'warn' });
  logger.info('quiet');
  expect(text()).toBe('');
  logger.warn('loud');
  expect(text()).toContain('loud');
});

it.each(['json', 'pretty'] as const)(
  'lets no secret out as %s, wherever it stands',
  (LOG_FORMAT) => {
    const { logger, text } = logTo({ LOG_FORMAT });
    const url = 'postgres://u:hush@db/n';
    logger.info({ settings: { apiKey: 'hush' }, url, headers: { authorization: 'hush' } }, url);
    logger.error(new Error(`no route to ${url}`));
    logger.error({ err: new Error('outer', { cause: new Error(url) }) });
    logger
      .child({ password: 'hush' })
      .child({ nested: { token: 'hush' } })
      .info('child');
    expect(text()).toContain('outer');
    expect(text()).not.toContain('hush');
  },
);

it('carries the request id on every line of the request, and on no other', async () => {
  const { logger, lines } = logTo();
  await withRequestId('r1', async () => {
    await Promise.resolve();
    logger.info('inside');
    withoutRequestId(() => {
      logger.info('of no request');
    });
    logger.info('inside again');
  });
  logger.info('outside');
  expect(lines().map(({ requestId }) => requestId)).toEqual(['r1', undefined, 'r1', undefined]);
});

it("writes Nest's words with their context and level", () => {
  const { logger, lines } = logTo({ LOG_LEVEL: 'trace' });
  const nest = new NestLogger(logger);
  nest.log('started', 'NestApplication');
  nest.error('failed', 'Error: failed\n    at x', 'Router');
  nest.error(new Error('thrown'));
  nest.warn({ code: 'W1' }, 'Router');
  nest.debug('detail');
  nest.verbose('more');
  nest.fatal('over');
  expect(lines()).toMatchObject([
    { level: 'debug', msg: 'started', context: 'NestApplication' },
    { level: 'error', msg: 'failed', context: 'Router', stack: 'Error: failed\n    at x' },
    { level: 'error', msg: 'thrown', err: { message: 'thrown' } },
    { level: 'warn', message: { code: 'W1' }, context: 'Router' },
    { level: 'debug', msg: 'detail' },
    { level: 'trace', msg: 'more' },
    { level: 'fatal', msg: 'over' },
  ]);
});
