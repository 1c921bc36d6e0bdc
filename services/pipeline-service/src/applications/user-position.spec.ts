import { cursorOf, FIRST_POSITION, positionAt, type UserPosition } from './user-position';

it.each<UserPosition>([
  FIRST_POSITION,
  { page: '101', offset: 0 },
  { page: 'a/b?c=é\u0000', offset: 9_999 },
])('%j is read back from its cursor', (position) => {
  const cursor = cursorOf(position);
  expect(cursor).toMatch(/^[\w.-]+$/);
  expect(positionAt(cursor)).toEqual(position);
});

it('begins and ends with an empty cursor', () => {
  expect(positionAt('')).toEqual(FIRST_POSITION);
  expect(cursorOf(null)).toBe('');
});

it.each(['x', '0', '-1.', '1.a b', '1.ä', '.', '1234567890.'])('%j is not a cursor', (cursor) => {
  expect(() => positionAt(cursor)).toThrow(
    expect.objectContaining({
      code: 'BadRequest',
      details: [expect.objectContaining({ path: '/cursor' })],
    }) as Error,
  );
});
