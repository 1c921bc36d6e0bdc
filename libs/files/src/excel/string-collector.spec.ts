import { MAX_CELL_LENGTH } from './cell-writer';
import { StringCollector } from './string-collector';

/** What is kept of a text that comes in such parts. */
const collected = (...parts: readonly string[]): string => {
  const collector = new StringCollector();
  collector.onOpen('si');
  collector.onOpen('t');
  for (const part of parts) collector.onText(part);
  collector.onClose('t');
  collector.onClose('si');
  return collector.take().toString();
};

/** Takes the most room in its stored form. */
const RETURN = '_x000D_';

it.each([
  ['characters', 'x'.repeat(MAX_CELL_LENGTH)],
  ['lines of Windows', `${`${'x'.repeat(58)}${RETURN}\n`.repeat(546)}${'x'.repeat(7)}`],
  ['carriage returns', RETURN.repeat(MAX_CELL_LENGTH)],
])('keeps a text of the most characters as it is stored: %s', (_, stored) => {
  expect(collected(stored)).toBe(stored);
  expect(collected(stored.slice(0, 40_000), stored.slice(40_000))).toBe(stored);
});

it.each([
  ['characters', 'x'.repeat(MAX_CELL_LENGTH + 1)],
  ['characters with an escape', `${RETURN}${'x'.repeat(MAX_CELL_LENGTH)}`],
  ['carriage returns', RETURN.repeat(MAX_CELL_LENGTH + 1)],
])('refuses a text of one character more: %s', (_, stored) => {
  expect(() => collected(stored)).toThrow('has a text of more than 32767 characters');
});

it('refuses a text while it comes, however it becomes shorter', () => {
  const collector = new StringCollector();
  collector.onOpen('si');
  collector.onOpen('t');
  const add = (): void => {
    for (let count = 0; count < 10; count += 1) collector.onText(RETURN.repeat(10_000));
  };
  expect(add).toThrow('has a text of more than 32767 characters');
});
