import { decodeFetchFrame } from './fetch-frame';
import { decodeRecordSet } from './record-set';

const CONTROL = 0x20;
const TRANSACTIONAL = 0x10;

/** Encodes a record of fewer than 64 bytes: its lengths fit into one zigzag byte each. */
const record = (delta: number, key: string, value: string | null): Buffer => {
  const text = (part: string | null): number[] =>
    part === null ? [1] : [part.length * 2, ...Buffer.from(part)];
  const body = [0, 0, delta * 2, ...text(key), ...text(value), 0];
  return Buffer.from([body.length * 2, ...body]);
};

interface BatchOptions {
  readonly first: number;
  readonly lastDelta: number;
  readonly records?: readonly Buffer[];
  readonly attributes?: number;
  readonly magic?: number;
  readonly producer?: number;
}

/** Encodes a record batch. Source: Kafka's record batch, version 2. */
const batch = ({ records = [], attributes = 0, magic = 2, ...options }: BatchOptions): Buffer => {
  const header = Buffer.alloc(61);
  const body = Buffer.concat(records);
  header.writeBigInt64BE(BigInt(options.first), 0);
  header.writeInt32BE(49 + body.length, 8);
  header.writeInt8(magic, 16);
  header.writeInt16BE(attributes, 21);
  header.writeInt32BE(options.lastDelta, 23);
  header.writeBigInt64BE(1_000n, 27);
  header.writeBigInt64BE(BigInt(options.producer ?? -1), 43);
  header.writeInt32BE(records.length, 57);
  return Buffer.concat([header, body]);
};

const decode = async (
  batches: readonly Buffer[],
  from: number,
  aborted: [number, number][] = [],
) => {
  const { messages, next } = await decodeRecordSet(
    {
      partition: 0,
      errorCode: 0,
      begin: 0,
      end: 100,
      recordSet: Buffer.concat(batches),
      abortedTransactions: aborted.map(([producerId, firstOffset]) => ({
        producerId: String(producerId),
        firstOffset: String(firstOffset),
      })),
    },
    from,
  );
  return { values: messages.map(({ offset, value }) => `${offset} ${value?.toString()}`), next };
};

const three = batch({
  first: 10,
  lastDelta: 2,
  records: [record(0, 'k', 'a'), record(1, 'k', null), record(2, 'k', 'c')],
});

describe('a record set', () => {
  it('begins with the requested record, also within a batch', async () => {
    expect(await decode([three], 10)).toEqual({
      values: ['10 a', '11 undefined', '12 c'],
      next: 13,
    });
    expect(await decode([three], 12)).toEqual({ values: ['12 c'], next: 13 });
  });

  it('advances past offsets removed by compaction, within a batch and for whole batches', async () => {
    const thinned = batch({ first: 20, lastDelta: 9, records: [record(1, 'k', 'b')] });
    const emptied = batch({ first: 30, lastDelta: 4 });

    expect(await decode([thinned], 25)).toEqual({ values: [], next: 30 });
    expect(await decode([emptied], 30)).toEqual({ values: [], next: 35 });
    expect(await decode([three, thinned, emptied], 10)).toEqual({
      values: ['10 a', '11 undefined', '12 c', '21 b'],
      next: 35,
    });
  });

  it('leaves a truncated batch for the next fetch, wherever it is cut', async () => {
    for (const length of [0, 5, 12, 60, 61, three.length - 1])
      expect(await decode([three.subarray(0, length)], 10)).toEqual({ values: [], next: 10 });
    const second = batch({ first: 13, lastDelta: 0, records: [record(0, 'k', 'd')] });
    const { values, next } = await decode([three, second.subarray(0, 62)], 10);
    expect([values.length, next]).toEqual([3, 13]);
  });

  it('skips transaction markers and aborted records', async () => {
    const options = { lastDelta: 0, attributes: TRANSACTIONAL, producer: 7 };
    const [given, kept] = [
      batch({ ...options, first: 40, records: [record(0, 'k', 'no')] }),
      batch({ ...options, first: 42, records: [record(0, 'k', 'yes')] }),
    ];
    const mark = (first: number, kind: number) =>
      batch({
        ...options,
        first,
        attributes: TRANSACTIONAL | CONTROL,
        records: [record(0, `\0\0\0${String.fromCharCode(kind)}`, 'mark')],
      });
    const [abort, commit] = [mark(41, 0), mark(43, 1)];

    expect(await decode([given, abort, kept, commit], 40, [[7, 40]])).toEqual({
      values: ['42 yes'],
      next: 44,
    });
    expect(await decode([commit], 43)).toEqual({ values: [], next: 44 });
  });

  it('refuses an unsupported format', async () => {
    const old = batch({ first: 0, lastDelta: 0, magic: 1 });
    await expect(decode([old], 0)).rejects.toThrow('format');
  });
});

describe('the answer to a fetch', () => {
  const frame = (version: number): Buffer => {
    const head = Buffer.alloc(version >= 7 ? 10 : 4);
    head.writeInt32BE(3, 0);
    const topic = Buffer.from([0, 0, 0, 1, 0, 1, 't'.charCodeAt(0), 0, 0, 0, 2]);
    const partition = (id: number, errorCode: number, records: Buffer) => {
      const fixed = Buffer.alloc(30);
      fixed.writeInt32BE(id, 0);
      fixed.writeInt16BE(errorCode, 4);
      [13, 12, 4].forEach((offset, nth) => fixed.writeBigInt64BE(BigInt(offset), 6 + nth * 8));
      const aborted = Buffer.alloc(20);
      aborted.writeInt32BE(1, 0);
      aborted.writeBigInt64BE(7n, 4);
      aborted.writeBigInt64BE(11n, 12);
      const length = Buffer.alloc(4);
      length.writeInt32BE(records.length === 0 ? -1 : records.length, 0);
      return Buffer.concat([fixed, aborted, Buffer.alloc(version >= 11 ? 4 : 0), length, records]);
    };
    return Buffer.concat([head, topic, partition(1, 0, three), partition(2, 6, Buffer.alloc(0))]);
  };

  it.each([5, 6, 7, 8, 9, 10, 11])('is read in version %i, errors by partition', (version) => {
    const range = {
      begin: 4,
      end: 12,
      abortedTransactions: [{ producerId: '7', firstOffset: '11' }],
    };
    expect(decodeFetchFrame(frame(version), version)).toEqual({
      clientSideThrottleTime: 3,
      errorCode: 0,
      partitions: [
        { partition: 1, errorCode: 0, ...range, recordSet: three },
        { partition: 2, errorCode: 6, ...range, recordSet: Buffer.alloc(0) },
      ],
    });
  });

  it('without the beginning of the log is refused', () => {
    expect(() => decodeFetchFrame(frame(4), 4)).toThrow('Kafka 1.0');
  });
});
