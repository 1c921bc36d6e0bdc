import { checkedBy } from '@penstock/settings';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { independentFiles } from '../independent/independent-files.fixture';
import { openTable } from '../open-file';
import { formatOf, opened, readAll, SpoolFolder, type SpecReading } from '../testing.fixture';
import type { Compression } from './decompressed';

const MIB = 1_048_576;
const ROWS = Array.from({ length: 30_000 }, (_, n) => `${String(n)},row ${String(n * n)}\n`).join(
  '',
);

/** Zip files that Python's own library writes. */
const PROGRAM = `
import sys, zipfile
to, kind = sys.argv[1], sys.argv[2]
z = zipfile.ZipFile(to, 'w', zipfile.ZIP_STORED if kind == 'stored' else zipfile.ZIP_DEFLATED)
content = sys.stdin.buffer.read()
def put(name, data=content):
    z.writestr(zipfile.ZipInfo(name, (2024, 2, 29, 10, 11, 12)), data, compress_type=z.compression)
if kind == 'folder': z.writestr('a/', b''); put('a/b.csv')
elif kind == 'two': put('a.csv'); put('b.csv')
elif kind == 'none': z.writestr('a/', b'')
elif kind == 'empty': pass
elif kind == 'many': [put('f%d' % n, b'') for n in range(1001)]
elif kind == 'escape': put('../../b.csv')
else: put('a.csv')
z.close()
`;

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'penstock-zip-'));
const spool = new SpoolFolder();
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  spool.remove();
});
afterEach(() => {
  expect(spool.left).toEqual([]);
});

const zipped = (content: string | Buffer, kind = 'deflated'): Buffer => {
  const path = join(folder, 'made.zip');
  execFileSync('python3', ['-c', PROGRAM, path, kind], { input: content, maxBuffer: 100 * MIB });
  return readFileSync(path);
};

/** A chunk of the framing format. */
const chunk = (type: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.from([
    type,
    body.length & 0xff,
    (body.length >> 8) & 0xff,
    body.length >> 16,
  ]);
  return Buffer.concat([head, body]);
};
const NAME = chunk(0xff, Buffer.from('sNaPpY'));
/** Source: test vectors of RFC 3720, B.4: CRC-32C of 32 bytes of zeros is 8a9136aa. */
const ZEROS = chunk(0x01, Buffer.from([0xfa, 0xff, 0xd7, 0x0f]), Buffer.alloc(32));

const read = (content: Uint8Array, compression: Compression, more: SpecReading = {}) =>
  readAll('csv', content, {
    compression,
    options: { spool: { folder: spool.folder, maxBytes: 64 * MIB } },
    ...more,
  });

describe('Gzip', () => {
  it('of several members is read, wherever it is cut', async () => {
    const half = ROWS.length / 2;
    const content = Buffer.concat([
      gzipSync(ROWS.slice(0, half)),
      gzipSync(''),
      gzipSync(ROWS.slice(half)),
    ]);
    for (const length of [1_000, 65_536]) {
      const { texts, errors } = await read(content, 'Gzip', { length });
      expect([texts.length, errors.length]).toEqual([30_000, 0]);
      expect(texts.at(-1)).toBe('{"A":"29999","B":"row 899940001"}');
    }
  });

  it.each([
    ['cut off', gzipSync(ROWS).subarray(0, -100), /cut off/],
    ['of no bytes', Buffer.alloc(0), /cut off|empty/],
    ['damaged', Buffer.from(gzipSync(ROWS)).fill(7, 5_000, 5_050), /damaged/],
    ['not compressed', Buffer.from(ROWS), /is not compressed with gzip/],
  ])('that is %s is refused', async (_, content, message) => {
    await expect(read(content, 'Gzip')).rejects.toMatchObject({
      message: expect.stringMatching(message) as string,
    });
  });

  it('passes on what the storage throws', async () => {
    async function* broken() {
      yield await Promise.resolve(gzipSync(ROWS).subarray(0, 100));
      throw new Error('storage is away');
    }
    const file = {
      bytes: broken(),
      modifiedAt: undefined,
      size: undefined,
      tag: undefined,
      close: () => Promise.resolve(),
    };
    const format = formatOf('csv');
    const reading = {
      format,
      compression: 'Gzip' as const,
      options: { spool: { folder: spool.folder, maxBytes: MIB } },
    };
    const settings = checkedBy(format.settings)(new Map());
    const readWhole = async (): Promise<void> => {
      const { records } = await openTable(file, reading, { settings });
      for await (const _ of records);
    };
    await expect(readWhole()).rejects.toThrow('storage is away');
  });
});

describe('Snappy', () => {
  it('is read in the framing format, with chunks that may be passed over', async () => {
    const rows = Buffer.from('a,b\n1,2\n');
    const snappy = Buffer.concat([
      NAME,
      chunk(0xfe, Buffer.alloc(70_000)),
      chunk(0x80, Buffer.from('whatever')),
      framed(rows),
      NAME,
      framed(rows),
    ]);
    for (const length of [1, 7, 1_000])
      expect((await read(snappy, 'Snappy', { length })).texts).toHaveLength(4);
  });

  it('checks sums as the format has them', async () => {
    const { errors } = await read(Buffer.concat([NAME, ZEROS]), 'Snappy');
    expect(errors).toEqual([[1, 'column "A" is not UTF-8, or holds NUL']]);
  });

  it.each([
    ['not compressed', Buffer.from(ROWS), /is not compressed in the framing format/],
    ['of no bytes', Buffer.alloc(0), /is not compressed in the framing format/],
    ['cut off in a chunk', Buffer.concat([NAME, ZEROS.subarray(0, 20)]), /cut off/],
    ['cut off in the head of a chunk', Buffer.concat([NAME, ZEROS.subarray(0, 3)]), /cut off/],
    ['of another name', chunk(0xff, Buffer.from('sNaPpZ')), /damaged/],
    ['with a wrong sum', Buffer.concat([NAME, Buffer.from(ZEROS).fill(1, 10, 11)]), /damaged/],
    ['of an unknown type', Buffer.concat([NAME, chunk(0x02, Buffer.alloc(9))]), /unknown type/],
    [
      'of a block that is no block',
      Buffer.concat([NAME, chunk(0x00, Buffer.alloc(4), Buffer.from([9, 0xff, 1]))]),
      /damaged/,
    ],
    [
      'of a block that claims too much',
      Buffer.concat([NAME, chunk(0x00, Buffer.alloc(4), Buffer.from([0xff, 0xff, 0xff, 0x7f]))]),
      /damaged/,
    ],
  ])('that is %s is refused', async (_, content, message) => {
    await expect(read(content, 'Snappy')).rejects.toMatchObject({
      kind: 'InvalidFile',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('Zip', () => {
  it.each(['deflated', 'stored', 'folder'])('of one file is read: %s', async (kind) => {
    const { texts } = await read(zipped(ROWS, kind), 'Zip');
    expect(texts).toHaveLength(30_000);
  });

  it('has the time of the file in it', async () => {
    const table = await opened('csv', zipped(ROWS), { compression: 'Zip' });
    expect(table).toMatchObject({ modifiedAt: new Date(2024, 1, 29, 10, 11, 12) });
    await table.close();
  });

  it.each([
    ['of several files', () => zipped(ROWS, 'two'), /several files/],
    ['of very many files', () => zipped('', 'many'), /more than 1000 files/],
    ['of a folder only', () => zipped(ROWS, 'none'), /holds no file/],
    ['of nothing', () => zipped(ROWS, 'empty'), /holds no file/],
    ['that leads elsewhere', () => zipped(ROWS, 'escape'), /no Zip file, or is cut off or damaged/],
    ['that is none', () => Buffer.from(ROWS), /no Zip file/],
    ['of no bytes', () => Buffer.alloc(0), /empty/],
    ['that is cut off', () => zipped(ROWS).subarray(0, -1_000), /no Zip file, or is cut off/],
    ['that is damaged', () => zipped(ROWS, 'stored').fill(0x31, 5_000, 5_050), /check sum/],
    ['that is damaged in its data', () => zipped(ROWS).fill(7, 5_000, 5_050), /damaged/],
  ])('%s is refused', async (_, content, message) => {
    await expect(read(content(), 'Zip')).rejects.toMatchObject({
      kind: 'InvalidFile',
      message: expect.stringMatching(message) as string,
    });
  });

  it('is guarded against bombs, on both sides of each limit', async () => {
    const content = zipped('1,2\n'.repeat(100_000));
    const size = 400_000;
    const limits = (maxRatio: number, maxBytes: number): SpecReading => ({
      options: { spool: { folder: spool.folder, maxBytes: MIB }, zip: { maxRatio, maxBytes } },
    });
    expect((await read(content, 'Zip', limits(1_000, size))).texts).toHaveLength(100_000);
    for (const [maxRatio, maxBytes] of [
      [1_000, size - 1],
      [10, size],
    ] as const)
      await expect(read(content, 'Zip', limits(maxRatio, maxBytes))).rejects.toMatchObject({
        message: expect.stringMatching(/would become too large: 400000 bytes/) as string,
      });
    await expect(read(zipped(Buffer.alloc(10 * MIB)), 'Zip')).rejects.toMatchObject({
      message: expect.stringMatching(/would become too large/) as string,
    });
  });

  it('that lies about its size is refused', async () => {
    const content = zipped(ROWS, 'stored');
    const head = content.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    content.writeUInt32LE(4, head + 24);
    await expect(read(content, 'Zip')).rejects.toMatchObject({ kind: 'InvalidFile' });
  });

  it('is kept on disk up to a limit', async () => {
    const content = zipped(ROWS);
    const upTo = (maxBytes: number): SpecReading => ({
      options: { spool: { folder: spool.folder, maxBytes } },
    });
    expect((await read(content, 'Zip', upTo(content.length))).texts).toHaveLength(30_000);
    await expect(read(content, 'Zip', upTo(content.length - 1))).rejects.toMatchObject({
      kind: 'InvalidFile',
      message: expect.stringMatching(/is larger than/) as string,
    });
  });

  it('needs a folder to write to', async () => {
    const options = { spool: { folder: join(spool.folder, 'none'), maxBytes: MIB } };
    await expect(read(zipped(ROWS), 'Zip', { options })).rejects.toMatchObject({
      kind: 'Unavailable',
    });
  });
});

it.each(['', 'Gzip'] as const)('bounds what is read of content: %s', async (compression) => {
  const content = compression === 'Gzip' ? gzipSync(ROWS) : Buffer.from(ROWS);
  const upTo = (maxBytes: number): SpecReading => ({
    options: { spool: { folder: spool.folder, maxBytes: MIB }, maxBytes },
  });
  expect((await read(content, compression, upTo(ROWS.length))).texts).toHaveLength(30_000);
  await expect(read(content, compression, upTo(ROWS.length - 1))).rejects.toMatchObject({
    kind: 'InvalidFile',
    message: expect.stringMatching(/would have to be read/) as string,
  });
});

/** Compresses nothing: literals of at most 60 bytes. */
function framed(data: Buffer): Buffer {
  const block = Buffer.concat([Buffer.from([data.length, (data.length - 1) << 2]), data]);
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(maskedCrc(data));
  return chunk(0x00, crc, block);
}

/** Bit by bit, as the definition has it. */
function maskedCrc(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1)
      crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

it('reads what an independent library frames with Snappy', async () => {
  const content = readFileSync(join(independentFiles(), 'framed.csv.sz'));
  const { texts, errors } = await read(content, 'Snappy', { settings: { hasColumnNames: true } });
  expect([texts.length, errors.length]).toEqual([50_000, 0]);
  expect(texts.at(-1)).toBe('{"a":"49999","b":"row"}');
});
