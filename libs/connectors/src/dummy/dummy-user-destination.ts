import type { RecordValue, Value } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Outcome } from '../connector/event-destination';
import type {
  FoundUser,
  UpsertResult,
  UserBatch,
  UserDestination,
  UserLookUp,
  UserOutcome,
} from '../connector/user-destination';
import { NOT_SENT } from '../requests/not-sent';
import { dummyConfig, type DummyConfig } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import { DUMMY_USER_TO_WRITE } from './dummy-user-schemas';
import { writeUser } from './dummy-user-writing';
import { storedRecord } from './dummy-users';
import { generatedUser } from './generated-user';
import { answerLate, mayFail, simulatedFailure } from './simulation';

const CONCURRENCY = 50;
/** Users of one call; one alone where calls may fail, so that calls can be counted. */
const MAX_USERS = 100;
const MAX_VALUES = 1_000;
/** Generated users that are looked through before other work has its turn. */
const AT_ONCE = 10_000;

const TEXTS = [
  ...['dummyId', 'email', 'firstName', 'lastName', 'fullName', 'favouriteDrink'],
  ...['favourite_movie', 'address.street', 'address.postal_code', 'address.city'],
];

type Failed = Exclude<Outcome, { kind: 'delivered' }>;

/** Keeps every user, unless its settings configure delays or failures. */
export const dummyUserDestination = (store: DummyStore): UserDestination => ({
  findsRepetitions: false,
  limits: (settings) => ({
    maxUsers: mayFail(dummyConfig(settings), 'upsert') ? 1 : MAX_USERS,
    concurrency: CONCURRENCY,
  }),
  schema: () => Promise.resolve({ kind: 'answered', value: DUMMY_USER_TO_WRITE }),
  lookUp: lookUpIn(store),
  upsert: async ({ users, ...batch }, settings, context): Promise<UpsertResult> => {
    const config = dummyConfig(settings);
    const taken = users.slice(0, mayFail(config, 'upsert') ? 1 : MAX_USERS);
    const failed = (failure: Failed, executed: 'no' | 'yes' | 'unknown') => ({
      ...{ ...failure, taken: taken.length, executed },
    });
    if (context.mayWrite?.() === false) return failed(NOT_SENT as Failed, 'no');
    const failure = await simulatedFailure(store, 'upsert', config, context);
    if (failure !== undefined) return failed(failure, isRefusal(failure) ? 'no' : 'unknown');
    const outcomes = await writeAll(store, { ...batch, users: taken }, config, context);
    const tooLate = await answerLate(config, context);
    return tooLate === undefined ? { kind: 'answered', outcomes } : failed(tooLate, 'unknown');
  },
});

const isRefusal = ({ status = 500 }: Failed): boolean => status < 500 && status !== 408;

const writeAll = (
  store: DummyStore,
  { users }: UserBatch,
  config: DummyConfig,
  { connection }: CallContext,
): Promise<UserOutcome[]> =>
  store.users.write(connection, async (writing) => {
    const outcomes: UserOutcome[] = [];
    for (const user of users) outcomes.push(await writeUser(user, config, writing));
    return outcomes;
  });

const valueAt = (record: RecordValue, path: readonly string[]): Value | undefined => {
  const [name = '', ...rest] = path;
  const value = record[name];
  return rest.length === 0 ? value : value && valueAt(value as RecordValue, rest);
};

const lookUpIn = (store: DummyStore): UserLookUp => ({
  maxValues: MAX_VALUES,
  properties: () => Promise.resolve({ kind: 'answered', value: TEXTS }),
  find: async (property, values, settings, { connection, signal }) => {
    const config = dummyConfig(settings);
    const path = property.split('.');
    const wanted = new Set(values);
    const found: FoundUser[] = [];
    const add = (id: string, record: RecordValue): void => {
      const value = valueAt(record, path);
      if (value !== undefined && wanted.has(value)) found.push({ id, value });
    };
    for (let from = 1; from <= config.userCount; from += AT_ONCE) {
      signal.throwIfAborted();
      const to = Math.min(from + AT_ONCE - 1, config.userCount);
      const changed = await store.users.changedAmong(connection, from, to);
      const numbers = new Set(changed.map(({ number }) => number));
      for (let n = from; n <= to; n += 1) {
        const { id, values: record } = generatedUser(n);
        if (!numbers.has(n)) add(id, record);
      }
    }
    const texts = values
      .filter((value) => typeof value === 'string')
      .filter((value) => !value.includes('\0'));
    for (const user of await store.users.withValue(connection, path, texts))
      add(user.id, storedRecord(user));
    return { kind: 'answered', value: found };
  },
});
