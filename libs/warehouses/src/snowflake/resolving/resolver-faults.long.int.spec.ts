import { SnowflakeSession } from '@penstock/databases';
import { CHANGING, isRejected, some } from '../../platform/resolver.contract';
import type { Resolver } from '../../platform/resolver';
import { NEVER, OPTIONS, resolveAll, rules } from '../../platform/resolving.fixture';
import type { Writer } from '../../platform/warehouse-writer';
import { imported } from '../../platform/warehouse-writer.contract';
import { lockWarehouse } from '../layout/guard';
import { snowflakeOfSpecs } from '../stage.fixture';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(300_000);

const BY = rules(['email']);

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
beforeEach(() => stage.empty());
afterEach(() => jest.restoreAllMocks());
afterAll(() => stage.close());

type Statement = Parameters<SnowflakeSession['rows']>;

/** Has something done before each statement of any session. */
const beforeStatements = (before: (statement: string) => void | Promise<void>): void => {
  const rows = SnowflakeSession.prototype.rows;
  jest.spyOn(SnowflakeSession.prototype, 'rows').mockImplementation(async function (
    this: SnowflakeSession,
    ...given: Statement
  ) {
    await before(given[0]);
    return rows.apply(this, given);
  });
};

/** The statements that some work executes. */
const statementsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const statements: string[] = [];
  beforeStatements((statement) => {
    statements.push(statement);
  });
  await work();
  jest.restoreAllMocks();
  return statements;
};

const write = (count: number, prefix = 'u'): Promise<void> =>
  stage.write(
    'c1',
    Array.from({ length: count }, (_, at) =>
      imported(`${prefix}${String(at)}`, 1, { email: `e${String(at % 3)}` }),
    ),
  );

const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

it.each(Object.entries(CHANGING))(
  '%s is busy while the warehouse is changed',
  async (_, method) => {
    await some(stage);
    const resolver = await stage.resolver(BY);
    const before = await stage.contents();
    const fences = stage.at('_FENCES');
    await stage.written.stage.rows(
      `INSERT INTO ${fences} ("ROLE", "EPOCH", "BEGUN_AT") VALUES ('schema change', 1, CURRENT_TIMESTAMP())`,
    );
    await isRejected(method(resolver), 'busy');
    await stage.written.stage.rows(`DELETE FROM ${fences} WHERE "ROLE" = 'schema change'`);
    expect(await stage.contents()).toEqual(before);
    await method(resolver);
  },
);

it('is given up before any of its statements without a trace', async () => {
  await write(9);
  await stage.event('c1', 'x', 'u1');
  const resolver = await stage.resolver(BY);
  const before = await stage.contents();
  for (let nth = 1; ; nth += 4) {
    const giving = new AbortController();
    let count = 0;
    beforeStatements(() => {
      count += 1;
      if (count === nth) giving.abort(new Error('no longer wanted'));
    });
    const reason = await reasonOf(resolver.resolve(10, giving.signal));
    jest.restoreAllMocks();
    if (reason === undefined) {
      expect(nth).toBeGreaterThan(30);
      break;
    }
    expect(reason).toMatchObject({ message: 'no longer wanted' });
    expect(await stage.contents()).toEqual(before);
  }
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(3);
});

it('is given up soon while it waits for a writer', async () => {
  await some(stage);
  const resolver = await stage.resolver(BY);
  const before = await stage.contents();
  const { stage: owner } = stage.written;
  await owner.rows('BEGIN');
  await lockWarehouse(owner.owner, owner.place);
  const giving = new AbortController();
  const reason = reasonOf(resolver.resolve(10, giving.signal));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  giving.abort(new Error('no longer wanted'));
  expect(await reason).toMatchObject({ message: 'no longer wanted' });
  await owner.rows('ROLLBACK');
  expect(await stage.contents()).toEqual(before);
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(1);
});

it.each([
  ['before', false],
  ['after', true],
])('a session that is lost %s its commit leaves all or nothing', async (_, commits) => {
  await some(stage);
  const resolver = await stage.resolver(BY);
  const rows = SnowflakeSession.prototype.rows;
  jest.spyOn(SnowflakeSession.prototype, 'rows').mockImplementation(async function (
    this: SnowflakeSession,
    ...given: Statement
  ) {
    if (given[0] !== 'COMMIT') return rows.apply(this, given);
    jest.restoreAllMocks();
    if (commits) await rows.apply(this, given);
    throw new Error('the connection is lost');
  });
  await isRejected(resolver.resolve(10, NEVER), 'unreachable');
  expect(await stage.profiles()).toHaveLength(commits ? 1 : 0);
  expect(await resolver.pending()).toBe(commits ? 0 : 2);
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(1);
  expect(await stage.takeFacts(resolver)).toMatchObject([{ type: 'ProfileCreated' }]);
});

it('two that resolve at once take turns', async () => {
  await write(12);
  const other = await stage.written.open(OPTIONS);
  const writer: Writer = { role: 'resolution', epoch: 1_000 };
  const resolvers: Resolver[] = [];
  for (const writers of [stage.writers, other])
    resolvers.push(await writers.beginResolution(writer, BY));
  await Promise.all(resolvers.map((resolver) => resolveAll(resolver, 5)));
  await other.close();
  await stage.written.stage.rows(`DELETE FROM ${stage.at('_FENCES')} WHERE "ROLE" = 'resolution'`);
  expect(await stage.profiles()).toHaveLength(3);
  for (const { _identities } of await stage.profiles()) expect(_identities).toBe(4);
});

it('makes its tables once, and has as many statements whatever the batch', async () => {
  const resolver = await stage.resolver(BY);
  await write(3);
  const first = await statementsOf(() => resolveAll(resolver));
  await write(6, 'v');
  const few = await statementsOf(() => resolveAll(resolver));
  await write(300, 'w');
  const many = await statementsOf(() => resolveAll(resolver));
  const made = (statements: readonly string[]): number =>
    statements.filter((statement) => statement.startsWith('CREATE')).length;
  expect(made(first)).toBeGreaterThan(0);
  expect(made(few) + made(many)).toBe(0);
  expect(many.length).toBe(few.length);
  expect(many.length).toBeLessThan(50);
});
