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

/** On a memory of its own, as what comes from a socket is. */
const piece = (bytes: number, fill = 0x61) => Buffer.alloc(bytes, fill);

it('puts pieces together, and is charged with no more than twice what it holds', () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), { minLength: 1 });
  fc.assert(
    fc.property(pieces, fc.boolean(), (arrays, isExpected) => {
      const whole = Buffer.concat(arrays);
      const { share, collector } = setUp(
        whole.length,
        1_000_000,
        isExpected ? whole.length : undefined,
      );
      let length = 0;
      for (const array of arrays) {
        collector.add(Buffer.from(array));
        length += array.length;
        expect(share.heldBytes).toBeGreaterThanOrEqual(length);
        // Small buffers of these tests share a pool of 8 KiB.
        expect(share.heldBytes).toBeLessThanOrEqual(Math.max(2 * length, 8_192));
      }
      expect(collector.whole().equals(whole)).toBe(true);
      expect(share.heldBytes).toBe(collector.whole().buffer.byteLength);
    }),
  );
});

it('keeps a piece that is alone as it is', () => {
  const { collector } = setUp(10_000);
  const only = piece(10_000);
  collector.add(only);
  expect(collector.whole()).toBe(only);
});

it('does not keep a large buffer for a small part of it', () => {
  const { share, collector } = setUp(100_000);
  collector.add(piece(100_000).subarray(0, 10));
  expect(share.heldBytes).toBe(10);
});

it('takes a body that comes byte by byte at its own size', () => {
  const { share, collector } = setUp(100_000, 100_000, 60_000);
  for (let nth = 0; nth < 60_000; nth += 1) collector.add(piece(1));
  expect(share).toMatchObject({ heldBytes: 60_000, peakBytes: 60_000 });
});

it('takes as many bytes as it may, and refuses one more', () => {
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

it('takes as many bytes as there is room for, and refuses one more', () => {
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
