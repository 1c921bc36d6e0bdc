import type { WorkspaceId } from '@penstock/contracts';
import { newDataKey, SecretBox, Seals } from '@penstock/runtime';
import { cursorAt, placeOf } from './list-cursor';

const secrets = new SecretBox('0123456789abcdef0123456789abcdef');
const [mine, other] = ['workspace0000001', 'workspace0000002'] as WorkspaceId[] as [
  WorkspaceId,
  WorkspaceId,
];
const keys = [mine, other].map((workspace) => newDataKey(secrets, workspace));
const seals = new Seals(secrets, (workspace) => keys.find((key) => key.workspace === workspace));
const list = { workspace: mine, name: 'identities/a' };

const PLACE = '9999-12-31T23:59:59.999999Z 9223372036854775807';
const NOW = 1_772_357_400_000;
const DAY_MS = 86_400_000;
const refused = expect.objectContaining({
  code: 'BadRequest',
  details: [{ path: '/cursor', message: 'must be a cursor that a list has answered' }],
}) as Error;

it('stands for a place, in few characters', () => {
  const cursor = cursorAt(seals, list, PLACE, NOW);
  expect(placeOf(seals, list, cursor, NOW)).toBe(PLACE);
  expect(cursor.length).toBeLessThanOrEqual(200);
  expect(cursor).toMatch(/^v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,150}$/);
});

it('is valid for a day', () => {
  const cursor = cursorAt(seals, list, PLACE, NOW);
  expect(placeOf(seals, list, cursor, NOW + DAY_MS)).toBe(PLACE);
  expect(() => placeOf(seals, list, cursor, NOW + DAY_MS + 1)).toThrow(refused);
});

it.each([
  ['another list', { workspace: mine, name: 'identities/b' }],
  ['another workspace', { workspace: other, name: 'identities/a' }],
])('is none of %s', (_, elsewhere) => {
  const cursor = cursorAt(seals, list, PLACE, NOW);
  expect(() => placeOf(seals, elsewhere, cursor, NOW)).toThrow(refused);
});

it('is none when any of its characters is another one, is missing, or follows', () => {
  const cursor = cursorAt(seals, list, PLACE, NOW);
  for (let at = 0; at < cursor.length; at += 1) {
    const another =
      cursor[at] === 'A' ? 'B' : String.fromCharCode((cursor.charCodeAt(at) ^ 1) & 127);
    const changed = cursor.slice(0, at) + another + cursor.slice(at + 1);
    expect(() => placeOf(seals, list, changed, NOW)).toThrow(refused);
  }
  for (const changed of [
    cursor.slice(1),
    cursor.slice(0, -1),
    `${cursor}A`,
    `${cursor}=`,
    'x',
    'v1:x',
  ])
    expect(() => placeOf(seals, list, changed, NOW)).toThrow(refused);
});

it.each(['AAAA', 'v2:', 'v2:a:', 'v2:workspace0000001:AAAA', 'v1:AAAA'])('is not %s', (cursor) => {
  expect(() => placeOf(seals, list, cursor, NOW)).toThrow(refused);
});
