import fs from 'node:fs/promises';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpooledFile, spool } from './spooled-file';

const folder = mkdtempSync(join(tmpdir(), 'penstock-spooled-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The handles that are opened from now on. */
const opened = () => {
  const handles: fs.FileHandle[] = [];
  const { open } = fs;
  jest.spyOn(fs, 'open').mockImplementation(async (...given) => {
    const handle = await open(...given);
    handles.push(handle);
    return handle;
  });
  return handles;
};
afterEach(() => {
  jest.restoreAllMocks();
});

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size).fill(size));
}

/** Closed handles have no descriptor. */
const CLOSED = -1;

it('holds content of the largest size, in any order, until it is closed', async () => {
  const handles = opened();
  const file: SpooledFile = await spool(chunks(3, 5), { folder, maxBytes: 8 });
  expect(file.size).toBe(8);
  expect([...(await file.read(2, 4))]).toEqual([3, 5]);
  expect(readdirSync(folder)).toEqual([]);
  expect(handles.map(({ fd }) => fd)).toEqual([file.fd]);
  await file.close();
  await file.close();
  expect(handles.map(({ fd }) => fd)).toEqual([CLOSED]);
});

it.each([
  ['content that is too large', () => chunks(3, 6), 'is larger than'],
  [
    'content that fails',
    async function* () {
      yield* chunks(1);
      throw new Error('cut off');
    },
    'cut off',
  ],
])('leaves no descriptor open, and no file, for %s', async (_, content, message) => {
  const handles = opened();
  await expect(spool(content(), { folder, maxBytes: 8 })).rejects.toThrow(message);
  expect(handles.map(({ fd }) => fd)).toEqual([CLOSED]);
  expect(readdirSync(folder)).toEqual([]);
});
