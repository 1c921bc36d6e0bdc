import { JsonText } from '@penstock/schema';
import { Fault } from '../expression/fault';
import { jsonBudget, MAX_JSON_CHARACTERS } from './json-limit';

const textOf = (characters: number) => JsonText.trusted('1'.repeat(characters));

it('accepts parts of up to 16 MiB in total, and no more', () => {
  const within = jsonBudget();
  const half = textOf(MAX_JSON_CHARACTERS / 2);
  expect(within(half)).toBe(half);
  expect(within(half)).toBe(half);
  expect(() => within(textOf(1))).toThrow(Fault);
});
