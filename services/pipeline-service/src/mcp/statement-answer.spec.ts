import { statementAnswer } from './statement-answer';

const columns = [{ name: 'a', type: 'text' }];
/** Bytes of the columns in JSON. */
const HEAD = JSON.stringify(columns).length;

const rows = ['["x"]', '["y"]', '["z"]'];
/** Bytes of one of the rows in JSON, with what parts it from the next one. */
const ROW = JSON.stringify(rows[0]).length + 1;

it.each([
  [3 * ROW, 3, false],
  [3 * ROW - 1, 2, true],
  [2 * ROW, 2, true],
  [ROW, 1, true],
])('of %i bytes for rows takes %i of three', (room, count, isCut) => {
  const answer = statementAnswer({ columns, rows, isCut: false }, HEAD + room);
  expect(answer).toEqual({ columns, rows: rows.slice(0, count), isCut });
});

it('is cut when the rows were', () => {
  expect(statementAnswer({ columns, rows, isCut: true })).toEqual({ columns, rows, isCut: true });
});

it('is refused when its first row has no room', () => {
  expect(statementAnswer({ columns, rows, isCut: false }, HEAD + ROW - 1).rows).toHaveLength(1);
  expect(() => statementAnswer({ columns, rows, isCut: false }, HEAD + ROW - 2)).toThrow(
    expect.objectContaining({
      code: 'InvalidQuery',
      message: 'query is not valid: its first row has no room in an answer',
    }) as Error,
  );
});
