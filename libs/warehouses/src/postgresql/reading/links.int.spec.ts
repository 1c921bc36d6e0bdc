import type { ConnectionId } from '@penstock/contracts';
import type { Value } from '@penstock/schema';
import fc from 'fast-check';
import { MAX_LINKED, type ProfileLink } from '../../platform/profile-reads';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { NEVER, ResolvingStage, resolveAll, rules } from '../resolving/resolving-stage.fixture';
import { linkedText, naiveLinks } from './naive-links.fixture';

jest.setTimeout(120_000);

let stage: ResolvingStage;
let reader: WarehouseReader;

beforeAll(async () => {
  stage = await ResolvingStage.open();
  reader = await stage.reader();
});
afterAll(() => stage.close());
beforeEach(() => stage.empty());

/** All links of a profile, read page by page. */
const linksOf = async (
  profile: string,
  identifiers: readonly string[],
  limit = 100,
): Promise<readonly ProfileLink[]> => {
  const links: ProfileLink[] = [];
  for (;;) {
    const after = links.at(-1)?.place;
    const page = await reader.links({ profile, identifiers, limit, after }, NEVER);
    links.push(...page.links);
    if (page.isLast) return links;
  }
};

const resolve = async (identifiers: readonly string[]): Promise<readonly string[]> => {
  await resolveAll(await stage.resolver(rules(identifiers)));
  return (await stage.profiles()).map(({ _profile_id }) => _profile_id);
};

const text = fc.constantFrom('', 'p', 'q', 'r');
const code = fc.constantFrom(1n, 2n);
const update = fc.record({
  connection: fc.constantFrom('c1', 'c2'),
  pipeline: fc.constantFrom('a', 'b'),
  recordId: fc.constantFrom('u', 'v', 'x'),
  anonymous: fc.boolean(),
  named: fc.option(fc.constantFrom('u', 'x'), { nil: undefined, freq: 2 }),
  previous: fc.option(fc.constantFrom('u', 'v', 'x'), { nil: undefined, freq: 3 }),
  members: fc.record({ email: text, phone: text, code }, { requiredKeys: [] }),
});

it('explain every profile: who is joined directly, by which rule and value', async () => {
  const identifiers = fc.shuffledSubarray(['email', 'phone', 'contact.code']);
  const pages = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(update, { maxLength: 14 }),
      identifiers,
      pages,
      async (all, by, limit) => {
        await stage.empty();
        for (const [
          index,
          {
            members: { code: of, ...others },
            ...each
          },
        ] of all.entries()) {
          const contact = of && (Object.assign(Object.create(null), { code: of }) as Value);
          const members = { ...others, ...(contact !== undefined && { contact }) };
          const known = !each.anonymous && {
            ...(each.named !== undefined && { anonymousId: each.named }),
            ...(each.previous !== undefined && { previousId: each.previous }),
          };
          const more = { anonymous: each.anonymous, ...known };
          await stage.write(
            each.connection,
            [said(each.recordId, index, members, more)],
            each.pipeline,
          );
        }
        const profiles = await resolve(by);
        const rows = await stage.rows();
        for (const profile of profiles) {
          const links = await linksOf(profile, by, limit);
          const linked = links.flatMap((link) =>
            link.identities.map(({ pipeline, recordId, anonymous }) =>
              linkedText(link, {
                _pipeline: pipeline,
                _record_id: recordId,
                _anonymous: anonymous,
              }),
            ),
          );
          expect(new Set(linked).size).toBe(linked.length);
          expect(new Set(linked)).toEqual(naiveLinks(rows, profile, rules(by)));
        }
      },
    ),
    { numRuns: process.env['PENSTOCK_TEST_LONG'] === '1' ? 40 : 15, endOnFailure: true },
  );
});

it('name as many identities as one link may, and count all', async () => {
  const records = Array.from({ length: MAX_LINKED + 1 }, (_, index) =>
    imported(`u${String(index)}`, 1, { email: 'shared' }),
  );
  await stage.write('c1', records);
  const [profile = ''] = await resolve(['email']);
  const [link, ...others] = await linksOf(profile, ['email']);
  expect(others).toEqual([]);
  expect(link).toMatchObject({ rule: 'd', identifier: 'email', value: 'shared' });
  expect(link?.count).toBe(MAX_LINKED + 1);
  expect(link?.identities).toHaveLength(MAX_LINKED);
  expect(link?.identities[0]).toEqual({
    connection: 'c1' as ConnectionId,
    pipeline: 'c1a',
    recordId: 'u0',
    anonymous: false,
  });
});

it('have no value where it is too long to be kept twice', async () => {
  const [most, more] = ['x'.repeat(2_000), 'x'.repeat(2_001)];
  for (const email of [most, more])
    await stage.write('c1', [
      imported(`one ${String(email.length)}`, 1, { email }),
      imported(`other ${String(email.length)}`, 1, { email }),
    ]);
  const links: (string | null)[] = [];
  for (const profile of await resolve(['email']))
    links.push(...(await linksOf(profile, ['email'])).map(({ value }) => value));
  expect(links.sort()).toEqual([most, null].sort());
});

it('of nobody are none', async () => {
  expect(await linksOf('00000000-0000-4000-8000-000000000000', [])).toEqual([]);
});
