import { readAnswer } from './read-answer';

it('reads the members of an object', () => {
  expect(readAnswer('{"status":"OK","n":[]}')).toEqual(
    new Map<string, unknown>([
      ['status', 'OK'],
      ['n', []],
    ]),
  );
});

it.each(['', 'busy', '<html>', '{"status":', '{"a":1}{', '[]', '1', 'null', '"{}"'])(
  'has no members in %j',
  (body) => {
    expect(readAnswer(body).size).toBe(0);
  },
);
