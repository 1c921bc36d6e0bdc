import type {
  Answer,
  ApplicationUser,
  UserDestination,
  UserPage,
  UserQuery,
  UserSource,
} from '../connector/user-source';
import { selectProperties } from '../users/select-properties';
import { dummyConfig, type DummyConfig } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import { DUMMY_USER, DUMMY_USER_TO_WRITE } from './dummy-user-schemas';
import { generatedUser, USERS_SINCE_MS } from './generated-user';
import { answerLate, simulatedFailure } from './simulation';

/** Returns the generated users, unless its settings configure delays or failures. */
export const dummyUserSource = (store: DummyStore): UserSource => ({
  readsChanges: true,
  schema: () => Promise.resolve({ kind: 'answered', value: DUMMY_USER }),
  read: async (query, settings, context) => {
    const config = dummyConfig(settings);
    const failure = await simulatedFailure(store, 'read', config, context);
    const tooLate = await answerLate(config, context);
    return tooLate ?? failure ?? page(query, config);
  },
});

export const dummyUserDestination: UserDestination = {
  schema: () => Promise.resolve({ kind: 'answered', value: DUMMY_USER_TO_WRITE }),
};

/** The cursor is the number of the first user of the page. */
const page = (query: UserQuery, { userCount, pageSize }: DummyConfig): Answer<UserPage> => {
  const { schema, cursor, changedSince } = query;
  if (!/^([1-9]\d{0,6})?$/.test(cursor)) return { kind: 'rejected', reason: 'no such page' };
  const changed = firstChanged(changedSince);
  const first = Math.max(Number(cursor), changed);
  const last = Math.min(first + pageSize - 1, userCount);
  const users: ApplicationUser[] = [];
  for (let n = first; n <= last; n += 1) {
    const { values, ...user } = generatedUser(n);
    users.push({ ...user, values: selectProperties(values, schema) });
  }
  const next = last < userCount ? String(last + 1) : null;
  return {
    kind: 'answered',
    value: { users, next, total: Math.max(0, userCount - changed + 1) },
  };
};

/** Users were changed one a second, in their order. */
const firstChanged = (changedSince: string | null): number =>
  changedSince === null
    ? 1
    : Math.max(1, Math.ceil((Date.parse(changedSince) - USERS_SINCE_MS) / 1_000));
