import {
  canonicalDateTime,
  compareDateTimes,
  compileCodec,
  type Schema,
  sourceView,
} from '@penstock/schema';
import type { Settings } from '../connector/connector';
import type { GuardedHttp } from '../connector/guarded-http';
import type { Answer, ApplicationUser, UserQuery, UserSource } from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { aContext } from '../outgoing-event.fixture';

export interface UserSourceUnderTest {
  readonly source: UserSource;
  /** Settings with which there are several pages of users; a function where each test has its own. */
  readonly settings: Settings | (() => Settings);
  /** How many users there are. */
  readonly count: number;
}

const answered = <T>(answer: Answer<T>): T => {
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  return answer.value;
};

/** Every source of users runs these. */
export const itKeepsTheUserSourcePromises = ({
  source,
  settings: given,
  count,
}: UserSourceUnderTest): void => {
  let http: GuardedHttp;
  let settings: Settings;
  let schema: Schema;

  beforeEach(async () => {
    http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    settings = typeof given === 'function' ? given() : given;
    schema = answered(await source.schema(settings, aContext(http)));
  });

  afterEach(() => http.close());

  const read = async (query: Partial<UserQuery> = {}) =>
    answered(
      await source.read(
        { schema, changedSince: null, cursor: '', ...query },
        settings,
        aContext(http),
      ),
    );

  const readAll = async (query: Partial<UserQuery> = {}): Promise<ApplicationUser[]> => {
    const users: ApplicationUser[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read({ ...query, cursor });
      if (page.next !== null) expect(page.users).not.toEqual([]);
      users.push(...page.users);
      cursor = page.next;
    }
    return users;
  };

  it('has a schema without required properties', () => {
    expect(schema).toEqual(sourceView(schema));
  });

  it('gives every user once, over several pages, with an id of its own', async () => {
    expect((await read()).next).not.toBeNull();
    const users = await readAll();
    expect(users).toHaveLength(count);
    expect(new Set(users.map(({ id }) => id)).size).toBe(count);
  });

  it('gives records of its schema, with the time of their last change or none', async () => {
    const codec = compileCodec(schema);
    for (const { values, updatedAt } of await readAll()) {
      expect(codec.parse(codec.encode(values))).toEqual(values);
      if (updatedAt !== null) expect(canonicalDateTime(updatedAt)).toBe(updatedAt);
    }
  });

  it('gives the same page for the same cursor', async () => {
    const { next } = await read();
    expect(await read({ cursor: next ?? '' })).toEqual(await read({ cursor: next ?? '' }));
    expect(await read()).toEqual(await read());
  });

  it('returns the requested properties only', async () => {
    const [first] = schema.properties;
    const part: Schema = { kind: 'object', properties: first === undefined ? [] : [first] };
    for (const { values } of await readAll({ schema: part }))
      expect(Object.keys(values)).toEqual([first?.name]);
  });

  it('reads what was changed since a time, if it supports that', async () => {
    if (!source.readsChanges) return;
    const timesOf = (users: readonly ApplicationUser[]): string[] =>
      users.flatMap(({ updatedAt }) => updatedAt ?? []).sort(compareDateTimes);
    const times = timesOf(await readAll());
    const middle = Math.floor(times.length / 2);
    const changedSince = times[middle] ?? null;
    expect(changedSince).not.toBeNull();
    expect(timesOf(await readAll({ changedSince }))).toEqual(times.slice(middle));
  });
};
