import fc from 'fast-check';
import { ByteShare } from './byte-share';
import { Holding } from './holding';
import { thrownBy } from '../testing/thrown-by.fixture';

const FULL = { code: 'ServiceUnavailable', status: 503 };

it('holds up to the capacity, and not one byte more', () => {
  const share = new ByteShare(10);
  const [one, other] = [new Holding(share), new Holding(share)];
  one.add(4);
  other.add(6);
  expect(
    thrownBy(() => {
      one.add(1);
    }),
  ).toMatchObject(FULL);
  expect(share).toMatchObject({ heldBytes: 10, peakBytes: 10, refusals: 1 });
  other.release();
  one.add(6);
  one.release();
  one.release();
  expect(share).toMatchObject({ heldBytes: 0, peakBytes: 10 });
});

it('sends Retry-After', () => {
  const refused = thrownBy(() => {
    new Holding(new ByteShare(0)).add(1);
  });
  expect(refused).toMatchObject({
    headers: { 'Retry-After': expect.stringMatching(/^\d+$/) as string },
  });
});

it('moves all of its bytes to another share, or none', () => {
  const [small, large] = [new ByteShare(10), new ByteShare(15)];
  const holdings = [new Holding(small), new Holding(small)] as const;
  holdings[0].add(5);
  holdings[0].moveTo(large);
  holdings[0].add(6);
  holdings[1].add(5);
  expect(
    thrownBy(() => {
      holdings[1].moveTo(large);
    }),
  ).toMatchObject(FULL);
  expect([small.heldBytes, large.heldBytes]).toEqual([5, 11]);
  for (const holding of holdings) holding.release();
  expect([small.heldBytes, large.heldBytes]).toEqual([0, 0]);
});

it("keeps the sum of its requests' bytes, whatever they do", () => {
  const step = fc.record({
    nth: fc.nat(4),
    what: fc.constantFrom('add', 'release', 'move'),
    bytes: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = [new ByteShare(50), new ByteShare(70)] as const;
      const holdings = Array.from({ length: 5 }, () => new Holding(shares[0]));
      const model = holdings.map(() => ({ share: 0, bytes: 0 }));
      for (const { nth, what, bytes } of steps) {
        const holding = holdings[nth]!;
        const known = model[nth]!;
        try {
          if (what === 'add') holding.add(bytes);
          else if (what === 'move') holding.moveTo(shares[1]);
          else holding.release();
          if (what === 'add') known.bytes += bytes;
          else if (what === 'move') known.share = 1;
          else known.bytes = 0;
        } catch {
          // The refused call changed nothing.
        }
        for (const [index, { heldBytes, capacityBytes }] of shares.entries()) {
          const sum = model.reduce((all, each) => all + (each.share === index ? each.bytes : 0), 0);
          expect(heldBytes).toBe(sum);
          expect(heldBytes).toBeLessThanOrEqual(capacityBytes);
        }
      }
    }),
  );
});
