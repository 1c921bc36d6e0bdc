import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../harness/api-client';
import type { Installation } from '../harness/installation';
import { until } from '../harness/until';
import { sized } from '../router-faults/sizes';
import type { Place, Survivor } from './place';

/** People who are known to the shop, which saw each of them without a name before, to the blog, and to the file. */
const SHARED = 20;
/** People in the file: the others are known to nobody else. */
const IN_FILE = 30;
/** People who come while the installation is killed. */
const COMING = sized(100, 300);

interface Profile {
  readonly id: string;
  readonly attributes: { readonly email?: string };
}

interface Link {
  readonly rule: string;
  readonly identifier: string | null;
  readonly value: string;
  readonly count: number;
}

interface Latest {
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly error: string;
  readonly pending: number;
}

let root: string;

let installation: Installation;
let api: ApiClient;
let shop: string;
let blog: string;

const text = (name: string, flags: object = { readOptional: true }) => ({
  ...{ name, type: { kind: 'string' } },
  ...flags,
});

const emailOf = (person: number): string => `person${String(person)}@example.com`;

const makeSource = async (name: string): Promise<string> => {
  const id = await api.createConnection({ name, role: 'Source', connector: 'nodejs' });
  const common = { enabled: true, connection: id };
  await api.createPipeline({ ...common, name: 'Events', target: 'Event' } as never);
  await api.createPipeline({
    ...{ ...common, name: 'Identities', target: 'User' },
    transformation: { mapping: { email: 'traits.email' } },
    outSchema: { kind: 'object', properties: [text('email')] },
  });
  return id;
};

const importFile = async (): Promise<void> => {
  const lines = Array.from({ length: IN_FILE }, (_, n) => `f${String(n)},${emailOf(n)}`);
  writeFileSync(join(root, 'people-of-the-shop.csv'), ['id,email', ...lines, ''].join('\n'));
  const connection = await api.createConnection({
    ...{ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} },
  });
  const pipeline = await api.createPipeline({
    ...{ name: 'Users', enabled: true, connection, target: 'User' },
    ...{ format: 'csv', path: 'people-of-the-shop.csv', formatSettings: { hasColumnNames: true } },
    ...{ userIDColumn: 'id', transformation: { mapping: { email: 'email' } } },
    inSchema: { kind: 'object', properties: [text('id', {}), text('email', {})] },
    outSchema: { kind: 'object', properties: [text('email')] },
  } as never);
  await api.call('POST', `/v1/pipelines/${pipeline}/runs`);
};

const send = async (source: string, events: readonly object[]): Promise<void> => {
  const headers = {
    ...{ 'content-type': 'application/json' },
    authorization: `Bearer ${await api.writeKeyOf(source)}`,
  };
  const body = JSON.stringify(events);
  const url = `${installation.address}/v1/events`;
  await until('the events are accepted', async () => {
    const { status } = await fetch(url, { method: 'POST', headers, body });
    return status === 200;
  });
};

/** First without a name, then with one. @param person of these, from the first on */
const visitShop = (first: number, count: number): Promise<void> =>
  send(
    shop,
    Array.from({ length: count }, (_, index) => {
      const n = String(first + index);
      const common = { anonymousId: `a${n}`, timestamp: '2026-03-01T09:30:00.000Z' };
      const traits = { email: emailOf(first + index) };
      return [
        { ...common, type: 'track', event: 'Seen', messageId: `seen${n}` },
        { ...common, type: 'identify', userId: `u${n}`, messageId: `shop${n}`, traits },
      ];
    }).flat(),
  );

const latest = async (): Promise<Latest> =>
  (await api.call('GET', '/v1/identity-resolution/latest')) as Latest;

const settle = (identifiers: readonly string[], eventDelay: number | null = null) =>
  until('the settings are taken', async () => {
    try {
      const settings = { runOnBatchImport: true, eventDelay, identifiers };
      await api.call('PUT', '/v1/identity-resolution/settings', settings);
      return true;
    } catch (error) {
      if (String(error).includes('OperationAlreadyExecuting')) return false;
      throw error;
    }
  });

const profiles = async (): Promise<readonly Profile[]> => {
  const all: Profile[] = [];
  for (let cursor = ''; ;) {
    const path = `/v1/profiles?limit=50&cursor=${encodeURIComponent(cursor)}`;
    const page = (await api.call('GET', path)) as { profiles: Profile[]; cursor: string };
    all.push(...page.profiles);
    if (page.cursor === '') return all;
    cursor = page.cursor;
  }
};

const thereAre = (count: number): Promise<void> =>
  until(`there are ${String(count)} profiles, and nothing is left to be resolved`, async () => {
    const { endTime, pending, error } = await latest();
    expect(error).toBe('');
    return endTime !== null && pending === 0 && (await profiles()).length === count;
  });

const listOf = async <Item>(profile: string, list: string): Promise<readonly Item[]> => {
  const answer = (await api.call('GET', `/v1/profiles/${profile}/${list}?limit=100`)) as object;
  return (answer as Record<string, readonly Item[]>)[list] ?? [];
};

const idsByEmail = async (): Promise<ReadonlyMap<string, string>> =>
  new Map((await profiles()).map(({ id, attributes }) => [attributes.email ?? '', id]));

/** Profiles of the people who are known to several sources. */
export const profilesOfPeople = (
  place: () => Place,
): Survivor & {
  /** Defines the tests of what follows the kill. */
  readonly afterwards: () => void;
} => {
  let idsBefore: ReadonlyMap<string, string>;

  beforeAll(async () => {
    ({ installation, root } = place());
    ({ api } = await place().newWorkspace('Profiles'));
    shop = await makeSource('Shop');
    blog = await makeSource('Blog');
  });

  describe('profiles', () => {
    it('makes one profile of each person, from two sources of events and a file', async () => {
      await settle(['email'], 1);
      await visitShop(0, SHARED);
      await send(
        blog,
        Array.from({ length: SHARED }, (_, n) => ({
          ...{ type: 'identify', userId: `v${String(n)}`, messageId: `blog${String(n)}` },
          ...{ anonymousId: `b${String(n)}`, traits: { email: emailOf(n) } },
        })),
      );
      await importFile();
      // All that the two sources and the file know of somebody.
      await until('the events of everybody are resolved', async () => {
        const ids = await idsByEmail();
        const shared = Array.from({ length: SHARED }, (_, n) => ids.get(emailOf(n)));
        for (const id of shared)
          if (id === undefined || (await listOf(id, 'identities')).length < 4) return false;
        return true;
      });
      await thereAre(IN_FILE);
      const ids = await idsByEmail();
      expect([...ids.keys()].sort()).toEqual(
        Array.from({ length: IN_FILE }, (_, n) => emailOf(n)).sort(),
      );
      for (const [person, identities] of [
        [0, 4],
        [SHARED - 1, 4],
        [SHARED, 1],
      ] as const) {
        const id = ids.get(emailOf(person)) ?? '';
        expect(await listOf(id, 'identities')).toHaveLength(identities);
        const links = await listOf<Link>(id, 'links');
        expect(links.map(({ rule, identifier, count }) => [rule, identifier, count])).toEqual(
          identities === 1
            ? []
            : [
                ['b', null, 2],
                ['d', 'email', 3],
              ],
        );
      }
    });

    it('gives events the profiles of their identities', async () => {
      const id = (await idsByEmail()).get(emailOf(0)) ?? '';
      let events: readonly { readonly messageId: string }[] = [];
      await until('they are moved', async () => {
        events = await listOf(id, 'events');
        return events.length === 3;
      });
      expect(events.map(({ messageId }) => messageId).sort()).toEqual(['blog0', 'seen0', 'shop0']);
    });
  });

  return {
    what: 'profiles keep their ids, and what comes is resolved',
    begin: async () => {
      idsBefore = await idsByEmail();
      await visitShop(IN_FILE, COMING);
      await api
        .call('POST', '/v1/identity-resolution/start', { full: true })
        .catch((error: unknown) => {
          if (!String(error).includes('OperationAlreadyExecuting')) throw error;
        });
    },
    end: async () => {
      await thereAre(IN_FILE + COMING);
      const after = await idsByEmail();
      for (const [email, id] of idsBefore) expect([email, after.get(email)]).toEqual([email, id]);
    },
    afterwards: () => {
      it('splits people when their identifier is taken away, and tells of it', async () => {
        const before = await idsByEmail();
        await settle([]);
        // With the anonymous identities of the shop, by the ids that they share; the others alone.
        await thereAre(COMING + 2 * SHARED + IN_FILE);
        const kept = before.get(emailOf(0)) ?? '';
        let types: readonly string[] = [];
        await until('its history is published', async () => {
          const history = await listOf<{ type: string }>(kept, 'history');
          types = history.map(({ type }) => type);
          return types.includes('ProfileSplit');
        });
        expect(types[0]).toBe('ProfileCreated');
      });
    },
  };
};
