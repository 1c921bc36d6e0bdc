import { compileCodec, newRecord, type RecordValue } from '@penstock/schema';
import type {
  Answer,
  ApplicationUser,
  UserPage,
  UserQuery,
  UserSource,
} from '../connector/user-source';
import { selectProperties } from '../users/select-properties';
import { dummyConfig, type DummyConfig } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import type { DummyUserStore, StoredUser } from './dummy-user-store';
import { DUMMY_USER, DUMMY_USER_KEPT } from './dummy-user-schemas';
import { generatedUser, USERS_SINCE_MS } from './generated-user';
import { answerLate, simulatedFailure } from './simulation';

/** Users that were written are listed behind the generated ones: pages of them begin with their sequence. */
const BESIDE = 's';
/** More than any connection has. */
const MAX_NUMBER = 1_000_000_000;

/** Returns the generated users and those that were written, unless its settings configure delays or failures. */
export const dummyUserSource = (store: DummyStore): UserSource => ({
  readsChanges: true,
  limits: () => ({ concurrency: 50 }),
  schema: () => Promise.resolve({ kind: 'answered', value: DUMMY_USER }),
  read: async (query, settings, context) => {
    const config = dummyConfig(settings);
    const failure = await simulatedFailure(store, 'read', config, context);
    const tooLate = await answerLate(config, context);
    return tooLate ?? failure ?? page(query, config, new Reading(store.users, context.connection));
  },
});

/** What is kept of a user that was written. */
const kept = compileCodec(DUMMY_USER_KEPT, { partial: true });

/** The record of a user as it was written last. */
export const storedRecord = ({ record }: Pick<StoredUser, 'record'>): RecordValue =>
  kept.parse(record);

class Reading {
  constructor(
    readonly store: DummyUserStore,
    readonly connection: string,
  ) {}
}

const isoOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

const written = (user: StoredUser, { schema }: UserQuery): ApplicationUser => ({
  id: user.id,
  updatedAt: isoOf(user.updatedAtMs),
  values: selectProperties(readable(storedRecord(user)), schema),
});

/** A user who was created with less than is always read of one. */
const readable = (record: RecordValue): RecordValue =>
  Object.assign(newRecord(), NOTHING, record, {
    address: Object.assign(newRecord(), NO_ADDRESS, record['address']),
  });

const NO_ADDRESS = { street: '', postal_code: '', city: '' };
const NOTHING = { firstName: null, lastName: null, fullName: null, favouriteDrink: null };

/** The cursor is the number of the first generated user of the page, or where the written ones go on. */
const page = async (
  query: UserQuery,
  config: DummyConfig,
  reading: Reading,
): Promise<Answer<UserPage>> => {
  const { cursor, changedSince } = query;
  if (!/^(?:[1-9]\d{0,6}|s\d{1,15})?$/.test(cursor))
    return { kind: 'rejected', reason: 'no such page' };
  const first = firstChanged(changedSince);
  const isBeside = cursor.startsWith(BESIDE);
  const from = isBeside ? config.userCount + 1 : Math.max(Number(cursor), first);
  const value =
    from > config.userCount
      ? await pageBeside(query, config, reading, isBeside ? Number(cursor.slice(1)) : 0)
      : await pageOfGenerated(query, config, reading, from);
  return { kind: 'answered', value };
};

const pageOfGenerated = async (
  query: UserQuery,
  config: DummyConfig,
  reading: Reading,
  from: number,
): Promise<UserPage> => {
  const { store, connection } = reading;
  const last = Math.min(from + config.pageSize - 1, config.userCount);
  const changed = await store.changedAmong(connection, from, last);
  const byNumber = new Map(changed.map((user) => [user.number, user]));
  const users: ApplicationUser[] = [];
  for (let n = from; n <= last; n += 1) {
    const user = byNumber.get(n);
    const { values, ...generated } = generatedUser(n);
    users.push(
      user === undefined
        ? { ...generated, values: selectProperties(values, query.schema) }
        : written(user, query),
    );
  }
  const [beside] = await store.beside(connection, storedQuery(query, config, 0, 1));
  if (beside !== undefined)
    return { users, next: last < config.userCount ? String(last + 1) : `${BESIDE}0` };
  const total = Math.max(0, config.userCount - firstChanged(query.changedSince) + 1);
  return { users, next: last < config.userCount ? String(last + 1) : null, total };
};

const pageBeside = async (
  query: UserQuery,
  config: DummyConfig,
  { store, connection }: Reading,
  from: number,
): Promise<UserPage> => {
  const wanted = storedQuery(query, config, from, config.pageSize + 1);
  const found = await store.beside(connection, wanted);
  const users = found.slice(0, config.pageSize).map((user) => written(user, query));
  const following = found[config.pageSize];
  return { users, next: following === undefined ? null : BESIDE + String(following.sequence) };
};

const storedQuery = (
  { changedSince }: UserQuery,
  { userCount }: DummyConfig,
  from: number,
  limit: number,
) => ({
  first: Math.min(firstChanged(changedSince), MAX_NUMBER),
  last: userCount,
  changedSinceMs: changedSince === null ? null : Date.parse(changedSince),
  from,
  limit,
});

/** Users were changed one a second, in their order. */
const firstChanged = (changedSince: string | null): number =>
  changedSince === null
    ? 1
    : Math.max(1, Math.ceil((Date.parse(changedSince) - USERS_SINCE_MS) / 1_000));
