import type { Test } from './test';

const never: Test = () => false;

/**
 * No value holds half a surrogate pair, so an operand that does is found nowhere; on UTF-16 units it would be
 * found in the middle of a character.
 */
const onCodePoints =
  (make: (operand: string) => Test) =>
  (operand: string): Test =>
    /\p{Surrogate}/u.test(operand) ? never : make(operand);

export const containsText = onCodePoints(
  (operand) => (value) => typeof value === 'string' && value.includes(operand),
);

export const startsWithText = onCodePoints(
  (operand) => (value) => typeof value === 'string' && value.startsWith(operand),
);

export const endsWithText = onCodePoints(
  (operand) => (value) => typeof value === 'string' && value.endsWith(operand),
);
