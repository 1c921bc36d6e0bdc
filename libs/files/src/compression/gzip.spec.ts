import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { pieces } from '../testing.fixture';
import { gunzipped } from './gzip';

const FIRST = gzipSync('Ada\n');
const SECOND = gzipSync('Grace\n');
/** Of the pieces in which content comes; of much content none that are tiny. */
const lengthsFor = (content: Uint8Array): readonly number[] => [
  ...(content.length < 1_000 ? [1, 7] : []),
  ...[FIRST.length, FIRST.length + 1, 65_536],
];

const read = async (content: Uint8Array, length?: number): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of gunzipped(pieces(content, length))) parts.push(part);
  return Buffer.concat(parts).toString();
};

it.each<[string, Uint8Array[], string]>([
  ['one member', [FIRST], 'Ada\n'],
  ['members', [FIRST, gzipSync(''), SECOND], 'Ada\nGrace\n'],
  ['zeros behind the members', [FIRST, SECOND, Buffer.alloc(70_000)], 'Ada\nGrace\n'],
])('reads %s, wherever they are cut', async (_, parts, text) => {
  const content = Buffer.concat(parts);
  for (const length of lengthsFor(content)) expect(await read(content, length)).toBe(text);
});

it.each<[string, Uint8Array[], RegExp]>([
  ['a member behind zeros', [FIRST, Buffer.alloc(512), SECOND], /goes on after .* gzip data/],
  ['garbage behind a zero', [FIRST, Buffer.from('\0x')], /goes on after .* gzip data/],
  ['garbage behind many zeros', [FIRST, Buffer.alloc(70_000), Buffer.from('x\0')], /goes on after/],
  ['garbage', [FIRST, Buffer.from('x')], /damaged/],
  ['what is cut off', [FIRST, SECOND.subarray(0, -1)], /cut off/],
  ['zeros alone', [Buffer.alloc(512)], /not compressed/],
  ['nothing', [], /cut off/],
])('refuses %s, wherever it is cut', async (_, parts, message) => {
  const content = Buffer.concat(parts);
  for (const length of lengthsFor(content))
    await expect(read(content, length)).rejects.toMatchObject({
      kind: 'InvalidFile',
      message: expect.stringMatching(message) as string,
    });
});

describe('of a storage', () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(FIRST);
    yield Buffer.alloc(2);
    throw new Error('storage is away');
  }

  it('that fails behind the members, passes on what it throws', async () => {
    const all = async () => {
      for await (const _ of gunzipped(broken()));
    };
    await expect(all()).rejects.toThrow('storage is away');
  });

  it('takes no more than it needs where the reading ends early, and closes the content', async () => {
    const member = gzipSync(randomBytes(65_536));
    let given = 0;
    const isClosed = new Promise<void>((resolve) => {
      async function* endless(): AsyncGenerator<Uint8Array> {
        try {
          for (; ; given += 1) yield await Promise.resolve(member);
        } finally {
          resolve();
        }
      }
      const content = gunzipped(endless());
      void content.next().then(() => content.return(undefined));
    });
    await isClosed;
    expect(given).toBeLessThan(10);
  });
});
