import { Allowance, AllowanceGiver, newAllowanceMemory } from './allowance';

const PAGE_BYTES = 65_536;

/** A guest with 2 pages, an easy size of 4 and a maximum of 8. */
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
  let requests = 0;
  const sizes = { easyBytes: 4 * PAGE_BYTES, mostBytes: 8 * PAGE_BYTES };
  // The wait blocks this thread: growth must be granted before it begins.
  const allowance = new Allowance(shared, sizes, () => {
    requests += 1;
    giver.grant();
  });
  return { giver, grow: (more: number) => allowance.grow(memory, more), requests: () => requests };
};

it('lets a guest grow up to its easy size, and reports its size', () => {
  const { giver, grow, requests } = guest();
  expect([grow(1), grow(1)]).toEqual([2, 3]);
  expect([requests(), giver.isGranted, giver.bytes]).toEqual([0, false, 4 * PAGE_BYTES]);
});

it('requests growth beyond the easy size once', () => {
  const { giver, grow, requests } = guest();
  expect([grow(3), grow(3)]).toEqual([2, 5]);
  expect([requests(), giver.isGranted, giver.bytes]).toEqual([1, true, 8 * PAGE_BYTES]);
});

it('refuses growth beyond the maximum, also when it looks negative, without a request', () => {
  const { giver, grow, requests } = guest();
  expect([grow(7), grow(-1)]).toEqual([-1, -1]);
  expect([requests(), giver.bytes]).toEqual([0, 0]);
});

it('refuses growth that the memory itself refuses', () => {
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
