import { PositionSet } from './position-set';

it('holds positions', () => {
  const [set, other] = [new PositionSet(), new PositionSet()];
  const [model, otherModel] = [new Set<number>(), new Set<number>()];
  for (let nth = 0; nth < 20_000; nth += 1) {
    const position = Math.floor(Math.random() * (Math.random() < 0.5 ? 100 : 50_000));
    const [bits, numbers] = Math.random() < 0.3 ? [other, otherModel] : [set, model];
    if (Math.random() < 0.7) {
      bits.add(position);
      numbers.add(position);
    } else {
      bits.delete(position);
      numbers.delete(position);
    }
  }
  for (let position = 0; position < 60_000; position += 1)
    expect(set.has(position)).toBe(model.has(position));
  const without = [...model].filter((position) => !otherModel.has(position));
  expect([...set.without(other)]).toEqual(without.sort((one, another) => one - another));
});
