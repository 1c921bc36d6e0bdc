import { EmbeddedPostgresError } from '@penstock/embedded-postgres';
import { LogUnavailable, UnsuitableTopic } from '@penstock/messaging';
import { CannotStart, ConfigurationError } from '@penstock/runtime';
import { explainFailedStart } from './explain-failed-start';

const DATABASE_URL = 'postgres://user:hush@db.example:5433/penstock';

const failed = (message: string, members: object): Error =>
  Object.assign(new Error(message), members);

/** As the server refuses. */
const refusal = (code: string, message: string): Error =>
  failed(message, { code, severity: 'FATAL' });

const REFUSED = failed('connect ECONNREFUSED 10.0.0.1:5433', {
  code: 'ECONNREFUSED',
  syscall: 'connect',
});

const DATABASE = 'the database db.example:5433/penstock';
const START = 'start it, or correct DATABASE_URL';

it.each<[what: string, error: Error, line: string]>([
  ['a bad variable', new ConfigurationError(['A must be 1']), 'bad configuration: A must be 1'],
  ['what a start names itself', new Error('x', { cause: new CannotStart('port 1') }), 'port 1'],
  [
    'a failure of several lines',
    new EmbeddedPostgresError('StartFailed', 'it printed: a\n  b\n'),
    'it printed: a b ',
  ],
  [
    'a database that is away',
    REFUSED,
    `${DATABASE} cannot be reached (connect ECONNREFUSED 10.0.0.1:5433): ${START}`,
  ],
  [
    'one behind the log',
    new LogUnavailable('PostgreSQL cannot be reached', { cause: REFUSED }),
    `${DATABASE} cannot be reached (connect ECONNREFUSED 10.0.0.1:5433): ${START}`,
  ],
  [
    'one of several addresses',
    Object.assign(new AggregateError([REFUSED], ''), { code: 'ECONNREFUSED' }),
    `${DATABASE} cannot be reached (ECONNREFUSED): ${START}`,
  ],
  [
    'one that does not answer',
    new Error('timeout exceeded when trying to connect'),
    `${DATABASE} cannot be reached (timeout exceeded when trying to connect): ${START}`,
  ],
  [
    'a wrong password',
    refusal('28P01', 'password authentication failed for user "user"'),
    `${DATABASE} refuses (password authentication failed for user "user"): correct DATABASE_URL`,
  ],
  [
    'a database that does not exist',
    refusal('3D000', 'database "penstock" does not exist'),
    `${DATABASE} refuses (database "penstock" does not exist): create it, or correct DATABASE_URL`,
  ],
  [
    'missing rights',
    refusal('42501', 'permission denied for database penstock'),
    `${DATABASE} refuses (permission denied for database penstock): grant its user what is missing: it must be allowed to create schemas`,
  ],
])('explains %s', (_, error, line) => {
  expect(explainFailedStart(error, { DATABASE_URL })).toBe(line);
});

it.each([
  ['partitions', /: set PENSTOCK_EVENTS_PARTITIONS as it was/],
  ['retention', /: correct the retention/],
  ['replicas', /: start more brokers, or set KAFKA_REPLICATION_FACTOR/],
  ['rights', /: grant it/],
] as const)('explains a topic with unsuitable %s', (what, advice) => {
  const line = explainFailedStart(new UnsuitableTopic(what, 'topic events is not so'), {});
  expect(line).toMatch(/^topic events is not so: /);
  expect(line).toMatch(advice);
});

it('explains Kafka that answers and cannot work', () => {
  const error = new LogUnavailable('topic events has partitions without a leader');
  expect(explainFailedStart(error, { DATABASE_URL, KAFKA_BROKERS: ['k:9092'] })).toBe(
    'Kafka at k:9092 cannot be used now (topic events has partitions without a leader): start again when all of its brokers run',
  );
});

it('explains Kafka that is away', () => {
  const error = new LogUnavailable('Kafka does not answer', {
    cause: failed('connect ECONNREFUSED 10.0.0.2:9092', { syscall: 'connect' }),
  });
  expect(explainFailedStart(error, { DATABASE_URL, KAFKA_BROKERS: ['k:9092'] })).toBe(
    'no Kafka broker of k:9092 can be reached (connect ECONNREFUSED 10.0.0.2:9092): start them, or correct KAFKA_BROKERS',
  );
});

it('leaves an embedded database that is away to the stack', () => {
  expect(explainFailedStart(REFUSED, {})).toBeUndefined();
});

it.each([
  ['a bug', new TypeError('x is not a function')],
  ['an error of SQL', refusal('42601', 'syntax error')],
  ['a file that is missing', failed('ENOENT: no such file', { code: 'ENOENT', syscall: 'open' })],
  ['what is not an error', 'text'],
])('leaves %s to the stack', (_, error) => {
  expect(explainFailedStart(error, { DATABASE_URL })).toBeUndefined();
});
