import { Refusal, type RefusalDetail } from './refusals';

const problems = (count: number, message = 'is wrong'): RefusalDetail[] =>
  Array.from({ length: count }, (_, n) => ({ path: `/p${String(n)}`, message }));

const refusing = (details: readonly RefusalDetail[], message?: string): Refusal =>
  new Refusal('BadRequest', { details, ...(message !== undefined && { message }) });

it('has the message of the list of codes for a target that is taken', () => {
  expect(new Refusal('TargetExist').message).toBe(
    'connection already has a pipeline for this target',
  );
});

it.each([0, 1, 2, 1_000])('names all of %i problems', (count) => {
  const details = problems(count);
  expect(refusing(details)).toMatchObject({ message: 'request is not valid', details });
});

it('counts the problems that it does not name', () => {
  const refusal = refusing(problems(1_001), 'filter is not valid');
  expect(refusal.details).toEqual(problems(1_000));
  expect(refusal.message).toBe('filter is not valid: at least 1 more problems are not named');
});

it('names problems as long as their texts fit into a message of the log', () => {
  const refusal = refusing(problems(1_000, 'x'.repeat(995)));
  expect(refusal.details).toHaveLength(100);
  expect(refusal.message).toBe('request is not valid: at least 900 more problems are not named');
});

it.each([
  ['x'.repeat(1_000), 'x'.repeat(1_000)],
  ['x'.repeat(1_001), `${'x'.repeat(999)}…`],
  [`${'x'.repeat(998)}😀x`, `${'x'.repeat(998)}…`],
])('shortens a long text, whole characters kept', (given, shortened) => {
  const [detail] = refusing([{ path: given, message: given, line: 3, column: 4 }]).details;
  expect(detail).toEqual({ path: shortened, message: shortened, line: 3, column: 4 });
});

it('is the same after it was passed on', () => {
  const refusal = refusing(problems(2_000, '\u0001'.repeat(2_000)));
  const { message, details } = refusal;
  expect(refusing(details, message)).toMatchObject({ message, details });
});
