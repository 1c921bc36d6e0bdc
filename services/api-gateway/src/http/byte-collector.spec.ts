import fc from 'fast-check';
import { ByteCollector } from './byte-collector';
import { ByteShare } from './byte-share';
import { Holding } from './holding';
import { thrownBy } from '../testing/thrown-by.fixture';

const setUp = (maxBytes: number, capacityBytes = 1_000_000, expectedBytes?: number) => {
  const share = new ByteShare(capacityBytes);
  const holding = new Holding(share);
  return { share, collector: new ByteCollector({ maxBytes, expectedBytes, holding }) };
};

/** A chunk with an ArrayBuffer of its own, like one that is read from a socket. */
const piece = (bytes: number, fill = 0x61) => Buffer.alloc(bytes, fill);

it('concatenates chunks, and charges at most twice the bytes that it holds', () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), { minLength: 1 });
  fc.assert(
    fc.property(pieces, fc.boolean(), (arrays, isExpected) => {
      const expected = Buffer.concat(arrays);
      const { share, collector } = setUp(
        expected.length,
        1_000_000,
        isExpected ? expected.length : undefined,
      );
      let length = 0;
      for (const array of arrays) {
        collector.add(Buffer.from(array));
        length += array.length;
        expect(share.heldBytes).toBeGreaterThanOrEqual(length);
        // Small buffers of these tests share a pool of 8 KiB.
        expect(share.heldBytes).toBeLessThanOrEqual(Math.max(2 * length, 8_192));
      }
      expect(collector.whole().equals(expected)).toBe(true);
      expect(share.heldBytes).toBe(collector.whole().buffer.byteLength);
    }),
  );
});

it('uses a single chunk without a copy', () => {
  const { collector } = setUp(10_000);
  const only = piece(10_000);
  collector.add(only);
  expect(collector.whole()).toBe(only);
});

it('copies a small chunk of a large buffer', () => {
  const { share, collector } = setUp(100_000);
  collector.add(piece(100_000).subarray(0, 10));
  expect(share.heldBytes).toBe(10);
});

it('charges a body that arrives byte by byte with its own size', () => {
  const { share, collector } = setUp(100_000, 100_000, 60_000);
  for (let nth = 0; nth < 60_000; nth += 1) collector.add(piece(1));
  expect(share).toMatchObject({ heldBytes: 60_000, peakBytes: 60_000 });
});

it('accepts the maximal number of bytes, and refuses one more', () => {
  const { share, collector } = setUp(20_000);
  collector.add(piece(12_000));
  collector.add(piece(8_000));
  expect(share.heldBytes).toBe(20_000);
  expect(
    thrownBy(() => {
      collector.add(piece(1));
    }),
  ).toMatchObject({ code: 'PayloadTooLarge', status: 413 });
  expect(share.heldBytes).toBe(20_000);
});

it('accepts as many bytes as the share has left, and refuses one more', () => {
  const { share, collector } = setUp(100_000, 20_000, 20_000);
  collector.add(piece(20_000));
  const { collector: other } = setUp(100_000, 20_000);
  expect(
    thrownBy(() => {
      other.add(piece(20_001));
    }),
  ).toMatchObject({ code: 'ServiceUnavailable', status: 503 });
  expect(share.refusals).toBe(0);
});
