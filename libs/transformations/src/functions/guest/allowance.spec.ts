import { Allowance, AllowanceGiver, newAllowanceMemory } from './allowance';

const PAGE_BYTES = 65_536;

/** A guest with 2 pages, of which 4 are easy and 8 the most. */
const guest = () => {
  let pages = 2;
  const memory = {
    get buffer() {
      return { byteLength: pages * PAGE_BYTES };
    },
    grow: (more: number) => {
      pages += more;
      return pages - more;
    },
  };
  const shared = newAllowanceMemory();
  const giver = new AllowanceGiver(shared);
  let asked = 0;
  const sizes = { easyBytes: 4 * PAGE_BYTES, mostBytes: 8 * PAGE_BYTES };
  // The wait blocks its thread: here it must have been granted before it begins.
  const allowance = new Allowance(shared, sizes, () => {
    asked += 1;
    giver.grant();
  });
  return { giver, grow: (more: number) => allowance.grow(memory, more), asked: () => asked };
};

it('lets a guest grow up to its easy size, and tells its size', () => {
  const { giver, grow, asked } = guest();
  expect([grow(1), grow(1)]).toEqual([2, 3]);
  expect([asked(), giver.isGranted, giver.bytes]).toEqual([0, false, 4 * PAGE_BYTES]);
});

it('asks once for what is beyond, and then no more', () => {
  const { giver, grow, asked } = guest();
  expect([grow(3), grow(3)]).toEqual([2, 5]);
  expect([asked(), giver.isGranted, giver.bytes]).toEqual([1, true, 8 * PAGE_BYTES]);
});

it('refuses what is over the most, or counted as negative, without asking', () => {
  const { giver, grow, asked } = guest();
  expect([grow(7), grow(-1)]).toEqual([-1, -1]);
  expect([asked(), giver.bytes]).toEqual([0, 0]);
});

it('refuses what the memory itself refuses', () => {
  const shared = newAllowanceMemory();
  const sizes = { easyBytes: 4 * PAGE_BYTES, mostBytes: 8 * PAGE_BYTES };
  const allowance = new Allowance(shared, sizes, () => undefined);
  const memory = {
    buffer: { byteLength: PAGE_BYTES },
    grow: () => {
      throw new RangeError('no');
    },
  };
  expect(allowance.grow(memory, 1)).toBe(-1);
});
