import { kafkaClient } from './kafka-client';

const logged = (say: (logger: ReturnType<ReturnType<typeof kafkaClient>['logger']>) => void) => {
  const lines: unknown[][] = [];
  const logger = (...line: unknown[]): void => void lines.push(line);
  say(kafkaClient({ brokers: ['localhost:1'], clientId: 'c', logger }).logger());
  return lines;
};

it("forwards kafkajs' warnings, with the fields that contain no payload", () => {
  const fields = {
    broker: 'b:1',
    retryCount: 2,
    payload: 'secret',
    stack: 'trace',
    error: 'closed',
  };
  expect(logged((logger) => logger.error('lost a connection', fields))).toEqual([
    ['warn', 'kafkajs: lost a connection', { broker: 'b:1', retryCount: 2, error: 'closed' }],
  ]);
});

it('names the part of kafkajs that logs', () => {
  const lines = logged((logger) => logger.namespace('Producer').warn('slow'));
  expect(lines).toEqual([['warn', 'kafkajs Producer: slow', {}]]);
});

it('drops all other lines, whatever the environment configures', () => {
  process.env['KAFKAJS_LOG_LEVEL'] = 'debug';
  try {
    expect(logged((logger) => logger.debug('bytes', { data: 'secret' }))).toEqual([]);
    expect(logged((logger) => logger.info('started'))).toEqual([]);
  } finally {
    delete process.env['KAFKAJS_LOG_LEVEL'];
  }
});
