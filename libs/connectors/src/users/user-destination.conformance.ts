import { destinationView, type Schema, type Value } from '@penstock/schema';
import type { Settings } from '../connector/connector';
import type { SendContext } from '../connector/event-destination';
import type { GuardedHttp } from '../connector/guarded-http';
import type {
  FoundUser,
  OutgoingUser,
  UpsertResult,
  UserDestination,
  UserLookUp,
  UserOutcome,
} from '../connector/user-destination';
import type { Answer } from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { aContext } from '../outgoing-event.fixture';

export interface UserDestinationUnderTest {
  readonly destination: UserDestination;
  /** Settings of an application without users of {@link user}, for one test. */
  settings(): Settings;
  /** Of what {@link user} writes. */
  readonly schema: Schema;
  /** The n-th user; with an id of a user that exists, or to be created. No two share a value. */
  user(n: number, id?: string): OutgoingUser;
  /** Where users can be looked up: by what, and what the n-th user has there. */
  readonly lookUp?: { readonly property: string; value(n: number): Value };
}

export const answered = <T>(answer: Answer<T>): T => {
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  return answer.value;
};

/** The outcomes of a request that had an answer for each user. */
export const outcomesOf = (result: UpsertResult): readonly UserOutcome[] => {
  if (result.kind !== 'answered') throw new Error(result.reason);
  return result.outcomes;
};

/** Every destination of users runs these. */
export const itKeepsTheUserDestinationPromises = ({
  destination,
  settings: settingsFor,
  schema,
  user,
  lookUp: looked,
}: UserDestinationUnderTest): void => {
  let http: GuardedHttp;
  let settings: Settings;

  beforeEach(() => {
    http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    settings = settingsFor();
  });

  afterEach(() => http.close());

  const context = (): SendContext => aContext(http);

  const upsert = async (...users: readonly OutgoingUser[]) =>
    outcomesOf(await destination.upsert({ schema, users }, settings, context()));

  /** As many requests as it takes. */
  const upsertAll = async (users: readonly OutgoingUser[]): Promise<UserOutcome[]> => {
    const outcomes: UserOutcome[] = [];
    while (outcomes.length < users.length)
      outcomes.push(...(await upsert(...users.slice(outcomes.length))));
    return outcomes;
  };

  const find = async (...numbers: readonly number[]): Promise<readonly FoundUser[]> => {
    if (looked === undefined) throw new Error('users cannot be looked up');
    const { property, value } = looked;
    return answered(await finder().find(property, numbers.map(value), settings, context()));
  };

  const finder = (): UserLookUp => {
    if (destination.lookUp === undefined) throw new Error('users cannot be looked up');
    return destination.lookUp;
  };

  const idOf = async (n: number): Promise<string> => {
    const [found, ...others] = await find(n);
    expect(others).toEqual([]);
    if (found === undefined) throw new Error(`user ${String(n)} was not found`);
    return found.id;
  };

  it('has a schema of what may be written', async () => {
    const whole = answered(await destination.schema(settings, context()));
    expect(whole).toEqual(destinationView(whole));
    const names = whole.properties.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(schema.properties.map(({ name }) => name)));
  });

  it('takes at least one user a request and has at least one request in flight', () => {
    const { maxUsers, concurrency } = destination.limits(settings);
    expect(maxUsers).toBeGreaterThanOrEqual(1);
    expect(concurrency).toBeGreaterThanOrEqual(1);
  });

  it('takes no more users than its limit, each with an outcome', async () => {
    const { maxUsers } = destination.limits(settings);
    const users = Array.from({ length: maxUsers + 1 }, (_, n) => user(n + 1));
    const outcomes = await upsert(...users);
    expect(outcomes.length).toBeGreaterThanOrEqual(1);
    expect(outcomes.length).toBeLessThanOrEqual(maxUsers);
    for (const { kind } of outcomes) expect(kind).toBe('written');
  });

  it('writes nothing when mayWrite returns false, and reports it', async () => {
    const batch = { schema, users: [user(1), user(2)] };
    const result = await destination.upsert(batch, settings, {
      ...context(),
      mayWrite: () => false,
    });
    expect(result).toMatchObject({ kind: 'unavailable', executed: 'no', notSent: true });
    if (looked !== undefined) expect(await find(1, 2)).toEqual([]);
  });

  it('can be looked up or not, as its test says', () => {
    expect(destination.lookUp !== undefined).toBe(looked !== undefined);
  });

  if (looked === undefined) return;

  it('names the property for looking up', async () => {
    expect(answered(await finder().properties(settings, context()))).toContain(looked.property);
    expect(finder().maxValues).toBeGreaterThanOrEqual(1);
  });

  it('creates users, who are then found by the values they have', async () => {
    const outcomes = await upsertAll([user(1), user(2)]);
    const [first, second] = [await idOf(1), await idOf(2)];
    expect(first).not.toBe(second);
    expect(outcomes).toMatchObject([{ kind: 'written' }, { kind: 'written' }]);
    for (const [n, outcome] of outcomes.entries())
      if (outcome.kind === 'written' && outcome.id !== undefined)
        expect(outcome.id).toBe([first, second][n]);
    expect(await find(3)).toEqual([]);
  });

  it('finds as many values as its limit at once', async () => {
    await upsertAll([user(1), user(2)]);
    const numbers = Array.from({ length: finder().maxValues }, (_, n) => n + 1);
    const found = await find(...numbers);
    expect(found.map(({ value }) => value).sort()).toEqual(
      [looked.value(1), looked.value(2)].slice(0, numbers.length).sort(),
    );
  });

  it('changes a user and no other', async () => {
    await upsertAll([user(1), user(2)]);
    const [first, second] = [await idOf(1), await idOf(2)];
    expect(await upsertAll([user(3, first)])).toMatchObject([{ kind: 'written' }]);
    expect(await idOf(3)).toBe(first);
    expect(await idOf(2)).toBe(second);
    expect(await find(1)).toEqual([]);
  });

  it('takes users that are created and users that are changed in any order', async () => {
    await upsertAll([user(1), user(2)]);
    const [first, second] = [await idOf(1), await idOf(2)];
    const outcomes = await upsertAll([user(3), user(4, first), user(5, second), user(6)]);
    expect(outcomes).toMatchObject(Array(4).fill({ kind: 'written' }));
    expect([await idOf(4), await idOf(5)]).toEqual([first, second]);
    expect(new Set([first, second, await idOf(3), await idOf(6)]).size).toBe(4);
  });

  it('rejects a change of a user that is not there', async () => {
    const [outcome] = await upsert(user(1, '999999999'));
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.any(String) as string });
    expect(await find(1)).toEqual([]);
  });

  if (!destination.findsRepetitions) return;

  it('creates one user only, however often the request is repeated', async () => {
    const [once, again] = [await upsert(user(1)), await upsert(user(1))];
    expect(again).toEqual(once);
    expect(typeof (await idOf(1))).toBe('string');
  });
};
