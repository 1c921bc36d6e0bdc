import { limitMemory } from './memory-section';

const PAGE_BYTES = 65_536;

/** The preamble, a custom section of one byte, a memory that starts with some pages, and another section. */
const moduleOf = (memory: readonly number[]): Uint8Array =>
  new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 0, 2, 1, 120, ...memory, 0, 2, 1, 121]);

const UNLIMITED = [5, 3, 1, 0, 2];

it('writes the maximal number of pages into the section', () => {
  expect([...limitMemory(moduleOf(UNLIMITED), 300 * PAGE_BYTES)]).toEqual([
    ...moduleOf([5, 5, 1, 1, 2, 0xac, 0x02]),
  ]);
});

it('replaces an existing limit', () => {
  expect([...limitMemory(moduleOf([5, 4, 1, 1, 2, 9]), 3 * PAGE_BYTES)]).toEqual([
    ...moduleOf([5, 4, 1, 1, 2, 3]),
  ]);
});

it('accepts a limit equal to the initial size, and refuses less', () => {
  expect(limitMemory(moduleOf(UNLIMITED), 2 * PAGE_BYTES)).toHaveLength(
    moduleOf(UNLIMITED).length + 1,
  );
  expect(() => limitMemory(moduleOf(UNLIMITED), 2 * PAGE_BYTES - 1)).toThrow(RangeError);
});

it('refuses a module without a memory', () => {
  expect(() => limitMemory(moduleOf([]), PAGE_BYTES)).toThrow(RangeError);
});
