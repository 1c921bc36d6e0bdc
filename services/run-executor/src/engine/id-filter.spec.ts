import fc from 'fast-check';
import { IdFilter } from './id-filter';

it('says of no id that was added that it was not', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 200 }), (ids) => {
      const [filter, added] = [new IdFilter(), new Set<string>()];
      for (const id of ids) {
        if (added.has(id)) expect(filter.add(id)).toBe(true);
        else filter.add(id);
        added.add(id);
      }
    }),
    { numRuns: 10 },
  );
});

it('takes few ids for others', () => {
  const filter = new IdFilter();
  let mistaken = 0;
  for (let n = 0; n < 200_000; n += 1) mistaken += Number(filter.add(String(n)));
  expect(mistaken).toBeLessThan(100);
});
