import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecret } from '@penstock/platform';
import { CannotStart } from '@penstock/runtime';
import { ownSecret } from './own-secret';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-secret-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'secret');

it('is created once, whole and for this user alone', async () => {
  expect(await readSecret(folder)).toBeUndefined();
  const secret = await ownSecret(folder);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(readdirSync(folder)).toEqual(['secret']);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await ownSecret(folder)).toBe(secret);
  expect(await readSecret(folder)).toBe(secret);
});

it('is created after a start that was killed while it wrote', async () => {
  writeFileSync(join(folder, '.secret.new'), 'half', { mode: 0o644 });
  const secret = await ownSecret(folder);
  expect(readFileSync(file(), 'utf8')).toBe(`${secret}\n`);
  expect(readdirSync(folder)).toEqual(['secret']);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

it('appears at its place only when it is whole', async () => {
  // A folder where the unfinished file would be: the start fails as one that is killed before the end.
  mkdirSync(join(folder, '.secret.new'));
  await expect(ownSecret(folder)).rejects.toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['.secret.new']);
});

it.each(['', '\n', 's'.repeat(31)])(
  'is refused when it is short, in one line: %j',
  async (text) => {
    writeFileSync(file(), text);
    for (const read of [ownSecret, readSecret]) {
      await expect(read(folder)).rejects.toThrow(CannotStart);
      await expect(read(folder)).rejects.toThrow(`${file()} is not a whole secret: restore it`);
    }
    expect(readFileSync(file(), 'utf8')).toBe(text);
  },
);

it('may have 32 characters', async () => {
  writeFileSync(file(), `${'s'.repeat(32)}\n`);
  expect(await ownSecret(folder)).toBe('s'.repeat(32));
});
